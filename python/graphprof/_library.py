# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""libgraphprof.so, found and declared. The package uses graphprof/capi.h and nothing else of it.

The library is, in this order:

1. the file that GRAPHPROF_LIBRARY names;
2. the one that the process has loaded, or that the preload library of `graphprof run` will load: a
   process has one copy, because each would have regions and outputs of its own;
3. graphprof/lib/libgraphprof.so.0 in this package (a wheel has it);
4. what the dynamic linker finds by the name libgraphprof.so.0.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import re
import sys
import threading
from ctypes import CFUNCTYPE, POINTER, Structure, Union, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Dict, List, Optional, Tuple

SONAME = "libgraphprof.so.0"
NEEDED = 2  # GRAPHPROF_CAPI_VERSION


class GraphprofError(RuntimeError):
    """Something that was asked for did not work. The text says why, and what to do."""


class LibraryError(GraphprofError, ImportError):
    """libgraphprof.so is missing, too old, or there twice."""


# How statuses become exceptions.
OK, BAD_ARGUMENT, UNKNOWN, NO_MEMORY, FAILED, TIMED_OUT, OFF = range(7)


class Losses(Structure):
    _names = ("overrun", "not_queued", "unfinished", "incomplete", "beyond_limit", "not_instantiated", "not_mirrored",
              "not_launched", "invalidated", "regions_outside_graphs_failed", "dropped", "names_truncated", "host_spans", "evicted",
              "not_sampled", "plain_kernels", "inside_kernels")
    _fields_ = [("size", c_size_t)] + [(name, c_uint64) for name in _names]


class Support(Structure):
    _names = ("active", "driver", "interposed", "nvtx", "sqlite")
    _fields_ = [("size", c_size_t)] + [(name, c_int) for name in _names]


class _Bits(Union):
    _fields_ = [("i", c_int64), ("u", c_uint64), ("d", c_double), ("text", c_char_p)]


class Value(Structure):
    SIGNED, UNSIGNED, REAL, BOOLEAN, TEXT = range(5)
    _fields_ = [("kind", c_int), ("key", c_char_p), ("value", _Bits)]


IN_STREAM, IN_CAPTURE_OR_STREAM, IN_CAPTURE_OR_HOST = range(3)  # graphprof_capi_where


class Schedule(Structure):
    _fields_ = [("size", c_size_t)] + [(name, c_int) for name in ("wait", "warmup", "active", "repeat", "skip_first",
                                                                  "skip_first_wait")]


ACTION = CFUNCTYPE(c_int, c_void_p, c_int64)
READY = CFUNCTYPE(None, c_void_p, c_void_p)


class ProfileOptions(Structure):
    _fields_ = [("size", c_size_t), ("activities", ctypes.c_uint), ("schedule", POINTER(Schedule)), ("action", ACTION),
                ("on_trace_ready", READY), ("user", c_void_p)] + [
                    (name, c_int) for name in ("profile_memory", "acc_events", "execution_trace", "record_shapes", "with_stack",
                                               "with_flops", "with_modules")]


class TraceInfo(Structure):
    _fields_ = [("size", c_size_t), ("cycle", c_uint64), ("first_step", c_int64), ("last_step", c_int64), ("dropped", c_uint64),
                ("event_count", c_size_t), ("host_event_count", c_size_t), ("trace_id", c_char_p)]


class Event(Structure):
    _fields_ = [("size", c_size_t), ("name", c_void_p), ("name_length", c_size_t), ("file", c_char_p)] + [
        (name, c_int) for name in ("line", "depth", "kind", "clock", "cold", "device")] + [
            (name, c_int64) for name in ("launch_ns", "begin_ns", "duration_ns")] + [
                (name, c_uint64) for name in ("stream", "graph", "exec", "replay")] + [
                    ("step", c_int64), ("iteration", c_int64), ("cuda_graph", c_uint32), ("cuda_exec", c_uint32),
                    ("cuda_node", c_int64), ("busy_ns", c_int64), ("gap_ns", c_int64),
                    ("busy_replays", c_uint32), ("gap_cause", c_int), ("ends", c_int),
                    ("graph_name", c_void_p), ("graph_name_length", c_size_t)]


class HostEvent(Structure):
    _fields_ = [("size", c_size_t), ("name", c_void_p), ("name_length", c_size_t), ("kind", c_int), ("captured", c_int),
                ("thread", c_uint64), ("begin_ns", c_int64), ("end_ns", c_int64), ("step", c_int64)] + [
                    (name, c_uint64) for name in ("graph", "exec", "replay", "bytes")]


