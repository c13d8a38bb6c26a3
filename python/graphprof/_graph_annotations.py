# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Names that a program gives the kernels of its graphs by torch.cuda.graph_annotations (PyTorch 2.14 and later) become regions."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator, Optional

from ._regions import begin, end, info_of, site_of

_following = False


def name_of(annotation: Any) -> Optional[str]:
    """What mark_kernels() was given: a text, or a dict with a name."""
    if isinstance(annotation, str):
        return annotation
    name = annotation.get("name") if isinstance(annotation, dict) else None
    return name if isinstance(name, str) else None


def following(mark_kernels: Callable[..., Any]) -> Callable[..., Any]:
    """`mark_kernels` with a region around what it marks."""

    @contextlib.contextmanager
    def marked(annotation: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        name = name_of(annotation)
        opened = (None, None)
        if name:
            escaped = name.replace("{", "{{").replace("}", "}}")
            opened = begin(info_of(site_of(escaped, "", 0, "mark_kernels")))  # type: ignore[assignment]
        try:
            with mark_kernels(annotation, *args, **kwargs) as given:
                yield given
        finally:
            end(opened)

    return marked


def follow() -> bool:
    """Follows the program's PyTorch, if it has such annotations. Whether it does."""
    global _following
    modules = [sys.modules.get(name) for name in ("torch.cuda._graph_annotations", "torch.cuda.graph_annotations")]
    found = [module for module in modules if getattr(module, "mark_kernels", None) is not None]
    if not found or _following:
        return _following
    original = found[0].mark_kernels  # type: ignore[union-attr]
    made = following(original)
    made.__module__ = getattr(original, "__module__", made.__module__)
    made.__name__, made.__doc__ = "mark_kernels", original.__doc__
    for module in list(sys.modules.values()):
        if getattr(module, "__dict__", {}).get("mark_kernels") is original:  # who imported it by name
            module.mark_kernels = made  # type: ignore[attr-defined]
    _following = True
    return True
