# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
import asyncio
import threading
import warnings

import pytest

import graphprof


def tree(prof):
    """The regions of a profile, indented by their depth."""
    return [2 * event.depth * " " + event.name for event in prof.events() if event.kind == "region"]


def test_captured_regions_are_timed_every_replay(driver):
    with graphprof.profile() as prof:

        def step():
            for layer in range(2):
                with graphprof.region("layer {}", layer, batch=8, flops=1000):
                    driver.work()

        driver.replay(driver.captured(step), 3)
    regions = [event for event in prof.events() if event.kind == "region"]
    assert [event.name for event in regions] == ["layer 0", "layer 1"] * 3
    assert [event.replay for event in regions] == [0, 0, 1, 1, 2, 2]
    assert all(event.duration_ns > 0 and event.exec > 0 for event in regions)
    row = prof.key_averages().row("layer 1")
    assert (row.count, row.flops) == (2, 2000)  # without the cold replay
    assert prof.key_averages(group_by_input_shape=True).row("layer 1").input_shapes == "[1, batch=8]"


def test_the_place_is_that_of_the_with(driver):
    with graphprof.profile() as prof:
        with graphprof.region("here"):
            pass
    (event,) = prof.events()
    assert event.file == __file__ and event.line == test_the_place_is_that_of_the_with.__code__.co_firstlineno + 2


def test_outside_of_captures_the_stream_is_timed(driver):
    class OfTorch:
        cuda_stream = driver.stream.value

    class OfCuPy:
        ptr = driver.stream.value

    class OfProtocol:
        def __cuda_stream__(self):
            return (0, driver.stream.value)

    with graphprof.profile() as prof:
        for stream in (driver.stream.value, OfTorch(), OfCuPy(), OfProtocol()):
            with graphprof.region("eager", stream=stream):
                driver.work()
        with graphprof.region("default stream"):
            pass
        driver.synchronize()
    assert [(event.name, event.clock) for event in prof.events()] == [("eager", "event")] * 4 + [("default stream", "event")]
    with pytest.raises(TypeError, match="stream must be a number"):
        graphprof.region("eager", stream="first")


def test_decorated_functions_stay_what_they_are():
    @graphprof.region("plain {}", 1)
    def plain(x):
        """Doubles."""
        return 2 * x

    @graphprof.region("generator")
    def generator():
        got = yield 1
        return got

    @graphprof.region("coroutine")
    async def coroutine():
        await asyncio.sleep(0)
        return 3

    @graphprof.region("async generator")
    async def async_generator():
        yield 4

    async def main():
        assert await coroutine() == 3
        assert [item async for item in async_generator()] == [4]

    with graphprof.profile() as prof:
        assert plain(2) == 4 and plain.__doc__ == "Doubles." and plain.__name__ == "plain"
        running = generator()
        assert next(running) == 1
        with pytest.raises(StopIteration) as stopped:
            running.send(5)
        assert stopped.value.value == 5
        asyncio.run(main())
    assert tree(prof) == ["plain 1", "generator", "coroutine", "async generator"]


def test_an_open_region_may_be_reentered():
    again = graphprof.region("again")
    with graphprof.profile() as prof:
        with again, again:
            pass
    assert tree(prof) == ["again", "  again"]


def test_an_exception_ends_the_region_and_passes():
    with graphprof.profile() as prof:
        with pytest.raises(KeyError):
            with graphprof.region("raises"), graphprof.region("inside"):
                raise KeyError
        with graphprof.region("after"):
            pass
    assert tree(prof) == ["raises", "  inside", "after"]


def test_threads_nest_by_themselves():
    both = threading.Barrier(2)

    def work(name):
        with graphprof.region(name):
            both.wait()
            with graphprof.region("inside {}", name):
                both.wait()

    with graphprof.profile() as prof:
        threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    lines = tree(prof)
    assert sorted(lines) == ["  inside a", "  inside b", "a", "b"]
    for name in "ab":
        assert lines.index(f"  inside {name}") == lines.index(name) + 1


def test_interleaved_tasks_nest_separately():
    """Tasks nest by themselves though they take turns."""
    async def work(name, turns):
        with graphprof.region(name):
            for turn in range(turns):
                await asyncio.sleep(0)
                with graphprof.region("{} {}", name, turn):
                    await asyncio.sleep(0)

    async def main():
        await asyncio.gather(work("a", 2), work("b", 1))

    with graphprof.profile() as prof:
        asyncio.run(main())
    lines = tree(prof)
    assert sorted(lines) == ["  a 0", "  a 1", "  b 0", "a", "b"]
    assert lines[lines.index("a"):lines.index("a") + 3] == ["a", "  a 0", "  a 1"]
    assert lines[lines.index("b"):lines.index("b") + 2] == ["b", "  b 0"]
    assert not graphprof.losses().regions_outside_graphs_failed


# A suspended generator ends its region when it is closed, though that is not the innermost.
def test_closing_a_generator_ends_its_region():
    def items():
        with graphprof.region("items"):
            yield 1

    with graphprof.profile() as prof:
        suspended = items()
        next(suspended)
        with graphprof.region("meanwhile"):
            suspended.close()
    assert sorted(line.strip() for line in tree(prof)) == ["items", "meanwhile"]


