# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Benchmarks. PyTorch is there for its tensors, on the CPU; its CUDA is made of the simulated driver."""

import collections
import contextlib
import ctypes
import dataclasses
import glob
import inspect
import os
import re
import types

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")

import graphprof  # noqa: E402
from graphprof import _bench, _tensors, testing  # noqa: E402


class Cuda:
    """What a benchmark uses of torch.cuda, over the driver."""

    def __init__(self, driver):
        self._driver = driver
        self.current = None
        self.captures = 0
        self.refuses = False
        outer = self

        class ExternalStream:
            def __init__(self, handle):
                self.cuda_stream = handle

        class CUDAGraph:
            def __init__(self, keep_graph=False):
                assert keep_graph
                self.graph = None

            def raw_cuda_graph(self):
                return self.graph.value

            def __del__(self):
                outer._driver.call("cuGraphDestroy", self.graph)

        self.ExternalStream, self.CUDAGraph = ExternalStream, CUDAGraph

    def synchronize(self):
        self._driver.call("cuCtxSynchronize")

    def graph_pool_handle(self):
        return (0, 1)

    @contextlib.contextmanager
    def stream(self, stream):
        before, self.current = self.current, ctypes.c_void_p(stream.cuda_stream)
        try:
            yield
        finally:
            self.current = before

    @contextlib.contextmanager
    def graph(self, graph, pool, stream, capture_error_mode):
        assert pool == (0, 1) and capture_error_mode == "thread_local"
        self.captures += 1
        before, self.current = self.current, ctypes.c_void_p(stream.cuda_stream)
        self._driver.begin_capture(self.current)
        try:
            yield
        finally:
            graph.graph = self._driver.end_capture(self.current)
        if self.refuses:  # PyTorch does not come to the next line then
            raise RuntimeError("the capture has failed")
        self.current = before

    def current_stream(self):
        return self.current

    def set_stream(self, stream):
        self.current = stream


@pytest.fixture
def cuda(driver, monkeypatch):
    cuda = Cuda(driver)

    class Torch(types.ModuleType):
        def __getattr__(self, name):
            return getattr(torch, name)

    made = Torch("torch")
    made.cuda = cuda
    monkeypatch.setattr(_bench, "_torch", lambda: made)
    return cuda


# Times are not what is tested.
BRIEF = {"dry_run_iters": 1, "repeat_iters": 4}


def test_the_signature_is_flashinfers():
    parameters = inspect.signature(testing.bench_gpu_time_with_cudagraph).parameters
    assert {name: parameter.default for name, parameter in parameters.items() if name != "fn"} == {
        "dry_run_iters": None, "repeat_iters": None, "dry_run_time_ms": 25, "repeat_time_ms": 100, "num_iters_within_graph": 10,
        "l2_flush": None, "l2_flush_size_mb": None, "l2_flush_device": None, "sleep_after_run": False, "input_args": (),
        "input_kwargs": None, "cold_l2_cache": True}


def test_it_returns_a_time_for_each_replay(driver, cuda):
    times = testing.bench_gpu_time_with_cudagraph(lambda: driver.work(cuda.current), cold_l2_cache=False, **BRIEF)
    assert isinstance(times, list) and len(times) == 4 and all(time > 0 for time in times)
    assert cuda.captures == 3  # of one call, of two, and of ten


def test_cache_flush_without_tensors_is_said(driver, cuda, said):
    """Without tensors the cache is flushed which is said."""
    times = testing.bench_gpu_time_with_cudagraph(lambda: driver.work(cuda.current), **BRIEF)
    result = graphprof.bench(lambda: driver.work(cuda.current), stop="time", **BRIEF)
    assert len(times) == 4
    assert (result.cold, result.cold_method, result.timer, len(result.times_ms)) == (True, "flush", "stamps", 40)
    assert "no argument is device memory" in result.warnings[0] and "the L2 cache is flushed" in said[0]


def test_deprecated_arguments_are_flashinfers_and_said(driver, cuda, said):
    testing.bench_gpu_time_with_cudagraph(lambda: driver.work(cuda.current), l2_flush=False, l2_flush_size_mb=256, **BRIEF)
    assert said[0].endswith("l2_flush is deprecated; use cold_l2_cache") and said[1].endswith("have no effect; remove them")