class Average(Structure):
    _fields_ = [("size", c_size_t), ("key", c_char_p), ("input_shapes", c_char_p), ("stack", c_char_p), ("count", c_int64)] + [
        (name, c_int) for name in ("top_level", "cold", "rounded")] + [
            (name, c_double) for name in ("cpu_time_total", "self_cpu_time_total", "device_time_total", "self_device_time_total",
                                          "cpu_time", "device_time")] + [
                (name, c_int64) for name in ("cpu_memory_usage", "self_cpu_memory_usage", "device_memory_usage",
                                             "self_device_memory_usage")] + [
                    (name, c_double) for name in ("flops", "bytes", "min", "median", "p95", "p99", "max", "replay_percent",
                                                  "flops_per_s", "bytes_per_s", "roofline_percent", "busy_time", "gap_time")] + [
                                                      ("busy_replays", c_int64), ("device_time_is_busy", c_int),
                                                      ("self_device_percent", c_double)]


class TableOptions(Structure):
    _fields_ = [("size", c_size_t), ("sort_by", c_char_p), ("row_limit", c_int), ("max_src_column_width", c_int),
                ("max_name_column_width", c_int), ("max_shapes_column_width", c_int), ("header", c_char_p),
                ("time_unit", c_char_p), ("top_level_events_only", c_int), ("statistics", c_int)]


class Range(Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_size_t)]


CALL = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)
MAKE_COPIES = CFUNCTYPE(c_int, c_void_p, c_int)
ISSUE = CFUNCTYPE(c_int, c_void_p)
CAPTURE = CFUNCTYPE(c_int, c_void_p, c_void_p, ISSUE, c_void_p, POINTER(c_void_p))


class Candidate(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("user", c_void_p), ("call", CALL), ("graph", c_void_p),
                ("ranges", POINTER(Range)), ("range_count", c_size_t), ("make_copies", MAKE_COPIES), ("capture", CAPTURE)]


class BenchOptions(Structure):
    _fields_ = [("size", c_size_t)] + [(name, c_int) for name in (
        "dry_run_iters", "repeat_iters", "dry_run_time_ms", "repeat_time_ms", "num_iters_within_graph", "sleep_after_run",
        "cold_l2_cache", "cold_method", "stop")] + [
            ("relative_precision", c_double), ("max_time_ms", c_int), ("min_sm_clock", c_double), ("bytes", c_uint64),
            ("flops", c_double), ("timer", c_int), ("per_run", c_int), ("stream", c_void_p)]


class BenchResult(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("device", c_char_p), ("throttle", c_char_p),
                ("times_ms", POINTER(c_double)), ("time_count", c_size_t), ("discarded", c_size_t)] + [
                    (name, c_double) for name in ("median_ms", "low_ms", "high_ms", "mean_ms", "stddev_ms", "min_ms", "max_ms",
                                                  "p5_ms", "p25_ms", "p75_ms", "p95_ms", "p99_ms")] + [
                        (name, c_int) for name in ("converged", "cold", "cold_method", "timer")] + [
                            ("bytes_per_s", c_double), ("flops_per_s", c_double)] + [
                                (name, c_size_t) for name in ("l2_bytes", "argument_bytes", "reuse_bytes", "memory_bytes",
                                                              "node_count")] + [
                                    (name, c_int) for name in ("copies", "graphs", "iterations_within_graph", "dry_runs")] + [
                                        ("peak_sm_clock_mhz", c_double), ("warnings", POINTER(c_char_p)),
                                        ("warning_count", c_size_t), ("nodes", POINTER(c_char_p)), ("work_count", c_size_t),
                                        ("ratio", c_double), ("ratio_low", c_double), ("ratio_high", c_double),
                                        ("verdict", c_int)]


def sized(kind: Callable[[], Any]) -> Any:
    """A struct whose `size` is set."""
    made = kind()
    made.size = ctypes.sizeof(made)
    return made


