# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Which stream a region times. PyTorch is asked if the program has imported it, and never imported."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional


def handle_of(stream: Any) -> int:
    """The CUstream of what a program passes: a number, or a stream of PyTorch, CuPy, Numba, cuda.core, ..."""
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    for name in ("cuda_stream", "ptr", "handle"):
        value = getattr(stream, name, None)
        value = getattr(value, "value", value)  # Numba's is a c_void_p
        if isinstance(value, int):
            return value
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        value = protocol() if callable(protocol) else protocol  # (version, handle)
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], int):
            return value[1]
    raise TypeError(f"stream must be a number, or have cuda_stream, ptr or __cuda_stream__; it is {type(stream).__name__}")


_current: Optional[Callable[[], int]] = None


def _find() -> Optional[Callable[[], int]]:
    """What asks PyTorch for its current stream, without a Stream object where it can. None before it uses CUDA."""
    torch: Any = sys.modules.get("torch")
    cuda: Any = getattr(torch, "cuda", None)
    try:
        if cuda is None or not cuda.is_initialized():
            return None
        raw: Any = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        device: Any = getattr(torch._C, "_cuda_getDevice", None)
        if raw is not None and device is not None:
            return lambda: raw(device())  # type: ignore[no-any-return]
        return lambda: int(cuda.current_stream().cuda_stream)
    except Exception:
        return None


def current() -> int:
    """PyTorch's current stream, or the legacy default stream."""
    global _current
    if _current is None:
        _current = _find()
        if _current is None:
            return 0
    return _current()
