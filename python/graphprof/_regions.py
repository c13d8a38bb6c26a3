# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Regions. Their begin and end raise nothing: what could not be measured is counted in losses()."""

from __future__ import annotations

import functools
import sys
import threading
import weakref
from ctypes import addressof, byref, sizeof
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar, Union, cast

from . import _streams
from ._library import RegionInfo, Value, capi, check, text

Function = TypeVar("Function", bound=Callable[..., Any])
Site = Tuple[str, str, int, str]

_sites: Dict[Site, int] = {}
_fits: Dict[Any, int] = {}
_SIZE = sizeof(RegionInfo)
_MOST = 10_000  # names that are remembered here: the library has the same bound


def site_of(name: str, file: str, line: int, function: str) -> int:
    key = (name, file, line, function)
    site = _sites.get(key)
    if site is None:
        site = capi.site_of(text(name), text(file), line, text(function)) or 0
        if len(_sites) < _MOST:
            _sites[key] = site
    return site


def value_of(given: Any, key: Optional[str] = None) -> Value:
    """A context value. A tensor's is not known while a graph is captured, and reading it would wait for the device."""
    if type(given) is int and key is None and -(1 << 63) <= given < 1 << 63:
        return Value(Value.SIGNED, None, (given,))  # the usual one, fast
    value = Value()
    value.key = None if key is None else text(key)
    if isinstance(given, bool):
        value.kind, value.value.i = Value.BOOLEAN, given
    elif isinstance(given, str):
        value.kind, value.value.text = Value.TEXT, text(given)
    elif hasattr(given, "data_ptr"):
        raise TypeError(f"a region's value must be known on the host, and {key or 'it'} is a tensor; pass a number, or its shape")
    elif isinstance(given, float):
        value.kind, value.value.d = Value.REAL, given
    elif hasattr(given, "__index__"):
        number = given.__index__()
        if -(1 << 63) <= number < 1 << 63:
            value.kind, value.value.i = Value.SIGNED, number
        elif 0 <= number < 1 << 64:
            value.kind, value.value.u = Value.UNSIGNED, number
        else:
            value.kind, value.value.text = Value.TEXT, text(str(number))
    elif hasattr(given, "__float__"):
        value.kind, value.value.d = Value.REAL, float(given)
    else:
        value.kind, value.value.text = Value.TEXT, text(str(given))
    return value


def _checked_site(name: str, values: List[Value], count: int, array: Any, place: Tuple[str, int, str]) -> int:
    """The site. Raises ValueError if the format does not fit; this is asked once of each place and types of values."""
    key = (name, place, *[value.kind if value.key is None else -1 for value in values])
    site = _fits.get(key)
    if site is None:
        check(capi.check_format(text(name), array, count), "region")
        site = site_of(name, *place)
        if len(_fits) < _MOST:
            _fits[key] = site
    return site


class _Lane:
    """The regions of one asyncio task."""

    def __init__(self) -> None:
        self.handle = capi.lane_create()

    def __del__(self) -> None:
        try:
            capi.lane_release(self.handle)
        except Exception:  # the interpreter is going
            pass


_lanes: "weakref.WeakKeyDictionary[Any, _Lane]" = weakref.WeakKeyDictionary()