_FUNCTIONS: List[Tuple[str, Any, List[Any]]] = [
    ("version", c_int, []),
    ("error", c_char_p, [c_int]),
    ("last_error", c_char_p, []),
    ("free", None, [c_void_p]),
    ("start", None, []),
    ("stop", None, []),
    ("active", c_int, []),
    ("recording", c_int, []),
    ("flush", c_int, [c_int64]),
    ("set_recording_terms", c_int, [c_double, c_uint64, ctypes.c_uint]),
    ("get_losses", c_int, [POINTER(Losses)]),
    ("get_support", c_int, [POINTER(Support)]),
    ("add_output", c_int, [c_char_p]),
    ("output_items", c_int, [POINTER(c_void_p)]),
    ("no_default_table", None, []),
    ("say", None, [c_char_p]),
    ("keep_messages", None, [c_void_p, c_void_p, c_void_p]),
    ("take_message", c_int, [POINTER(c_void_p)]),
    ("site_of", c_void_p, [c_char_p, c_char_p, c_int, c_char_p]),
    ("check_format", c_int, [c_char_p, POINTER(Value), c_size_t]),
    ("region_begin", c_void_p, [c_void_p]),
    ("region_open", c_void_p, [c_void_p, c_int, c_void_p, c_void_p, c_size_t, c_void_p]),
    ("region_end", None, [c_void_p]),
    ("region_discard", None, [c_void_p]),
    ("graph_name_begin", c_void_p, [c_char_p, POINTER(Value), c_size_t]),
    ("graph_name_end", None, [c_void_p]),
    ("lane_create", c_void_p, []),
    ("lane_release", None, [c_void_p]),
    ("step", None, []),
    ("current_step", c_int64, []),
    ("mark", None, [c_char_p]),
    ("check_schedule", c_int, [POINTER(Schedule)]),
    ("action", c_int, [POINTER(Schedule), c_int64]),
    ("profile_create", c_int, [POINTER(ProfileOptions), POINTER(c_void_p)]),
    ("profile_destroy", None, [c_void_p]),
    ("profile_start", c_int, [c_void_p]),
    ("profile_step", c_int, [c_void_p]),
    ("profile_stop", c_int, [c_void_p, c_int64]),
    ("profile_flush", c_int, [c_void_p, c_int64]),
    ("profile_toggle", c_int, [c_void_p, c_int, ctypes.c_uint]),
    ("profile_metadata", c_int, [c_void_p, c_char_p, c_char_p, c_int, c_int]),
    ("profile_step_num", c_int64, [c_void_p]),
    ("profile_trace_id", c_int, [c_void_p, POINTER(c_void_p)]),
    ("profile_trace", c_int, [c_void_p, POINTER(c_void_p)]),
    ("trace_release", None, [c_void_p]),
    ("trace_get", c_int, [c_void_p, POINTER(TraceInfo)]),
    ("trace_event", c_int, [c_void_p, c_size_t, POINTER(Event)]),
    ("trace_host_event", c_int, [c_void_p, c_size_t, POINTER(HostEvent)]),
    ("trace_export", c_int, [c_void_p, c_char_p, c_char_p, c_char_p]),
    ("trace_averages", c_int, [c_void_p, c_int, c_int, POINTER(c_void_p)]),
    ("averages_release", None, [c_void_p]),
    ("averages_size", c_size_t, [c_void_p]),
    ("averages_row", c_int, [c_void_p, c_size_t, POINTER(Average)]),
    ("averages_table", c_int, [c_void_p, POINTER(TableOptions), POINTER(c_void_p)]),
    ("bench_defaults", c_int, [POINTER(BenchOptions)]),
    ("bench_run", c_int, [POINTER(Candidate), c_size_t, POINTER(BenchOptions), POINTER(c_void_p)]),
    ("bench_release", None, [c_void_p]),
    ("bench_get", c_int, [c_void_p, c_size_t, POINTER(BenchResult)]),
]


def _mapped(pattern: str) -> List[str]:
    """The files whose names match that this process has mapped; of links to one file only the first."""
    found: Dict[Tuple[str, str], str] = {}
    try:
        with open("/proc/self/maps", "rb") as maps:
            for line in maps:
                if b"libgraphprof" not in line:
                    continue
                fields = line.decode(errors="surrogateescape").rstrip("\n").split(None, 5)
                path = fields[5] if len(fields) > 5 else ""
                if re.fullmatch(pattern, os.path.basename(path)):
                    found.setdefault((fields[3], fields[4]), path)
    except OSError:
        pass
    return list(found.values())


def _loaded() -> List[str]:
    return _mapped(r"libgraphprof\.so[.\d]*")


def _candidates() -> List[str]:
    """Paths or names for the dynamic linker, in the order of the module's text."""
    named = os.environ.get("GRAPHPROF_LIBRARY")
    if named:
        return [named]
    loaded = _loaded()
    if loaded:
        return loaded[:1]
    preload = _mapped(r"libgraphprof_preload\.so[.\d]*")
    if preload:
        return [os.path.join(os.path.dirname(preload[0]), SONAME)]
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", SONAME)
    return [inside, SONAME] if os.path.exists(inside) else [SONAME]


def _load() -> Tuple[Any, str]:
    if not sys.platform.startswith("linux"):
        raise LibraryError(f"graphprof needs Linux, and this is {sys.platform}")
    why = ""
    for name in _candidates():
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            why = str(error)
            continue
        loaded = _loaded()
        if len(loaded) > 1:
            raise LibraryError(
                "two copies of libgraphprof.so are in this process, and each would have regions and outputs of its own: "
                + " and ".join(loaded) + ". Set GRAPHPROF_LIBRARY to the one that the program is linked with, or leave it unset "
                "under `graphprof run`, and install both of one release")
        return library, loaded[0] if loaded else name
    raise LibraryError(
        f"libgraphprof.so cannot be loaded: {why}. Reinstall the package (pip install --force-reinstall graphprof), or set "
        "GRAPHPROF_LIBRARY to the library's path")


