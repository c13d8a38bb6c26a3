# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Benchmarks: calls captured into CUDA graphs by PyTorch, whose allocator has to know of them, replayed and timed by
graphprof's benchmark of C++ (docs/bench.md)."""

from __future__ import annotations

import ctypes
import importlib
import re
from ctypes import byref, c_void_p
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _library, _tensors
from ._library import GraphprofError, capi, check, sized, string, text
from ._streams import handle_of

_METHODS = ("automatic", "rotation", "flush")
_STOPS = ("time", "median", "entropy")
_TIMERS = ("graph", "eager", "stamps")
_VERDICTS = ("undecided", "faster", "slower")


# What the library's texts, which are C++'s, are called here.
_WORDS = (
    (r"let it take a cudaStream_t as its first argument, or set bench_options::stream to the one that its work goes to",
     "let its work go to PyTorch's current stream"),
    (r"give DeviceSpan arguments", "pass tensors as arguments"),
    (r"DeviceSpan gives (it|them) a size", r"pass tensors, which have one"),
    (r"\bcold_l2::(\w+)", r'cold_method="\1"'),
    (r"\bbench_stop::(\w+)", r'stop="\1"'),
    (r"\bbench_timer::(\w+)", r'timer="\1"'),
    (r"\bbench_options::", ""),
    (r"\bcold_l2_cache = false", "cold_l2_cache=False"),
)


def in_python(said: str) -> str:
    """A message of the library's, with the arguments' names of this package."""
    for pattern, here in _WORDS:
        said = re.sub(pattern, here, said)
    return said


class Ratio(NamedTuple):
    """A candidate's time over the first one's, with its 99.5 % confidence interval."""

    ratio: float
    low: float
    high: float
    verdict: str  # undecided, faster or slower


class BenchResult(NamedTuple):
    """What was measured. Times are milliseconds of one call; graphprof/bench_result.h says what each member means."""

    name: str
    device: str
    throttle: str
    times_ms: Tuple[float, ...]
    discarded: int
    median_ms: float
    low_ms: float  # of the median's 95 % confidence interval
    high_ms: float
    mean_ms: float
    stddev_ms: float
    min_ms: float
    max_ms: float
    p5_ms: float
    p25_ms: float
    p75_ms: float
    p95_ms: float
    p99_ms: float
    converged: bool
    cold: bool
    cold_method: str  # automatic (it was not made cold), rotation or flush
    timer: str
    bytes_per_s: float
    flops_per_s: float
    l2_bytes: int
    argument_bytes: int
    reuse_bytes: int
    memory_bytes: int
    node_count: int
    copies: int
    graphs: int
    iterations_within_graph: int
    dry_runs: int
    peak_sm_clock_mhz: float
    warnings: Tuple[str, ...]
    nodes: Tuple[str, ...]

    def __str__(self) -> str:
        cache = f"cold L2 cache by {self.cold_method}" if self.cold else "warm L2 cache"
        lines = [f"{self.name}: {1000 * self.median_ms:.3f} us ({1000 * self.low_ms:.3f} to {1000 * self.high_ms:.3f}), {cache}, "
                 f"{len(self.times_ms)} samples on {self.device}"]
        return "\n".join(lines + [f"  {warning}" for warning in self.warnings])


class Comparison(NamedTuple):
    """The result of each candidate, and its ratio to the first."""

    results: Tuple[BenchResult, ...]
    ratios: Tuple[Ratio, ...]

    def __str__(self) -> str:
        return "\n".join(f"{result}\n  {ratio.ratio:.4f} ({ratio.low:.4f} to {ratio.high:.4f}) of the first: {ratio.verdict}"
                         for result, ratio in zip(self.results, self.ratios))

    def to_dataframe(self) -> Any:
        from ._frames import data_frame

        columns = BenchResult._fields + tuple("ratio_" + name if name != "ratio" else name for name in Ratio._fields)
        return data_frame((result + ratio for result, ratio in zip(self.results, self.ratios)), columns)


def _torch() -> Any:
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:
        raise GraphprofError("a benchmark of a Python function captures it by PyTorch; install torch, or measure C++ by "
                             "graphprof/bench.h") from None
    if not torch.cuda.is_available():
        raise GraphprofError("PyTorch finds no CUDA device here: torch.cuda.is_available() is False")
    return torch