def _lane() -> Optional[_Lane]:
    """The lane of the task that runs on this thread, if any. asyncio is asked if the program has imported it."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    try:
        loop = asyncio._get_running_loop()
        task = None if loop is None else asyncio.current_task(loop)
        if task is None:
            return None
        lane = _lanes.get(task)
        if lane is None:
            lane = _lanes[task] = _Lane()
        return lane
    except Exception:
        return None


Open = Tuple[Any, Optional[_Lane]]
_NOTHING: Open = (None, None)


def begin(info: RegionInfo) -> Open:
    """Opens a region on the current stream, unless the info says which."""
    try:
        lane = _lane()
        if info.where != RegionInfo.IN_STREAM or lane is not None or info.lane:
            mine = RegionInfo.from_buffer_copy(info)  # two threads may open one
            if info.where == RegionInfo.IN_CAPTURE_OR_STREAM:
                mine.stream = _streams.current()
            mine.lane = None if lane is None else lane.handle
            return capi.region_begin(byref(mine)), lane
        return capi.region_begin(byref(info)), None
    except Exception:
        _count()
        return _NOTHING


def end(opened: Open) -> None:
    try:
        if opened[0]:
            capi.region_end(opened[0])
    except Exception:  # the interpreter is going
        pass


def _count() -> None:
    try:
        capi.region_begin(None)  # counts an incomplete region
    except Exception:
        pass


def info_of(site: int, values: Any = None, count: int = 0, stream: Any = None, flops: float = 0, bytes: float = 0) -> RegionInfo:
    where = RegionInfo.IN_CAPTURE_OR_STREAM if stream is None else RegionInfo.IN_STREAM
    handle = None if stream is None else _streams.handle_of(stream)
    return RegionInfo(_SIZE, site, where, handle, addressof(values) if count else None, count, float(flops or 0), float(bytes or 0))


class region:
    """Times what the GPU does in a `with` block, or in each call of a decorated function.

        with graphprof.region("attention {}", layer, batch=8, flops=2 * m * n * k):
            ...

        @graphprof.region("mlp")
        def mlp(x): ...

    In a capture it is timed in every replay of the graph, and covers everything that its thread
    captures meanwhile. Outside of captures it is timed once, in PyTorch's current stream or, without
    PyTorch, in the default stream. `stream` names another: a number, or a stream object of PyTorch,
    CuPy, Numba or cuda.core.

    `name` is a format with a `{}` for each value; values with a key are shown beside it. ValueError
    if they do not fit. `flops` and `bytes` are what one execution computes and moves.
    """

    __slots__ = ("_info", "_values", "_open")

    def __init__(self, name: str, *values: Any, stream: Any = None, flops: float = 0, bytes: float = 0, **keyed: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"a region's name must be a str; it is {type(name).__name__}")
        frame = sys._getframe(1)
        code = frame.f_code
        all_values = [value_of(value) for value in values]
        if keyed:
            all_values += [value_of(value, key) for key, value in keyed.items()]
        count = len(all_values)
        array = self._values = (Value * count)(*all_values)
        site = _checked_site(name, all_values, count, array, (code.co_filename, frame.f_lineno, code.co_name))
        self._info = info_of(site, array, count, stream, flops, bytes)
        # Of each thread or task: one object may be open several times.
        self._open: Dict[Union[int, _Lane], List[Open]] = {}

    def __enter__(self) -> "region":
        opened = begin(self._info)
        self._open.setdefault(opened[1] or threading.get_ident(), []).append(opened)
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            key: Union[int, _Lane] = _lane() or threading.get_ident()
            stack = self._open.get(key)
            if stack is None and len(self._open) == 1:  # a generator that another thread ends
                key, stack = next(iter(self._open.items()))
            if not stack:
                return
            opened = stack.pop()
            if not stack:
                self._open.pop(key, None)
        except Exception:  # the interpreter is going
            return
        end(opened)

    def __call__(self, function: Function) -> Function:
        made = functools.wraps(function)(_around(function, self._info))
        made.__graphprof__ = self._values  # kept: the info points to them
        return cast(Function, made)


def _around(function: Callable[..., Any], info: RegionInfo) -> Any:
    """What runs `function` in a region of its own in each call. It is of the same kind: a coroutine function, a generator, ..."""
    import inspect

    async def coroutine(*args: Any, **kwargs: Any) -> Any:
        opened = begin(info)
        try:
            return await function(*args, **kwargs)
        finally:
            end(opened)

    async def async_generator(*args: Any, **kwargs: Any) -> Any:
        opened = begin(info)
        try:
            async for item in function(*args, **kwargs):
                yield item
        finally:
            end(opened)

    def generator(*args: Any, **kwargs: Any) -> Any:
        opened = begin(info)
        try:
            return (yield from function(*args, **kwargs))
        finally:
            end(opened)

    def plain(*args: Any, **kwargs: Any) -> Any:
        opened = begin(info)
        try:
            return function(*args, **kwargs)
        finally:
            end(opened)

    if inspect.iscoroutinefunction(function):
        return coroutine
    if inspect.isasyncgenfunction(function):
        return async_generator
    return generator if inspect.isgeneratorfunction(function) else plain
