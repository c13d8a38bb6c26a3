# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""A region around the forward, and by option the backward, of each submodule of a torch.nn.Module.

No hooks: torch.cuda.make_graphed_callables refuses modules that have some, and PyTorch takes other paths with them. A module gets
a class of its own for as long as it is annotated: a subclass of its class, of the same name, that times its forward. A copy or a
pickle of the module is of its old class."""

from __future__ import annotations

import atexit
import copyreg
import fnmatch
import functools
import sys
import weakref
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Union

from . import _compiled, _graph_annotations, _tensors
from ._library import say
from ._regions import Info, Open, begin, end, info_of, site_of

Names = Union[None, Callable[[str, Any], Optional[str]], Iterable[str]]
MEMBER = "_graphprof"  # of a module's __dict__: its _Timed


def _never() -> bool:
    return False


def _is_compiling() -> Callable[[], bool]:
    """PyTorch's own function, which its compiler knows: what stands behind it is no part of a compiled module."""
    torch = sys.modules.get("torch")
    compiler = getattr(torch, "compiler", None)
    return getattr(compiler, "is_compiling", None) or getattr(getattr(torch, "_dynamo", None), "is_compiling", None) or _never


class _One:
    """An annotation's regions of a module."""

    __slots__ = ("annotation", "info", "backward", "compiled", "ran")

    def __init__(self, annotation: "Annotation", info: Info, backward: Optional[Info], compiled: Optional[str]) -> None:
        self.annotation, self.info, self.backward, self.ran = annotation, info, backward, False
        self.compiled = compiled  # the region's text in what is compiled

    @property
    def entered(self) -> bool:
        return self.ran or self.compiled in _compiled.entered


class _Timed:
    """What annotations have of a module; several may."""

    __slots__ = ("ones", "kind")

    def __init__(self, kind: Any) -> None:
        self.ones: List[_One] = []
        self.kind = kind  # the module's class without them


class Annotation:
    """What annotate() did. remove(), or the end of a `with` block, undoes it."""

    def __init__(self, root: str) -> None:
        self.names: List[str] = []  # of the regions
        self._root = root
        self._modules: List[Tuple[Any, _One]] = []  # weak references
        _living.add(self)

    def remove(self) -> None:
        """Gives the modules their classes back."""
        modules, self._modules = self._modules, []
        _tell_of_unentered(self._root, modules)
        for weak, one in modules:
            module = weak()
            timed = module.__dict__.get(MEMBER) if module is not None else None
            if timed is None or one not in timed.ones:
                continue
            timed.ones.remove(one)
            _set_compiled(module, timed)
            if not timed.ones:
                del module.__dict__[MEMBER]
                if getattr(type(module), "__graphprof__", None) is timed.kind:  # else others have changed it since
                    module.__class__ = timed.kind

    def __enter__(self) -> "Annotation":
        return self

    def __exit__(self, *_: Any) -> None:
        self.remove()


_living: "weakref.WeakSet[Annotation]" = weakref.WeakSet()


@atexit.register
def _at_exit() -> None:
    for annotation in list(_living):
        _tell_of_unentered(annotation._root, annotation._modules)