class _Subject:
    """A callable with its arguments, and what the library calls. Keeps copies and graphs until the measurement has ended."""

    def __init__(self, name: str, fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], rotate: bool, torch: Any) -> None:
        if not callable(fn):
            raise TypeError(f"{name} must be callable; it is {type(fn).__name__}")
        self.name, self._fn, self._torch = name, fn, torch
        self._arguments: List[Tuple[Sequence[Any], Mapping[str, Any]]] = [(tuple(args), dict(kwargs))]
        self._tensors = _tensors.found((self._arguments[0])) if rotate else []
        self._graphs: List[Any] = []
        self._pool: Any = None
        self._streams: Dict[int, Any] = {}
        self.failure: Optional[BaseException] = None
        ranges = _tensors.ranges(self._tensors)
        self._ranges = (_library.Range * len(ranges))(*[_library.Range(begin, stop - begin) for begin, stop in ranges])
        # Kept here, because the library keeps the addresses only.
        self._callbacks = (_library.CALL(self._guarded(self._call)), _library.MAKE_COPIES(self._guarded(self._make_copies)),
                           _library.CAPTURE(self._guarded(self._capture)))

    def fill(self, candidate: _library.Candidate) -> None:
        candidate.size, candidate.name = ctypes.sizeof(candidate), text(self.name)
        candidate.call, candidate.make_copies, candidate.capture = self._callbacks
        candidate.ranges, candidate.range_count = self._ranges, len(self._ranges)

    def _guarded(self, function: Callable[..., None]) -> Callable[..., int]:
        """Python's exceptions do not pass through the library: it gets a status, and run() raises them."""

        def guarded(_: Any, *arguments: Any) -> int:
            try:
                function(*arguments)
                return 0
            except BaseException as failure:
                if self.failure is None:
                    self.failure = failure
                return 1

        return guarded

    def _stream(self, handle: Optional[int]) -> Any:
        handle = handle or 0
        if handle not in self._streams:
            self._streams[handle] = self._torch.cuda.ExternalStream(handle)
        return self._streams[handle]

    def _call(self, stream: Optional[int], copy: int) -> None:
        args, kwargs = self._arguments[copy]
        with self._torch.cuda.stream(self._stream(stream)):
            self._fn(*args, **kwargs)

    def _make_copies(self, copies: int) -> None:
        while len(self._arguments) < copies:
            copied = _tensors.copier(self._tensors, self._torch)
            args, kwargs = self._arguments[0]
            self._arguments.append((_tensors.mapped(args, copied), _tensors.mapped(kwargs, copied)))
        self._torch.cuda.synchronize()

    def _capture(self, stream: Optional[int], issue: Any, issue_user: Any, graph_out: Any) -> None:
        cuda = self._torch.cuda
        try:
            graph = cuda.CUDAGraph(keep_graph=True)
        except TypeError:
            raise GraphprofError(f"a benchmark needs torch.cuda.CUDAGraph(keep_graph=True), of PyTorch 2.8 and later, and this is "
                                 f"{self._torch.__version__}") from None
        if self._pool is None:
            self._pool = cuda.graph_pool_handle()
        before = cuda.current_stream()
        try:
            with cuda.graph(graph, pool=self._pool, stream=self._stream(stream), capture_error_mode="thread_local"):
                failed = issue(issue_user)
        finally:  # where a capture fails, torch.cuda.graph leaves its stream current, which is gone soon
            cuda.set_stream(before)
        self._graphs.append(graph)
        if failed:  # the library knows why
            raise GraphprofError("the callable could not be captured")
        graph_out[0] = int(graph.raw_cuda_graph())


def _options(given: Dict[str, Any], per_run: bool) -> _library.BenchOptions:
    options: _library.BenchOptions = sized(_library.BenchOptions)
    check(capi.bench_defaults(byref(options)))
    choices = {"cold_method": _METHODS, "stop": _STOPS, "timer": _TIMERS}
    for name, value in given.items():
        if name in choices:
            if value not in choices[name]:
                raise ValueError(f"{name} must be one of {', '.join(choices[name])}; it is {value!r}")
            value = choices[name].index(value)
        elif name in ("dry_run_iters", "repeat_iters"):
            if value is not None and value < (1 if name == "repeat_iters" else 0):
                raise ValueError(f"{name} must be at least {1 if name == 'repeat_iters' else 0}; it is {value}")
            value = -1 if value is None else value
        elif name == "stream":
            value = None if value is None else handle_of(value)
        setattr(options, name, value)
    options.per_run = per_run
    return options


def run(subjects: List[_Subject], options: _library.BenchOptions) -> Comparison:
    candidates = (_library.Candidate * len(subjects))()
    for subject, candidate in zip(subjects, candidates):
        subject.fill(candidate)
    subjects[0]._torch.cuda.synchronize()  # makes its context current, and ends what was launched before
    found = c_void_p()
    status = capi.bench_run(candidates, len(subjects), byref(options), byref(found))
    for subject in subjects:
        if subject.failure is not None and not (isinstance(subject.failure, GraphprofError) and status != _library.FAILED):
            if found.value:
                capi.bench_release(found)
            raise subject.failure
    check(status, words=in_python)
    try:
        results, ratios = [], []
        for index in range(len(subjects)):
            result, ratio = _result(found, index)
            results.append(result)
            ratios.append(ratio)
        return Comparison(tuple(results), tuple(ratios))
    finally:
        capi.bench_release(found)


