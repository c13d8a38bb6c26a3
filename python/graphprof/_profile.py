# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""torch.profiler's profile: which steps are recorded, and what each trace shows. Names and meaning are PyTorch's;
docs/torch-profiler.md sets them side by side."""

from __future__ import annotations

import atexit
import ctypes
import enum
import os
import sys
import threading
import time
import weakref
from ctypes import byref, c_void_p
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Set, Tuple, Union

from . import _library
from ._frames import data_frame
from ._library import OK, TIMED_OUT, capi, check, sized, string, taken, text


class ProfilerActivity(enum.IntFlag):
    CPU = 1
    CUDA = 2


class ProfilerAction(enum.IntEnum):
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class Schedule:
    """Maps the number of a step to its action. Made by schedule()."""

    def __init__(self, arguments: _library.Schedule) -> None:
        self._arguments = arguments

    def __call__(self, step: int) -> ProfilerAction:
        return ProfilerAction(capi.action(byref(self._arguments), step))


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0) -> Schedule:
    """Skips `skip_first` steps; then, in cycles, waits for `wait` steps, warms up for `warmup` and records `active`, of which
    the last saves. It ends after `repeat` cycles; 0 means never. ValueError if `active` is below 1 or another one below 0."""
    arguments = sized(_library.Schedule)
    arguments.wait, arguments.warmup, arguments.active = wait, warmup, active
    arguments.repeat, arguments.skip_first, arguments.skip_first_wait = repeat, skip_first, skip_first_wait
    check(capi.check_schedule(byref(arguments)))
    return Schedule(arguments)


class FunctionEventAvg(NamedTuple):
    """All executions of one name. Times are in microseconds; graphprof/key_averages.h says what each member means."""

    key: str
    input_shapes: str
    stack: Tuple[str, ...]
    count: int  # type: ignore[assignment]  # of tuple, which has one, too
    top_level: bool
    cold: bool
    rounded: bool
    cpu_time_total: float
    self_cpu_time_total: float
    device_time_total: float
    self_device_time_total: float
    cpu_time: float
    device_time: float
    cpu_memory_usage: int
    self_cpu_memory_usage: int
    device_memory_usage: int
    self_device_memory_usage: int
    flops: float
    bytes: float
    min: float
    median: float
    p95: float
    p99: float
    max: float
    replay_percent: float
    flops_per_s: float
    bytes_per_s: float
    roofline_percent: float
    busy_time: float  # negative: not measured, as the next
    gap_time: float
    busy_replays: int
    device_time_is_busy: bool
    self_device_percent: float


class KeyAverages(List[FunctionEventAvg]):
    """Rows, in the order in which their names first came."""

    def __init__(self, handle: c_void_p) -> None:
        super().__init__()
        self._handle = handle
        self._finalizer = weakref.finalize(self, capi.averages_release, handle)
        row = sized(_library.Average)
        for index in range(capi.averages_size(handle)):
            check(capi.averages_row(handle, index, byref(row)))
            members = [getattr(row, name) for name in FunctionEventAvg._fields]
            members[0], members[1] = string(row.key), string(row.input_shapes)
            members[2] = tuple(string(row.stack).splitlines())
            members[4:7] = (bool(member) for member in members[4:7])
            members[-2] = bool(members[-2])
            self.append(FunctionEventAvg(*members))

    def table(self, sort_by: Optional[str] = None, row_limit: int = 100, max_src_column_width: int = 75,
              max_name_column_width: int = 55, max_shapes_column_width: int = 80, header: Optional[str] = None,
              top_level_events_only: bool = False, time_unit: Optional[str] = None, statistics: bool = False) -> str:
        """The table as PyTorch prints it. `statistics` adds quantiles and shares. ValueError for another `sort_by`."""
        options = sized(_library.TableOptions)
        options.sort_by, options.header, options.time_unit = text(sort_by), text(header), text(time_unit)
        options.row_limit = row_limit
        options.max_src_column_width, options.max_name_column_width = max_src_column_width, max_name_column_width
        options.max_shapes_column_width = max_shapes_column_width
        options.top_level_events_only, options.statistics = top_level_events_only, statistics
        found = c_void_p()
        check(capi.averages_table(self._handle, byref(options), byref(found)))
        return taken(found)

    def row(self, key: str) -> FunctionEventAvg:
        """The first row with that name. KeyError if there is none."""
        for each in self:
            if each.key == key:
                return each
        raise KeyError(key)

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame, a row for each name."""
        return data_frame(self, FunctionEventAvg._fields)

    def __str__(self) -> str:
        return self.table()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows on a terminal."""
        printer.text("no region ran" if cycle or not self else self.table())

    def _repr_html_(self) -> str:
        import html

        head = ("Region", "Count", "Total", "Mean", "Min", "Median", "P95", "Max", "% of replay")

        def line(row: FunctionEventAvg) -> str:
            on_device = row.device_time_total > 0
            total = row.device_time_total if on_device else row.cpu_time_total
            times = (total, row.device_time if on_device else row.cpu_time, row.min, row.median, row.p95, row.max)
            share = f"{row.replay_percent:.2f}%" if row.replay_percent >= 0 else "--"
            cells = [str(row.count)] + [f"{time:.3f}us" for time in times] + [share]
            numbers = "".join(f'<td style="text-align:right">{cell}</td>' for cell in cells)
            return f'<tr><td style="text-align:left">{html.escape(row.key)}{" (cold)" if row.cold else ""}</td>{numbers}</tr>'

        heads = "".join(f"<th>{name}</th>" for name in head)
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(map(line, self))}</tbody></table>"


_KINDS = ("region", "kernel", "memcpy", "memset", "host", "graph")
_CLOCKS = ("stamp", "event", "host")
_ENDS = ("completion", "next_begin")
_GAP_CAUSES = (None, "launch", "dependency", "device_full")
_HOST_KINDS = ("region", "launch", "step", "copy", "mark", "range")


class Event(NamedTuple):
    """One execution on the device, or a region with a host time only. Times are in nanoseconds, begins since the Unix epoch."""

    name: str
    file: str
    line: int
    depth: int
    kind: str  # region, kernel, memcpy, memset, host, graph
    clock: str  # stamp, event, host
    cold: bool
    device: int  # -1: the host
    launch_ns: int
    begin_ns: int
    duration_ns: Optional[int]  # None: not measured
    stream: int
    graph: int
    exec: int
    replay: int
    step: int
    iteration: int
    cuda_graph: int  # the driver's ids (CUDA 13.1); 0: it tells none
    cuda_exec: int
    cuda_node: int  # -1: not a node, or it tells none
    busy_ns: Optional[int]  # from its begin to its own end, a median of busy_replays replays; None: not measured, as the next
    gap_ns: Optional[int]  # from its own end to the next begin
    busy_replays: int
    gap_cause: Optional[str]  # launch, dependency, device_full; None: unknown
    ends: str  # what duration_ns ends with: completion, next_begin
    graph_name: Optional[str]  # what its graph serves (graphprof.graph): "decode batch=8"; None: it has no name


class HostEvent(NamedTuple):
    """What a thread did."""

    name: str
    kind: str  # region, launch, step, copy, mark, range
    captured: bool
    thread: int
    begin_ns: int
    end_ns: int
    step: int
    graph: int
    exec: int
    replay: int
    bytes: int


class Events(List[Any]):
    """A list of Event or HostEvent."""

    def __init__(self, kind: Any, of: Iterator[Any]) -> None:
        super().__init__(of)
        self._kind = kind

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame, a row for each."""
        return data_frame(self, self._kind._fields)