def annotate(module: Any, *, depth: Optional[int] = None, names: Names = None, backward: bool = False,
             compiled: bool = False) -> Annotation:
    """Times the forward of `module` and of each of its submodules.

        graphprof.annotate(model)                       # all submodules
        graphprof.annotate(model, depth=2)              # down to model.layers.0
        graphprof.annotate(model, names=["layers.*"])   # those whose names match
        with graphprof.annotate(model, backward=True):  # and their backward, off again at the end
            train(model)

    A region is named by the path of its module ("layers.0.attn"), the outermost by its class. `names`
    are patterns of paths, or a function of a path and a module that returns a name, or None for no
    region. With `backward` there is a region "... backward", too, from when the gradients of a
    module's outputs are known until those of its inputs are; a module none of whose inputs needs one
    has none.

    A part that torch.compile compiles is entered with `compiled`, if it runs without gradients: each
    submodule that takes a tensor of real numbers has a region, and the graph is not broken, but the
    compiler fuses nothing over the regions' ends. Without `compiled` the part has no regions inside,
    which one message says; those around it stay. TypeError if `module` is no torch.nn.Module.
    """
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(module, torch.nn.Module):
        raise TypeError(f"annotate() takes a torch.nn.Module, and not {type(module).__module__}.{type(module).__name__}; to time "
                        "other code, use graphprof.region")
    if depth is not None and (not isinstance(depth, int) or depth < 0):
        raise ValueError(f"depth must be None or a number from 0, the module alone; it is {depth!r}")
    chosen = _choose(names)
    if compiled:
        _compiled.define(torch)
    _graph_annotations.follow()
    annotation = Annotation(type(module).__name__)
    compiling = _is_compiling()
    try:
        for path, each in module.named_modules():
            if depth is not None and path and path.count(".") >= depth:
                continue
            if isinstance(each, getattr(torch.jit, "ScriptModule", ())) or _is_container(each, torch):
                continue  # no Python of its own runs
            name = chosen(path, each)
            if name is not None:
                annotation.names.append(name)
                # The time of the compiled whole is that of its graph, whose inputs are to stay as they are.
                _time(annotation, each, name, compiling, backward, compiled and each is not module, torch)
                if compiled and each is module:
                    annotation._modules[-1][1].ran = True  # not to be missed
    except BaseException:
        annotation.remove()
        raise
    if not annotation.names:
        raise ValueError("no module is annotated: names or depth leave none; the modules are "
                         + ", ".join([path or type(each).__name__ for path, each in module.named_modules()][:8]) + ", ...")
    if not compiled:
        _tell_of_compiled(module)
    return annotation


def _is_container(module: Any, torch: Any) -> bool:
    """A ModuleList, say, whose forward nobody calls."""
    return getattr(type(module), "forward", None) is getattr(torch.nn.Module, "forward", 0) and "forward" not in module.__dict__


def _choose(names: Names) -> Callable[[str, Any], Optional[str]]:
    def by_path(path: str, module: Any) -> Optional[str]:
        return path or type(module).__name__

    if names is None:
        return by_path
    if callable(names):
        function = names

        def by_function(path: str, module: Any) -> Optional[str]:
            name = function(path, module)
            if name is not None and not isinstance(name, str):
                raise TypeError(f"names must return a str or None for {path or 'the module'}, and not {type(name).__name__}")
            return name

        return by_function
    patterns = [names] if isinstance(names, str) else list(names)
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise TypeError(f"names must be patterns or a function; one is {type(pattern).__name__}")

    def by_pattern(path: str, module: Any) -> Optional[str]:
        name = path or type(module).__name__
        return name if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns) else None

    return by_pattern


def _escaped(name: str) -> str:
    return name.replace("{", "{{").replace("}", "}}")


def _time(annotation: Annotation, module: Any, name: str, compiling: Callable[[], bool], backward: bool, compiled: bool,
          torch: Any) -> None:
    timed = module.__dict__.get(MEMBER)
    kind = timed.kind if timed is not None else type(module)
    code = getattr(getattr(kind, "forward", None), "__code__", None)
    place = (code.co_filename, code.co_firstlineno, code.co_name) if code is not None else ("", 0, "")
    one = _One(annotation, info_of(site_of(_escaped(name), *place)),
               info_of(site_of(_escaped(name) + " backward", *place)) if backward else None,
               _compiled.text_of(_escaped(name), *place) if compiled else None)
    if timed is None:
        # Where the module has a forward of its own, as a compiled one has, that of its class is not called.
        method = "__call__" if "forward" in module.__dict__ else "forward"
        timed = module.__dict__[MEMBER] = _Timed(kind)
        try:
            module.__class__ = _class_of(kind, method, compiling, torch)
        except TypeError:
            del module.__dict__[MEMBER]
            raise TypeError(f"{name} cannot be annotated: objects of {kind.__module__}.{kind.__qualname__} keep their class; leave "
                            "it out by names=") from None
    timed.ones.append(one)
    _set_compiled(module, timed)
    annotation._modules.append((weakref.ref(module), one))


def _set_compiled(module: Any, timed: _Timed) -> None:
    regions = tuple(one.compiled for one in timed.ones if one.compiled is not None)
    if regions:
        module.__dict__[_compiled.MEMBER] = regions
    else:
        module.__dict__.pop(_compiled.MEMBER, None)


_classes: Dict[Tuple[Any, str, Any], Any] = {}


