# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""What graphs serve: a name and values in place of a graph's number."""

from __future__ import annotations

import functools
import threading
import warnings
from typing import Any, Callable, Dict, List, TypeVar, cast

from ._library import LibraryError, Value, capi, check, text
from ._regions import value_of

Function = TypeVar("Function", bound=Callable[..., Any])


class graph:
    """Names the graphs that are captured or launched in a `with` block, or in each call of a decorated function.

        for batch in (1, 2, 4, 8):
            with graphprof.graph("decode", batch=batch), torch.cuda.graph(graphs[batch]):
                decode(batch)

    Outputs call such a graph `decode batch=8`, and `graphprof report --group-by graph` has a row for each
    name. The thread that captures must be the one that enters the block. A graph that is built node by
    node gets the name where it is created; one without a name, where it is instantiated. Around a launch,
    it is that launch's name, whatever the graph's is.

    `name` is a format with a `{}` for each value; values with a key are shown behind it. ValueError if
    they do not fit. Give few different names: a batch size, not a request's number. Where the library
    cannot be loaded nothing is recorded, so nothing is named: that is a warning.
    """

    __slots__ = ("_name", "_values", "_open")

    def __init__(self, name: str, *values: Any, **keyed: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"a graph's name must be a str; it is {type(name).__name__}")
        all_values = [value_of(value) for value in values] + [value_of(value, key) for key, value in keyed.items()]
        self._name = text(name)
        self._values: Any = (Value * len(all_values))(*all_values)
        self._open: Dict[int, List[Any]] = {}  # of each thread: one object may be open several times
        try:
            check(capi.check_format(self._name, self._values, len(all_values)), "graph")
        except LibraryError as failure:
            warnings.warn(f"graphs get no names: {failure}", stacklevel=2)
            self._name = None

    def _begin(self) -> Any:
        return None if self._name is None else capi.graph_name_begin(self._name, self._values, len(self._values))

    def __enter__(self) -> "graph":
        self._open.setdefault(threading.get_ident(), []).append(self._begin())
        return self

    def __exit__(self, *_: Any) -> None:
        stack = self._open.get(threading.get_ident())
        if not stack:
            return
        opened = stack.pop()
        if not stack:
            self._open.pop(threading.get_ident(), None)
        if opened:
            capi.graph_name_end(opened)

    def __call__(self, function: Function) -> Function:
        @functools.wraps(function)
        def named(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return cast(Function, named)