def _name_of(found: Any) -> str:
    return string(ctypes.string_at(found.name, found.name_length)) if found.name_length else ""


class Trace:
    """What a profile recorded in one cycle of its schedule. It never changes."""

    def __init__(self, handle: c_void_p) -> None:
        self._handle = handle
        self._finalizer = weakref.finalize(self, capi.trace_release, handle)
        self._info = sized(_library.TraceInfo)
        check(capi.trace_get(handle, byref(self._info)))

    @property
    def cycle(self) -> int:
        """From 1; 0: nothing was recorded."""
        return int(self._info.cycle)

    @property
    def first_step(self) -> int:
        return int(self._info.first_step)

    @property
    def last_step(self) -> int:
        return int(self._info.last_step)

    @property
    def step_num(self) -> int:
        """As PyTorch's profiler has it in on_trace_ready: the step that begins."""
        return self.last_step + 1

    @property
    def dropped(self) -> int:
        """How many events were left out, beyond GRAPHPROF_MAX_RECORDS."""
        return int(self._info.dropped)

    def get_trace_id(self) -> str:
        return string(self._info.trace_id)

    def events(self) -> Events:
        return Events(Event, self._events())

    def _events(self) -> Iterator[Event]:
        found = sized(_library.Event)
        for index in range(self._info.event_count):
            check(capi.trace_event(self._handle, index, byref(found)))
            duration, busy, gap = (ns if ns >= 0 else None for ns in (found.duration_ns, found.busy_ns, found.gap_ns))
            yield Event(_name_of(found), string(found.file), found.line, found.depth, _KINDS[found.kind], _CLOCKS[found.clock],
                        bool(found.cold), found.device, found.launch_ns, found.begin_ns, duration, found.stream, found.graph,
                        found.exec, found.replay, found.step, found.iteration, found.cuda_graph, found.cuda_exec,
                        found.cuda_node, busy, gap, found.busy_replays, _GAP_CAUSES[found.gap_cause], _ENDS[found.ends],
                        string(ctypes.string_at(found.graph_name, found.graph_name_length)) if found.graph_name_length else None)

    def host_events(self) -> Events:
        return Events(HostEvent, self._host_events())

    def _host_events(self) -> Iterator[HostEvent]:
        found = sized(_library.HostEvent)
        for index in range(self._info.host_event_count):
            check(capi.trace_host_event(self._handle, index, byref(found)))
            yield HostEvent(_name_of(found), _HOST_KINDS[found.kind], bool(found.captured), found.thread, found.begin_ns,
                            found.end_ns, found.step, found.graph, found.exec, found.replay, found.bytes)

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> KeyAverages:
        found = c_void_p()
        check(capi.trace_averages(self._handle, group_by_input_shape, group_by_stack_n, byref(found)))
        return KeyAverages(found)

    def _export(self, what: str, path: Union[str, "os.PathLike[str]"], detail: Optional[str] = None) -> None:
        check(capi.trace_export(self._handle, text(what), os.fsencode(path), text(detail)))

    def export_chrome_trace(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a Chrome trace, for https://ui.perfetto.dev. GraphprofError if the file cannot be written."""
        self._export("chrome_trace", path)

    def export_stacks(self, path: Union[str, "os.PathLike[str]"], metric: str = "self_cuda_time_total") -> None:
        self._export("stacks", path, metric)

    def export_memory_timeline(self, path: Union[str, "os.PathLike[str]"], device: Optional[str] = None) -> None:
        self._export("memory_timeline", path, device)

    def export_execution_trace(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._export("execution_trace", path)


_callbacks = threading.local()


# What the interpreter must wait for at its end: callbacks that run, and ends that they began.
_inside: "Set[object]" = set()


def _end(handle: c_void_p, inside: object) -> None:
    try:
        capi.profile_stop(handle, 10_000)
        capi.profile_destroy(handle)
    finally:
        _inside.discard(inside)


# Callbacks come on a thread of the library's, which has no interpreter once this one is going.
_living: "weakref.WeakSet[profile]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for each in list(_living):
        each._close()
    deadline = time.monotonic() + 10
    while _inside and time.monotonic() < deadline:
        time.sleep(0.001)


class profile:
    """Records some steps of a program.

        with graphprof.profile(
            schedule=graphprof.schedule(wait=1, warmup=1, active=2, repeat=1),
            on_trace_ready=lambda trace: trace.export_chrome_trace("trace.json"),
        ) as prof:
            for batch in batches:
                train(batch)
                prof.step()
        print(prof.key_averages().table(sort_by="cuda_time_total"))

    Arguments are torch.profiler.profile's. Unlike there, step() does not wait for the device, and
    on_trace_ready gets the trace, on another thread, when all of it has arrived; stop() waits.
    """

    def __init__(self, *, activities: Any = None, schedule: Optional[Callable[[int], Any]] = None,
                 on_trace_ready: Optional[Callable[[Trace], Any]] = None, record_shapes: bool = False, profile_memory: bool = False,
                 with_stack: bool = False, with_flops: bool = False, with_modules: bool = False, acc_events: bool = False,
                 execution_trace: bool = False) -> None:
        options = sized(_library.ProfileOptions)
        options.activities = _activities(activities)
        self._schedule, self._ready = schedule, on_trace_ready
        if isinstance(schedule, Schedule):
            options.schedule = ctypes.pointer(schedule._arguments)
        elif schedule is not None:
            if not callable(schedule):
                raise TypeError("schedule must be a graphprof.schedule(...), or a function of a step's number")
            self._action = options.action = _library.ACTION(_calling(self, profile._action_of))
        if on_trace_ready is not None:
            if not callable(on_trace_ready):
                raise TypeError("on_trace_ready must be a function of a trace")
            self._on_ready = options.on_trace_ready = _library.READY(_calling(self, profile._trace_ready))
        options.profile_memory, options.acc_events, options.execution_trace = profile_memory, acc_events, execution_trace
        options.record_shapes, options.with_stack = record_shapes, with_stack
        options.with_flops, options.with_modules = with_flops, with_modules
        self._handle: Optional[c_void_p] = None
        self._last: Optional[Trace] = None
        handle = c_void_p()
        check(capi.profile_create(byref(options), byref(handle)))
        self._handle = handle
        _living.add(self)

    def _action_of(self, step: int) -> int:
        assert self._schedule is not None
        action = self._schedule(step)
        return int(getattr(action, "value", action))

    def _trace_ready(self, handle: int) -> None:
        trace = Trace(c_void_p(handle))
        if self._ready is not None:
            self._ready(trace)

    def _of(self) -> c_void_p:
        if self._handle is None:
            raise _library.GraphprofError("this profile is closed: the program is ending; use it before")
        return self._handle

    def _close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is None:
            return
        if getattr(_callbacks, "running", False):  # the last reference went in its own callback, for which the end waits
            inside = object()
            _inside.add(inside)
            try:
                threading.Thread(target=_end, args=(handle, inside)).start()
            except RuntimeError:  # the interpreter is going, and the profile with it
                _inside.discard(inside)
            return
        found = c_void_p()
        capi.profile_stop(handle, 10_000)
        if capi.profile_trace(handle, byref(found)) == OK:
            self._last = Trace(found)
        capi.profile_destroy(handle)

    def __del__(self) -> None:
        try:
            self._close()
        except Exception:  # the interpreter is going
            pass

    def __enter__(self) -> "profile":
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def start(self) -> None:
        check(capi.profile_start(self._of()))

    def step(self) -> None:
        """Ends the step, and begins the next one. Call it at the end of each iteration."""
        check(capi.profile_step(self._of()))

    def stop(self, timeout: float = 10.0) -> bool:
        """Ends recording, and waits for what was launched. Whether all of it has arrived in `timeout` seconds."""
        return _arrived(capi.profile_stop(self._of(), int(timeout * 1000)))

    def flush(self, timeout: float = 10.0) -> bool:
        """Waits until on_trace_ready has got each trace whose cycle has ended."""
        return _arrived(capi.profile_flush(self._of(), int(timeout * 1000)))

    def toggle_collection_dynamic(self, enable: bool, activities: Any) -> None:
        check(capi.profile_toggle(self._of(), enable, _activities(activities)))

    def add_metadata(self, key: str, value: str) -> None:
        check(capi.profile_metadata(self._of(), text(key), text(value), 0, 0))

    def add_metadata_json(self, key: str, value: str) -> None:
        """The same with a JSON value. ValueError if it is none."""
        check(capi.profile_metadata(self._of(), text(key), text(value), 1, 0))

    def preset_metadata_json(self, key: str, value: str) -> None:
        check(capi.profile_metadata(self._of(), text(key), text(value), 1, 1))

    @property
    def step_num(self) -> int:
        return int(capi.profile_step_num(self._of()))

    def get_trace_id(self) -> str:
        found = c_void_p()
        check(capi.profile_trace_id(self._of(), byref(found)))
        return taken(found)

    def trace(self) -> Trace:
        """The newest complete trace: after stop(), the last one."""
        if self._handle is None and self._last is not None:
            return self._last
        found = c_void_p()
        check(capi.profile_trace(self._of(), byref(found)))
        return Trace(found)

    # Of trace()
    def events(self) -> Events:
        return self.trace().events()

    def host_events(self) -> Events:
        return self.trace().host_events()

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> KeyAverages:
        return self.trace().key_averages(group_by_input_shape, group_by_stack_n)

    def export_chrome_trace(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.trace().export_chrome_trace(path)

    def export_stacks(self, path: Union[str, "os.PathLike[str]"], metric: str = "self_cuda_time_total") -> None:
        self.trace().export_stacks(path, metric)

    def export_memory_timeline(self, path: Union[str, "os.PathLike[str]"], device: Optional[str] = None) -> None:
        self.trace().export_memory_timeline(path, device)

    def export_execution_trace(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.trace().export_execution_trace(path)


def _calling(of: profile, method: Callable[[profile, int], Any]) -> Callable[[Any, int], Any]:
    """A callback that does not keep the profile alive, and raises nothing into the library."""
    weak = weakref.ref(of)

    def callback(_: Any, argument: int) -> Any:
        inside = object()
        _inside.add(inside)
        mine = weak()
        _callbacks.running = True
        try:
            if mine is not None:
                return method(mine, argument)
            if method is profile._trace_ready:
                capi.trace_release(argument)  # nobody is left to take it
            return 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
            return 0
        finally:
            del mine
            _callbacks.running = False
            _inside.discard(inside)

    return callback


def _activities(given: Any) -> int:
    """Takes graphprof's, PyTorch's, or their names."""
    if given is None:
        return 0
    bits = 0
    for each in [given] if isinstance(given, (ProfilerActivity, str)) else given:
        name = each if isinstance(each, str) else getattr(each, "name", str(each))
        if name not in ProfilerActivity.__members__:
            raise ValueError(f"a profile records the activities CPU and CUDA, and not {name}; leave it out")
        bits |= ProfilerActivity[name]
    if bits == 0:
        raise ValueError("activities is empty; leave it out for all, or name CPU or CUDA")
    return bits


def _arrived(status: int) -> bool:
    if status not in (OK, TIMED_OUT):
        check(status)
    return status == OK