def _declare(functions: "_Functions", library: Any, path: str) -> None:
    """Gives the object graphprof_capi_X as X."""
    found = 0
    try:
        found = library.graphprof_capi_version()
    except AttributeError:
        pass
    missing = [name for name, _, _ in _FUNCTIONS if not hasattr(library, "graphprof_capi_" + name)]
    if found < NEEDED or missing:
        version = _version(library)
        raise LibraryError(
            f"{path} is version {version}, and older than this package"
            + (f": it lacks graphprof_capi_{missing[0]}" if missing else "")
            + ". Install both of one release (pip install --upgrade graphprof), or set GRAPHPROF_LIBRARY to a newer library")

    for name, result, arguments in _FUNCTIONS:
        function = getattr(library, "graphprof_capi_" + name)
        function.restype, function.argtypes = result, arguments
        setattr(functions, name, function)


def _version(library: Any) -> str:
    try:
        number = library.graphprof_version()
    except AttributeError:
        return "unknown"
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


class _Functions:
    """graphprof_capi_X as X. The library is loaded when the first is asked for, not when the package is imported: what only looks at
    the package (`--version`, a plug-in that nobody asks for) works without."""

    def __getattr__(self, name: str) -> Any:  # only asked for what is not there yet
        if name.startswith("_"):
            raise AttributeError(name)
        loaded()
        return self.__dict__[name]


capi: Any = _Functions()
_lock = threading.Lock()
_loaded_as: Optional[Tuple[str, str]] = None


def loaded() -> Tuple[str, str]:
    """The library's path and version. LibraryError if there is none."""
    global _loaded_as
    with _lock:
        if _loaded_as is None:
            library, path = _load()
            _declare(capi, library, path)
            _loaded_as = path, _version(library)
            _show_messages()
    return _loaded_as


_TAKE = CFUNCTYPE(c_int, c_void_p)


def _take_messages(_: Any) -> int:
    try:
        text = c_void_p()
        while capi.take_message(byref(text)) == OK and text.value:
            line = taken(text) + "\n"
            try:
                sys.stderr.write(line)
                sys.stderr.flush()
            except Exception:  # none, or closed
                os.write(2, line.encode("utf-8", "replace"))
    except Exception:  # nowhere to write to
        pass
    return 0


_take = _TAKE(_take_messages)


def _show_messages() -> None:
    """The library's messages go to sys.stderr, which pytest and notebooks replace: the interpreter is asked to fetch them soon. They
    come from any thread and under the library's locks, so none of them waits for the interpreter's."""
    try:
        wake = ctypes.cast(ctypes.pythonapi.Py_AddPendingCall, c_void_p)
    except AttributeError:  # another Python than CPython: the library's stderr
        return
    capi.keep_messages(wake, ctypes.cast(_take, c_void_p), None)
    atexit.register(_leave_messages)


def _leave_messages() -> None:
    _take_messages(None)
    capi.keep_messages(None, None, None)  # from here on there may be no interpreter


def text(of: Optional[str]) -> Optional[bytes]:
    """For a `char *`. A text cannot hold a NUL."""
    return None if of is None else of.replace("\0", " ").encode("utf-8", "surrogateescape")


def string(of: Optional[bytes]) -> str:
    return (of or b"").decode("utf-8", "replace")


def check(status: int, what: str = "", words: Callable[[str], str] = str) -> None:
    """Raises an exception for a status that is not 0, with what `words` makes of the library's text."""
    if status == OK:
        return
    said = string(capi.last_error()) or string(capi.error(status))
    if said.startswith("graphprof: "):
        said = said[len("graphprof: "):]
    said = words(f"{what}: {said}" if what else said)
    if status in (BAD_ARGUMENT, UNKNOWN):
        raise ValueError(said)
    if status == NO_MEMORY:
        raise MemoryError(said)
    if status == TIMED_OUT:
        raise TimeoutError(said)
    raise GraphprofError(said)


def taken(pointer: c_void_p) -> str:
    """The text that a function gave, which is freed."""
    try:
        return string(ctypes.string_at(pointer.value)) if pointer.value else ""
    finally:
        capi.free(pointer)


def say(message: str) -> None:
    """A message on sys.stderr, once for each text."""
    capi.say(text(message))


__all__ = ["GraphprofError", "LibraryError", "byref", "capi", "check", "loaded", "say", "sized", "string", "taken", "text"]