def _class_of(kind: Any, method: str, compiling: Callable[[], bool], torch: Any) -> Any:
    """A subclass that times `method`."""
    made = _classes.get((kind, method, compiling))
    if made is not None:
        return made
    original = getattr(kind, method)

    @functools.wraps(original)
    def timed(self: Any, *args: Any, **kwargs: Any) -> Any:
        if compiling():
            return _compiled.run(self, original, args, kwargs, torch)
        return _run(self, original, args, kwargs, torch)

    def reduced(self: Any, protocol: Any) -> Any:
        made = super(kind, self).__reduce_ex__(protocol) if kind.__reduce_ex__ is object.__reduce_ex__ else kind.__reduce_ex__(self, protocol)
        if not isinstance(made, tuple) or len(made) < 3 or made[0] is not copyreg.__newobj__:  # type: ignore[attr-defined]
            return made  # a way of its own
        state = {key: each for key, each in made[2].items() if key not in (MEMBER, _compiled.MEMBER)} if isinstance(made[2], dict) else made[2]
        return (copyreg._reconstructor, (kind, object, None), state, *made[3:])  # type: ignore[attr-defined]

    members = {method: timed, "__reduce_ex__": reduced, "__graphprof__": kind, "__module__": kind.__module__,
               "__qualname__": kind.__qualname__, "__doc__": kind.__doc__}
    made = _classes[kind, method, compiling] = type(kind)(kind.__name__, (kind,), members)
    return made


def _run(module: Any, original: Callable[..., Any], args: Any, kwargs: Any, torch: Any) -> Any:
    timed = module.__dict__.get(MEMBER)
    if timed is None:
        return original(module, *args, **kwargs)
    ones = list(timed.ones)
    opened: List[Open] = []
    for one in ones:
        one.ran = True
        opened.append(begin(one.info))
    try:
        result = original(module, *args, **kwargs)
    finally:
        for each in reversed(opened):
            end(each)
    for one in ones:
        if one.backward is not None and torch.is_grad_enabled():
            _follow_backward(one.backward, (args, kwargs), result)
    return result


class _Gradient:
    """What is to be done when the gradient of a tensor is known: the module that it was given to has ended its backward, the one
    that made it begins its own."""

    __slots__ = ("ends", "begins")

    def __init__(self) -> None:
        self.ends: Dict[int, Callable[[], None]] = {}  # by region; of inner modules first
        self.begins: List[Callable[[], None]] = []

    def __call__(self, _: Any) -> None:
        ends, self.ends = self.ends, {}
        begins, self.begins = self.begins, []
        for each in ends.values():
            each()
        for each in reversed(begins):
            each()


def _gradient_of(tensor: Any) -> _Gradient:
    found = getattr(tensor, MEMBER, None)
    if found is None:
        found = _Gradient()
        setattr(tensor, MEMBER, found)
        tensor.register_hook(found)
    return found


def _follow_backward(info: Info, given: Any, result: Any) -> None:
    """The region begins with the first gradient of an output, and ends with the last of an input."""
    inputs = _tensors.found(given, lambda tensor: bool(tensor.requires_grad))
    outputs = [each for each in _tensors.found(result, lambda tensor: bool(tensor.requires_grad)) if each.grad_fn is not None]
    if not inputs or not outputs:
        return
    opened: List[Open] = []
    left = len(inputs)

    def begins() -> None:
        if not opened:
            opened.append(begin(info))

    def ends() -> None:
        nonlocal left
        left -= 1
        if left == 0 and opened:
            end(opened.pop())

    for tensor in inputs:
        _gradient_of(tensor).ends[id(info)] = ends  # of a leaf, instead of that of a forward without a backward
    for tensor in outputs:
        _gradient_of(tensor).begins.append(begins)


def _tell_of_compiled(module: Any) -> None:
    compiled = [path or type(each).__name__ for path, each in module.named_modules()
                if type(each).__name__ == "OptimizedModule" or getattr(each, "_compiled_call_impl", None) is not None]
    if compiled:
        say(f"annotate: {compiled[0]} is compiled by torch.compile, so its submodules have no regions of their own; what is around "
            "it has, and kernels are shown by name under `graphprof run`")


def _tell_of_unentered(root: str, modules: List[Tuple[Any, _One]]) -> None:
    """For what was compiled after annotate()."""
    unentered = sum(not one.entered for _, one in modules)
    if unentered and "torch._dynamo" in sys.modules:
        say(f"annotate: {unentered} of the {len(modules)} annotated modules of {root} had no region: torch.compile has compiled them, or "
            "they did not run; what is around them has regions, and kernels are shown by name under `graphprof run`")
