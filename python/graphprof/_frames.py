# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""pandas, where the program has it."""

from __future__ import annotations

from typing import Any, Iterable, Sequence

from ._library import GraphprofError


def data_frame(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> Any:
    try:
        import pandas  # type: ignore[import]
    except ImportError:
        raise GraphprofError("a data frame needs pandas; install it (pip install pandas), or use the rows themselves") from None
    return pandas.DataFrame(list(rows), columns=list(columns))
