# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Regions. Their begin and end raise nothing: what could not be measured is counted in losses()."""

from __future__ import annotations

import functools
import struct
import sys
import threading
import warnings
import weakref
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar, Union, cast

from . import _streams
from ._library import IN_CAPTURE_OR_STREAM, IN_STREAM, Value, capi, check, text

Function = TypeVar("Function", bound=Callable[..., Any])
Site = Tuple[str, str, int, str]
Info = Tuple[int, int, Optional[int], Any, int]  # what graphprof_capi_region_open takes: site, where, stream, values, their number

_sites: Dict[Site, int] = {}
_fits: Dict[Any, int] = {}
_calls: Dict[Any, Tuple[int, Any]] = {}
_MOST = 10_000  # names that are remembered here: the library has the same bound
_ONE = struct.Struct("@iPq")  # a graphprof_capi_value that is a whole number, without a key


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
_running_loop: Optional[Callable[[], Any]] = None


def _lane() -> Optional[_Lane]:
    """The lane of the task that runs on this thread, if any. asyncio is asked if the program has imported it."""
    global _running_loop
    if _running_loop is None:
        _running_loop = getattr(sys.modules.get("asyncio"), "_get_running_loop", None)
        if _running_loop is None:
            return None
    try:
        loop = _running_loop()
        if loop is None:
            return None
        task = sys.modules["asyncio"].current_task(loop)
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


def begin(info: Info) -> Open:
    """Opens a region on the current stream, unless the info says which."""
    try:
        site, where, stream, values, count = info
        lane = _lane()
        if stream is None:
            stream = _streams.current()
        return capi.region_open(site, where, stream, values, count, None if lane is None else lane.handle), lane
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
        capi.region_open(None, 0, None, None, 0, None)  # counts an incomplete region
    except Exception:
        pass


def info_of(site: int, values: Any = None, count: int = 0, stream: Any = None) -> Info:
    if stream is None:
        return site, IN_CAPTURE_OR_STREAM, None, values, count
    return site, IN_STREAM, _streams.handle_of(stream), values, count


def _quantity(key: str, given: Any) -> Optional[Value]:
    if not given:
        return None
    try:
        number = float(given)
    except (TypeError, ValueError):
        raise TypeError(f"a region's {key} must be a number, such as {key}=2 * m * n * k; it is {given!r}") from None
    if not number > 0:
        return None
    return value_of(int(number) if number.is_integer() and number < 9e18 else number, key)


# What would become a value of that key: each parameter without a letter, or with two swapped.
_MISSPELT = {word: own for own in ("stream", "flops", "bytes") for i in range(len(own))
             for word in (own[:i] + own[i + 1:], own[:i] + own[i + 1:i + 2] + own[i] + own[i + 2:]) if word != own}


def _check_keys(keyed: Dict[str, Any]) -> None:
    for key in keyed:
        own = _MISSPELT.get(key)
        if own:
            warnings.warn(f"{key!r} is carried along as a value of the region; did you mean {own}?", stacklevel=3)


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

    __slots__ = ("_info", "_open")

    def __init__(self, name: str, *values: Any, stream: Any = None, flops: float = 0, bytes: float = 0, **keyed: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"a region's name must be a str; it is {type(name).__name__}")
        frame = sys._getframe(1)
        code = frame.f_code
        # Of each thread or task: one object may be open several times.
        self._open: Dict[Union[int, _Lane], List[Open]] = {}
        # A place that was here before, with no value or a whole number: as little as can be, because it is in captures.
        if not keyed and not flops and not bytes and (not values or len(values) == 1 and type(values[0]) is int):
            call = (name, len(values), id(code), frame.f_lasti)
            known = _calls.get(call)
            if known is None:
                array: Any = (Value * len(values))(*[value_of(value) for value in values])
                site = _checked_site(name, list(array), len(values), array, (code.co_filename, frame.f_lineno, code.co_name))
                known = site, code  # which keeps the code's id
                if len(_calls) < _MOST:
                    _calls[call] = known
            try:
                self._info = info_of(known[0], _ONE.pack(0, 0, values[0]) if values else None, len(values), stream)
                return
            except struct.error:  # a number of more than 64 bits
                pass
        _check_keys(keyed)
        all_values = [value_of(value) for value in values]
        all_values += [value_of(value, key) for key, value in keyed.items()]
        all_values += [value for value in (_quantity("flops", flops), _quantity("bytes", bytes)) if value is not None]
        count = len(all_values)
        array = (Value * count)(*all_values)
        site = _checked_site(name, all_values, count, array, (code.co_filename, frame.f_lineno, code.co_name))
        self._info = info_of(site, array, count, stream)

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
        return cast(Function, functools.wraps(function)(_around(function, self._info)))


def _around(function: Callable[..., Any], info: Info) -> Any:
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
