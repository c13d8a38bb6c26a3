# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Regions inside of what torch.compile compiles.

The compiler may not call Python of ours: it would have to break its graph. It keeps calls of operators, so a region begins and ends
with one. Each says that it changes a tensor, which it does not: so the compiler runs the begin before all that reads the module's
input afterwards, and the end after what makes the output. Without that it would be free to move kernels over both."""

from __future__ import annotations

import threading
from typing import Any, List, Optional, Set, Tuple

from ._regions import Open, begin, end, info_of, site_of

MEMBER = "_graphprof_compiled"  # of a module's __dict__: its regions, as text. The compiler takes text as a constant
SEPARATOR = "\x1f"
entered: Set[str] = set()  # the regions that have begun


class _Opened(threading.local):
    def __init__(self) -> None:
        self.stack: List[Tuple[str, Open]] = []


_opened = _Opened()
_library: Any = None  # which owns the operators


def text_of(name: str, file: str, line: int, function: str) -> str:
    """No number of this process: PyTorch keeps what it has compiled on disk, for others."""
    return SEPARATOR.join((name, file, str(line), function))


def _end_from(index: int) -> None:
    while len(_opened.stack) > index:
        end(_opened.stack.pop()[1])


def _open_at(region: str) -> Optional[int]:
    return next((index for index, (each, _) in enumerate(_opened.stack) if each == region), None)


def _begin(_: Any, region: str) -> None:
    left = _open_at(region)
    if left is not None:  # by a call that raised
        _end_from(left)
    name, file, line, function = region.split(SEPARATOR)
    entered.add(region)
    _opened.stack.append((region, begin(info_of(site_of(name, file, int(line), function)))))


def _end(_: Any, region: str) -> None:
    index = _open_at(region)
    if index is not None:
        _end_from(index)


def define(torch: Any) -> None:
    """The operators, once in a process."""
    global _library
    if _library is not None:
        return
    library = torch.library.Library("graphprof", "DEF")
    for name, function in (("region_begin", _begin), ("region_end", _end)):
        library.define(name + "(Tensor(a!) x, str region) -> ()")
        library.impl(name, function, "CompositeExplicitAutograd")
        # What the compiler calls while it traces.
        fake = getattr(torch.library, "register_fake", None) or getattr(torch.library, "impl_abstract", None)
        if fake is not None:
            fake("graphprof::" + name, lambda x, region: None, lib=library)
    _library = library


def _tensor_in(values: Any, torch: Any) -> Any:
    """The first tensor of real numbers: one of indices is often an input of the whole graph, and to change such a tensor would keep
    PyTorch from CUDA graphs."""
    for each in values:
        if isinstance(each, torch.Tensor):
            if each.is_floating_point():
                return each
        elif isinstance(each, (tuple, list)):
            found = _tensor_in(each, torch)
            if found is not None:
                return found
    return None


def run(module: Any, original: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The compiler reads this function. Nothing is timed while gradients are kept: autograd would see the tensors change."""
    regions = getattr(module, MEMBER, ())
    given = None
    if regions and not torch.is_grad_enabled():
        given = _tensor_in(args, torch)
        if given is None:
            given = _tensor_in(tuple(kwargs.values()), torch)
    if given is None:
        return original(module, *args, **kwargs)
    for region in regions:
        torch.ops.graphprof.region_begin(given, region)
    result = original(module, *args, **kwargs)
    made = _tensor_in((result,), torch)
    if made is None:
        made = given
    for region in regions[::-1]:
        torch.ops.graphprof.region_end(made, region)
    return result
