# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""annotate(), with PyTorch on the CPU: modules are the same there."""

import copy
import gc
import inspect
import pickle
import sys
import types

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")

import graphprof  # noqa: E402
from graphprof import _graph_annotations  # noqa: E402


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = torch.nn.Linear(4, 8), torch.nn.Linear(8, 4)

    def forward(self, x):
        return self.down(self.up(x))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(Block() for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def regions(run):
    with graphprof.profile() as prof:
        run()
    return [2 * event.depth * " " + event.name for event in prof.events()]


@pytest.fixture
def model():
    return Model()


@pytest.fixture
def x():
    return torch.ones(1, 4)


def test_module_regions_are_named_by_path(model, x):
    """Each module has a region named by its path."""
    expected = model(x)
    with graphprof.annotate(model):
        assert regions(lambda: torch.testing.assert_close(model(x), expected)) == [
            "Model", "  layers.0", "    layers.0.up", "    layers.0.down", "  layers.1", "    layers.1.up", "    layers.1.down"]
    assert regions(lambda: model(x)) == []
    assert type(model) is Model and type(model.layers[0]) is Block
    assert not any("_graphprof" in module.__dict__ for module in model.modules())


def test_a_module_stays_what_it_is(model, x):
    with graphprof.annotate(model):
        block = model.layers[0]
        assert isinstance(block, Block) and type(block).__name__ == "Block" and type(block).__module__ == Block.__module__
        assert list(inspect.signature(block.forward).parameters) == ["x"]
        assert list(model.state_dict()) == list(Model().state_dict())
        # torch.cuda.make_graphed_callables refuses modules with hooks, and gives them a forward of their own.
        assert not any(module._forward_hooks or module._forward_pre_hooks or module._backward_hooks for module in model.modules())
        block.forward = lambda x: x
        assert regions(lambda: block(x)) == []
        del block.forward


def test_copies_have_the_old_class(model, x):
    """Copies and pickles are of the old class."""
    with graphprof.annotate(model):
        for made in (copy.deepcopy(model), copy.copy(model.layers[0]), pickle.loads(pickle.dumps(model))):
            assert type(made) in (Model, Block) and "_graphprof" not in made.__dict__
        torch.testing.assert_close(copy.deepcopy(model)(x), model(x))


def test_a_module_with_its_own_forward(model, x):
    block = model.layers[0]
    block.forward = types.MethodType(lambda self, x: Block.forward(self, x), block)
    with graphprof.annotate(block, depth=0):
        assert regions(lambda: block(x)) == ["Block"]


def test_the_place_is_that_of_the_forward(model, x):
    with graphprof.annotate(model, depth=0), graphprof.profile() as prof:
        model(x)
    (event,) = prof.events()
    assert event.file == __file__ and event.line == Model.forward.__code__.co_firstlineno


def test_how_deep(model, x):
    with graphprof.annotate(model, depth=2):
        assert regions(lambda: model(x)) == ["Model", "  layers.0", "  layers.1"]
    with graphprof.annotate(model, depth=0) as annotation:
        assert annotation.names == ["Model"]
    with pytest.raises(ValueError, match="depth must be"):
        graphprof.annotate(model, depth=-1)


def test_which_and_by_what_name(model, x):
    with graphprof.annotate(model, names=["layers.*.up"]):
        assert regions(lambda: model(x)) == ["layers.0.up", "layers.1.up"]
    with graphprof.annotate(model, names=lambda path, module: f"{{{path}}}" if isinstance(module, Block) else None):
        assert regions(lambda: model(x)) == ["{layers.0}", "{layers.1}"]
    with pytest.raises(ValueError, match="no module is annotated.*Model, layers, layers.0"):
        graphprof.annotate(model, names="none.*")
    with pytest.raises(TypeError, match="must return a str or None"):
        graphprof.annotate(model, names=lambda path, module: 3)
    with pytest.raises(TypeError, match="patterns or a function"):
        graphprof.annotate(model, names=[3])
    assert type(model) is Model  # what was refused left nothing


def test_what_is_no_module_is_refused():
    with pytest.raises(TypeError, match="takes a torch.nn.Module, and not builtins.function; to time other code"):
        graphprof.annotate(lambda x: x)


def test_a_statement_alone_keeps_the_annotation(model, x):
    graphprof.annotate(model, depth=0)
    gc.collect()
    assert regions(lambda: model(x)) == ["Model"]


# Two annotations of a module are both there, and are removed one by one.
def test_two_annotations_go_one_by_one(model, x):
    outer, inner = graphprof.annotate(model, depth=0), graphprof.annotate(model, names=lambda path, _: None if path else "again")
    assert sorted(line.strip() for line in regions(lambda: model(x))) == ["Model", "again"]
    outer.remove()
    outer.remove()
    assert regions(lambda: model(x)) == ["again"]
    inner.remove()


def test_raising_module_closes_its_region(model, x):
    """A module that raises leaves no region open."""
    def fails(*_):
        raise RuntimeError("mine")

    with graphprof.annotate(model):
        handle = model.layers[0].up.register_forward_pre_hook(fails)

        def failing():
            with pytest.raises(RuntimeError, match="mine"):
                model(x)

        assert regions(failing) == ["Model", "  layers.0"]
        handle.remove()
        assert regions(lambda: model(x))[:3] == ["Model", "  layers.0", "    layers.0.up"]


def test_a_module_that_is_used_inside_itself(x):
    class Recursive(torch.nn.Module):
        def forward(self, x, depth=2):
            return self(x, depth - 1) if depth else x

    model = Recursive()
    with graphprof.annotate(model):
        assert regions(lambda: model(x)) == ["Recursive", "  Recursive", "    Recursive"]


def test_it_trains_as_before(model, x):
    with graphprof.annotate(model):
        model(x).sum().backward()
    gradients = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    model(x).sum().backward()
    for parameter, gradient in zip(model.parameters(), gradients):
        torch.testing.assert_close(parameter.grad, gradient)


def test_the_backward(model, x):
    x.requires_grad_()
    with graphprof.annotate(model, names=["layers.?"], backward=True):
        assert regions(lambda: model(x).sum().backward()) == ["layers.0", "layers.1", "layers.1 backward", "layers.0 backward"]
        expected = x.grad.clone()
        for _ in range(3):  # forwards alone leave nothing behind
            model(x)
        assert len(x._backward_hooks) == 1 and len(x._graphprof.ends) <= 1
        x.grad = None
        assert regions(lambda: model(x).sum().backward())[2:] == ["layers.1 backward", "layers.0 backward"]
        assert not x._graphprof.ends
        torch.testing.assert_close(x.grad, expected)
        with torch.no_grad():
            assert regions(lambda: model(x)) == ["layers.0", "layers.1"]


def test_backwards_nest_as_modules_do(model, x):
    x.requires_grad_()
    with graphprof.annotate(model, depth=2, backward=True):
        assert regions(lambda: model(x).sum().backward())[3:] == ["Model backward", "  layers.1 backward", "  layers.0 backward"]


# Without a gradient of an input there is no backward.
def test_backward_needs_an_inputs_gradient(model, x):
    with graphprof.annotate(model, names=["layers.?"], backward=True):
        assert regions(lambda: model(x).sum().backward())[2:] == ["layers.1 backward"]


def test_compiled_code_has_no_regions(model, x, monkeypatch):
    """Inside of what is compiled there is no region."""
    compiling = types.SimpleNamespace(is_compiling=lambda: compiling.now, now=False)
    monkeypatch.setattr(torch, "compiler", compiling, raising=False)
    with graphprof.annotate(model):
        assert len(regions(lambda: model(x))) == 7
        compiling.now = True
        assert regions(lambda: model(x)) == []


def test_compiled_code_has_regions_if_asked(model, x, monkeypatch):
    """compiled=True: the operators that the compiler keeps begin and end the regions; the root, and what keeps gradients, has none."""
    compiling = types.SimpleNamespace(is_compiling=lambda: True)
    monkeypatch.setattr(torch, "compiler", compiling, raising=False)
    inside = ["layers.0", "  layers.0.up", "  layers.0.down", "layers.1", "  layers.1.up", "  layers.1.down"]
    with graphprof.annotate(model, compiled=True) as annotation:
        assert regions(lambda: model(x)) == []
        with torch.no_grad():
            assert regions(lambda: model(x)) == inside
            assert regions(lambda: model.layers[0](x=x)) == inside[:3]
            assert regions(lambda: model.layers[0].up(x)) == ["layers.0.up"]
            assert type(copy.deepcopy(model.layers[0])) is Block and "_graphprof_compiled" not in copy.deepcopy(model.layers[0]).__dict__
        assert all(one.entered for _, one in annotation._modules)
    with torch.no_grad():
        assert regions(lambda: model(x)) == []
    assert not any("_graphprof_compiled" in module.__dict__ for module in model.modules())


def test_a_compiled_region_that_raised_is_ended(model, x, monkeypatch):
    compiling = types.SimpleNamespace(is_compiling=lambda: True)
    monkeypatch.setattr(torch, "compiler", compiling, raising=False)
    with torch.no_grad(), graphprof.annotate(model, compiled=True):
        def twice():
            with pytest.raises(RuntimeError):
                model.layers[0](torch.ones(1, 5))
            model.layers[0](x)

        assert [line.strip() for line in regions(twice)][-3:] == ["layers.0", "layers.0.up", "layers.0.down"]
        assert regions(lambda: model.layers[1](x)) == ["layers.1", "  layers.1.up", "  layers.1.down"]


def test_what_is_compiled_already_is_said(model, x, said):
    class OptimizedModule(torch.nn.Module):  # as torch.compile makes them
        def __init__(self, module):
            super().__init__()
            self._orig_mod = module

        def forward(self, x):
            return self._orig_mod(x)

    outer = torch.nn.Sequential(OptimizedModule(model))
    graphprof.annotate(outer, depth=1).remove()
    assert len(said) == 1 and said[0].startswith("annotate: 0 is compiled by torch.compile")
    graphprof.annotate(model).remove()
    assert len(said) == 1


def test_later_compilation_is_said(model, x, said, monkeypatch):
    """What is compiled later is said at the end."""
    monkeypatch.setitem(sys.modules, "torch._dynamo", types.ModuleType("torch._dynamo"))
    with graphprof.annotate(model):
        model.layers[0](x)  # the others are in what a compiler made
    assert len(said) == 1 and said[0].startswith("annotate: 4 of the 7 annotated modules of Model had no region: torch.compile")
    with graphprof.annotate(model):
        model(x)
    assert len(said) == 1


def test_pytorchs_graph_annotations_are_regions(monkeypatch):
    """Names that PyTorch's graph annotations set are regions."""
    import contextlib

    marked = []

    @contextlib.contextmanager
    def mark_kernels(annotation: "str | dict", *, backward: bool = True):  # as in PyTorch 2.14 and 2.15; 2.12 has no `backward`
        marked.append(annotation if backward else (annotation, backward))
        yield "its own"

    for name in ("torch.cuda._graph_annotations", "torch.cuda.graph_annotations"):
        module = types.ModuleType(name)
        module.mark_kernels = mark_kernels
        monkeypatch.setitem(sys.modules, name, module)
    by_name = types.ModuleType("program")
    by_name.mark_kernels = mark_kernels
    monkeypatch.setitem(sys.modules, "program", by_name)
    monkeypatch.setattr(_graph_annotations, "_following", False)
    assert _graph_annotations.follow()

    def run():
        with by_name.mark_kernels("phase {A}") as given:
            assert given == "its own"
            with sys.modules["torch.cuda.graph_annotations"].mark_kernels({"name": "inner", "dtype": "bf16"}):
                pass
        with by_name.mark_kernels({"dtype": "bf16"}):
            pass
        with by_name.mark_kernels("forward only", backward=False):
            pass
        by_name.mark_kernels("decorated")(lambda: None)()

    assert regions(run) == ["phase {A}", "  inner", "forward only", "decorated"]
    assert marked == ["phase {A}", {"name": "inner", "dtype": "bf16"}, {"dtype": "bf16"}, ("forward only", False), "decorated"]


def test_missing_annotations_are_not_followed(monkeypatch):
    """Without such annotations there is nothing to follow."""
    monkeypatch.setattr(_graph_annotations, "_following", False)
    monkeypatch.delitem(sys.modules, "torch.cuda._graph_annotations", raising=False)
    assert not _graph_annotations.follow()