def test_tensors_of_arguments_are_rotated_through_copies(driver, cuda, monkeypatch):
    monkeypatch.setattr(_tensors, "on_device", lambda tensor: True)
    monkeypatch.setattr(_tensors.found, "__defaults__", (lambda tensor: True,))
    seen = collections.Counter()
    big = torch.arange(16 << 20, dtype=torch.uint8)  # few copies push the simulated cache out

    def fn(x, *, out):
        assert x[1] == 1 and out["a"].data_ptr() == x.data_ptr() + 4
        seen[x.data_ptr()] += 1
        driver.work(cuda.current)

    result = graphprof.bench(fn, big, kwargs={"out": {"a": big[4:8]}}, stop="time", **BRIEF)
    assert (result.cold, result.cold_method) == (True, "rotation")
    assert result.copies == len(seen) > 1 and result.argument_bytes == 16 << 20
    assert big.data_ptr() in seen and min(seen.values()) > 0


def test_a_result_says_what_was_measured(driver, cuda):
    result = graphprof.bench(lambda: driver.work(cuda.current), name="memset", cold_l2_cache=False, bytes=64, stop="time", **BRIEF)
    assert result.name == "memset" and result.nodes == ("Memset (Device)",) and result.node_count == 1
    assert result.low_ms <= result.median_ms <= result.high_ms and result.bytes_per_s == pytest.approx(64e3 / result.median_ms)
    assert str(result).startswith("memset: ") and "warm L2 cache" in str(result)


def test_candidates_are_compared_in_turns(driver, cuda):
    def twice():
        for _ in range(8):
            driver.work(cuda.current)

    compared = graphprof.bench_compare({"once": lambda: driver.work(cuda.current), "often": twice}, cold_l2_cache=False, stop="time",
                                       **BRIEF)
    assert [result.name for result in compared.results] == ["once", "often"]
    assert compared.ratios[0].ratio == 1 and compared.ratios[1].low <= compared.ratios[1].ratio <= compared.ratios[1].high
    assert compared.ratios[1].ratio > 1 and "of the first" in str(compared)
    with pytest.raises(ValueError, match="there is no candidate"):
        graphprof.bench_compare([])


# What the callable raises passes, and the next one works.
def test_what_the_callable_raises_passes(driver, cuda):
    class Mine(Exception):
        pass

    def raises():
        raise Mine

    def raises_in_capture():
        driver.work(cuda.current)
        if cuda.captures:
            raise Mine

    for fn in (raises, raises_in_capture):
        with pytest.raises(Mine):
            testing.bench_gpu_time_with_cudagraph(fn, cold_l2_cache=False, **BRIEF)
    cuda.captures = 0
    assert testing.bench_gpu_time_with_cudagraph(lambda: driver.work(cuda.current), cold_l2_cache=False, **BRIEF)


def test_failed_capture_keeps_the_stream(driver, cuda):
    """A capture that fails leaves the current stream."""
    before, cuda.refuses = cuda.current, True
    with pytest.raises(RuntimeError, match="the capture has failed"):
        graphprof.bench(lambda: driver.work(cuda.current), cold_l2_cache=False)
    assert cuda.current is before


def test_messages_name_pythons_arguments():
    """Texts of the library name what Python has."""
    assert _bench.in_python("nothing to rotate; give DeviceSpan arguments, or choose cold_l2::flush") == (
        'nothing to rotate; pass tensors as arguments, or choose cold_method="flush"')
    assert _bench.in_python("only bench_stop::time counts replays") == 'only stop="time" counts replays'
    sources = glob.glob(os.path.join(os.path.dirname(__file__), "..", "..", "runtime", "bench", "*.cpp"))
    assert len(sources) > 10
    found = 0
    for source in sources:
        with open(source, encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("#include")]
        for text in re.findall(r'"((?:[^"\\]|\\.|"\s*\n?\s*")*)"', "".join(lines)):  # neighbouring literals are one
            text = re.sub(r'"\s*"', "", text)
            if re.search(r"::|DeviceSpan|cudaStream_t", text):
                found += 1
                assert not re.search(r"::|DeviceSpan|cudaStream_t|= false", _bench.in_python(text)), source
    assert found > 4