def _result(bench: c_void_p, index: int) -> Tuple[BenchResult, Ratio]:
    got = sized(_library.BenchResult)
    check(capi.bench_get(bench, index, byref(got)))
    members: Dict[str, Any] = {name: getattr(got, name) for name, *_ in _library.BenchResult._fields_}
    for name in ("name", "device", "throttle"):
        members[name] = string(members[name])
    members["times_ms"] = tuple(got.times_ms[:got.time_count])
    members["warnings"] = tuple(in_python(string(got.warnings[i])) for i in range(got.warning_count))
    members["nodes"] = tuple(string(got.nodes[i]) for i in range(got.work_count))
    members["converged"], members["cold"] = bool(got.converged), bool(got.cold)
    members["cold_method"], members["timer"] = _METHODS[got.cold_method], _TIMERS[got.timer]
    ratio = Ratio(got.ratio, got.ratio_low, got.ratio_high, _VERDICTS[got.verdict])
    return BenchResult(*(members[name] for name in BenchResult._fields)), ratio


def _name_of(fn: Any) -> str:
    return getattr(fn, "__qualname__", None) or type(fn).__qualname__


def bench(fn: Callable[..., Any], *args: Any, name: Optional[str] = None, kwargs: Optional[Mapping[str, Any]] = None,
          timer: str = "graph", stop: str = "median", cold_l2_cache: bool = True, cold_method: str = "automatic",
          dry_run_iters: Optional[int] = None, repeat_iters: Optional[int] = None, dry_run_time_ms: int = 25,
          repeat_time_ms: int = 100, num_iters_within_graph: int = 10, sleep_after_run: bool = False,
          relative_precision: float = 0.005, max_time_ms: int = 5000, min_sm_clock: float = 0.75, bytes: int = 0,
          flops: float = 0) -> BenchResult:
    """Times fn(*args, **kwargs) in replays of a graph, with a cold L2 cache.

        result = graphprof.bench(torch.matmul, a, b)
        print(result)               # torch.matmul: 12.345 us (12.340 to 12.351), ...

    Tensors in the arguments are rotated through copies, so that each call finds a cold cache; a function
    without any has the cache flushed before each call. It stops when the median is known to
    `relative_precision`. GraphprofError, or what `fn` raises.
    """
    options = _options({"timer": timer, "stop": stop, "cold_l2_cache": cold_l2_cache, "cold_method": cold_method,
                        "dry_run_iters": dry_run_iters, "repeat_iters": repeat_iters, "dry_run_time_ms": dry_run_time_ms,
                        "repeat_time_ms": repeat_time_ms, "num_iters_within_graph": num_iters_within_graph,
                        "sleep_after_run": sleep_after_run, "relative_precision": relative_precision, "max_time_ms": max_time_ms,
                        "min_sm_clock": min_sm_clock, "bytes": bytes, "flops": flops}, per_run=False)
    subject = _Subject(name or _name_of(fn), fn, args, kwargs or {}, cold_l2_cache, _torch())
    return run([subject], options).results[0]


Candidates = Union[Mapping[str, Callable[..., Any]], Sequence[Callable[..., Any]]]


def bench_compare(candidates: Candidates, *args: Any, kwargs: Optional[Mapping[str, Any]] = None, stop: str = "median",
                  cold_l2_cache: bool = True, cold_method: str = "automatic", dry_run_iters: Optional[int] = None,
                  repeat_iters: Optional[int] = None, dry_run_time_ms: int = 25, repeat_time_ms: int = 100,
                  num_iters_within_graph: int = 10, relative_precision: float = 0.005, max_time_ms: int = 5000,
                  min_sm_clock: float = 0.75) -> Comparison:
    """Measures several functions of the same arguments in turns, so that drifting clocks cancel out.

        print(graphprof.bench_compare({"eager": f, "fused": g}, x))
    """
    named = dict(candidates) if isinstance(candidates, Mapping) else {}
    if not named:
        if isinstance(candidates, Mapping) or not len(candidates):
            raise ValueError("bench_compare: there is no candidate; pass at least one")
        named = {f"{_name_of(fn)}#{i}" if sum(_name_of(fn) == _name_of(each) for each in candidates) > 1 else _name_of(fn): fn
                 for i, fn in enumerate(candidates)}
    options = _options({"stop": stop, "cold_l2_cache": cold_l2_cache, "cold_method": cold_method, "dry_run_iters": dry_run_iters,
                        "repeat_iters": repeat_iters, "dry_run_time_ms": dry_run_time_ms, "repeat_time_ms": repeat_time_ms,
                        "num_iters_within_graph": num_iters_within_graph, "relative_precision": relative_precision,
                        "max_time_ms": max_time_ms, "min_sm_clock": min_sm_clock}, per_run=False)
    torch = _torch()
    return run([_Subject(name, fn, args, kwargs or {}, cold_l2_cache, torch) for name, fn in named.items()], options)