def test_generator_closed_elsewhere_raises_nothing():
    """A generator that another thread closes raises nothing."""
    def items():
        with graphprof.region("items"):
            yield 1

    suspended = items()
    next(suspended)
    raised = []

    def close():
        try:
            suspended.close()
        except BaseException as failure:
            raised.append(failure)

    thread = threading.Thread(target=close)
    thread.start()
    thread.join()
    assert not raised


@pytest.mark.parametrize("name, values, said", [
    ("{} {}", (1,), "does not fit its 1 value"),
    ("{:d}", (0.5,), "of a type that it allows"),
    ("{", (), "write {{ and }} for braces"),
])
def test_unfitting_format_is_refused(name, values, said):
    """A format that does not fit is refused."""
    with pytest.raises(ValueError, match=said):
        graphprof.region(name, *values)


def test_values_of_all_kinds():
    class Index:
        def __index__(self):
            return 7

    with graphprof.profile() as prof:
        with graphprof.region("{} {} {} {} {} {} {}", True, 2**63, -1, 0.5, "text", Index(), None):
            pass
        with graphprof.region("{}", 2**70):
            pass
        with graphprof.region("a\0b"):
            pass
    assert tree(prof) == ["true 9223372036854775808 -1 0.5 text 7 None", str(2**70), "a b"]


def test_bad_names_and_values_are_refused():
    """What is no name or no value is refused."""
    class Tensor:
        def data_ptr(self):
            return 0

    with pytest.raises(TypeError, match="name must be a str"):
        graphprof.region(3)
    with pytest.raises(TypeError, match="is a tensor; pass a number"):
        graphprof.region("{}", Tensor())
    with pytest.raises(TypeError, match=r"a region's flops must be a number, such as flops=2 \* m \* n \* k; it is 'x'"):
        graphprof.region("a", flops="x")
    with pytest.raises(TypeError, match="a region's bytes must be a number"):
        graphprof.region("a", bytes=[1])


def test_a_misspelt_parameter_is_named():
    for key, meant in ("strem", "stream"), ("flosp", "flops"), ("byte", "bytes"):
        with pytest.warns(UserWarning, match=f"'{key}' is carried along as a value of the region; did you mean {meant}") as said:
            graphprof.region("a", **{key: 3})
        assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graphprof.region("a", streams=3, nbytes=4, flows=5, stream=None, flops=1, bytes=1)


def test_library_failure_raises_nothing(monkeypatch):
    """Begin and end raise nothing when the library fails."""
    from graphprof import _regions

    before = graphprof.losses().incomplete
    region = graphprof.region("broken")

    def broken(*_):
        raise OSError

    monkeypatch.setattr(_regions, "_lane", broken)
    with region:
        pass
    monkeypatch.undo()
    assert graphprof.losses().incomplete == before + 1


def test_pytorchs_stream_needs_cuda_in_use(driver, monkeypatch):
    """PyTorch's stream is asked for once PyTorch uses CUDA."""
    import sys
    import types

    from graphprof import _streams

    torch = types.ModuleType("torch")
    torch._C = types.SimpleNamespace()
    torch.cuda = types.SimpleNamespace(
        is_initialized=lambda: False, current_stream=lambda: types.SimpleNamespace(cuda_stream=driver.stream.value))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(_streams, "_current", None)
    assert _streams.current() == 0
    torch.cuda.is_initialized = lambda: True
    assert _streams.current() == driver.stream.value
    monkeypatch.setattr(_streams, "_current", None)
    torch._C = types.SimpleNamespace(_cuda_getDevice=lambda: 3, _cuda_getCurrentRawStream=lambda device: 40 + device)
    assert _streams.current() == 43


def names_of(prof):
    """What each replay served, in order."""
    return [event.graph_name for event in prof.events() if event.kind == "region"]


def captured_step(driver):
    def step():
        with graphprof.region("step"):
            driver.work()

    return driver.captured(step)


def test_graphs_have_names(driver):
    with graphprof.profile() as prof:
        with graphprof.graph("decode {}", "long", batch=8):
            named = captured_step(driver)
        driver.replay(named, 2)
        with graphprof.graph("decode", batch=8, used=5):
            driver.replay(named)
        driver.replay(named)
        driver.replay(captured_step(driver))
    assert names_of(prof) == ["decode long batch=8"] * 2 + ["decode batch=8 used=5", "decode long batch=8", None]


def test_a_function_names_its_graphs(driver):
    naming = graphprof.graph("decode", batch=2)

    @naming
    def capture(depth):
        with naming:  # one object, several times
            pass
        return capture(depth - 1) if depth else captured_step(driver)

    with graphprof.profile() as prof:
        driver.replay(capture(2))
        with pytest.raises(RuntimeError), graphprof.graph("failed"):
            raise RuntimeError
        driver.replay(captured_step(driver))
    assert names_of(prof) == ["decode batch=2", None]


def test_each_thread_names_its_graphs(driver):
    made = []
    with graphprof.profile() as prof:
        with graphprof.graph("mine"):
            thread = threading.Thread(target=lambda: made.append(captured_step(driver)))
            thread.start()
            thread.join()
        driver.replay(made[0])
    assert names_of(prof) == [None]


def test_names_of_graphs_that_do_not_fit(driver):
    with pytest.raises(ValueError, match="graph: the name \"decode {}\" does not fit its 0 values"):
        graphprof.graph("decode {}")
    with pytest.raises(TypeError, match="a graph's name must be a str; it is int"):
        graphprof.graph(8)