def test_bad_input_is_refused(driver, cuda):
    with pytest.raises(TypeError, match="must be callable"):
        graphprof.bench(3)
    with pytest.raises(ValueError, match="stop must be one of time, median, entropy"):
        graphprof.bench(lambda: None, stop="never")
    with pytest.raises(ValueError, match="repeat_iters must be at least 1"):
        graphprof.bench(lambda: None, repeat_iters=0)
    with pytest.raises(graphprof.GraphprofError, match="num_iters_within_graph must be at least 1"):
        graphprof.bench(lambda: driver.work(cuda.current), num_iters_within_graph=0)
    with pytest.raises(graphprof.GraphprofError, match="captured nothing"):
        graphprof.bench(lambda: None, cold_l2_cache=False)


def test_without_a_device_pytorch_is_named():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(graphprof.GraphprofError, match=r"torch.cuda.is_available\(\) is False"):
        graphprof.bench(lambda: None)


# Finding tensors, and copying them

def test_nested_tensors_are_found_once():
    """Tensors are found at any depth each once."""
    Pair = collections.namedtuple("Pair", "a b")

    @dataclasses.dataclass
    class Cache:
        keys: torch.Tensor
        size: int

    one, two, three, four = (torch.zeros(1) for _ in range(4))
    value = (one, [two, {"x": three, "y": (one, "text", None)}], Pair(1, two), Cache(four, 3))
    assert [id(tensor) for tensor in _tensors.found(value, lambda _: True)] == [id(each) for each in (one, two, three, four)]
    assert _tensors.found(value) == []  # none is on a device


# Containers keep their types, and what has no tensor stays itself.
def test_containers_keep_their_types():
    Pair = collections.namedtuple("Pair", "a b")

    @dataclasses.dataclass(frozen=True)
    class Cache:
        keys: torch.Tensor
        size: int

    tensor, untouched = torch.zeros(1), [1, {"a": 2}]
    value = {"pair": Pair(tensor, untouched), "cache": Cache(tensor, 3), "list": [tensor], "same": untouched}
    new = torch.ones(1)
    changed = _tensors.mapped(value, lambda _: new)
    assert changed["pair"] == Pair(new, untouched) and changed["pair"].b is untouched and changed["same"] is untouched
    assert changed["cache"].keys is new and changed["cache"].size == 3 and value["cache"].keys is tensor
    assert changed["list"][0] is new and value["list"][0] is tensor


def test_copies_keep_values_strides_alignment():
    """Copies have the same values strides and alignment."""
    base = torch.arange(64.0)
    tensors = [base[3:], torch.arange(24.0).reshape(4, 6).t(), torch.zeros(2, 3).expand(2, 3), torch.arange(8, dtype=torch.int64),
               torch.tensor(2.5), torch.ones(5, dtype=torch.bool), torch.ones(4, dtype=torch.bfloat16), torch.empty(0, 3)]
    copied = _tensors.copier(tensors, torch)
    for tensor in tensors:
        copy = copied(tensor)
        assert torch.equal(copy, tensor) and copy.stride() == tensor.stride() and copy.dtype == tensor.dtype
        if tensor.numel():
            assert copy.data_ptr() != tensor.data_ptr() and copy.data_ptr() % 256 == tensor.data_ptr() % 256


def test_copies_share_memory_likewise():
    """Tensors that share memory share it in the copy."""
    base = torch.zeros(8)
    copied = _tensors.copier([base, base[2:4]], torch)
    copied(base)[2] = 7
    assert copied(base[2:4]) is not None
    view = base[2:4]
    copied = _tensors.copier([base, view], torch)
    copied(base)[2] = 7
    assert copied(view)[0] == 7 and base[2] == 0


def test_a_broadcast_tensor_is_copied_once():
    broadcast = torch.ones(1).expand(1000)
    assert _tensors.ranges([broadcast])[0][1] - _tensors.ranges([broadcast])[0][0] == 4
    copy = _tensors.copier([broadcast], torch)(broadcast)
    assert copy.stride() == (0,) and copy.sum() == 1000


def test_gradients_stay_required():
    weight = torch.nn.Parameter(torch.ones(3))
    copy = _tensors.copier([weight], torch)(weight)
    assert copy.requires_grad and copy.is_leaf
