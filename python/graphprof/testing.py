# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""flashinfer.testing's benchmark of a CUDA graph, with its signature, over graphprof's."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _bench
from ._library import say


def bench_gpu_time_with_cudagraph(
    fn: Callable[..., Any],
    dry_run_iters: Optional[int] = None,
    repeat_iters: Optional[int] = None,
    dry_run_time_ms: int = 25,
    repeat_time_ms: int = 100,
    num_iters_within_graph: int = 10,
    l2_flush: Optional[bool] = None,
    l2_flush_size_mb: Optional[int] = None,
    l2_flush_device: Optional[str] = None,
    sleep_after_run: bool = False,
    input_args: Tuple[Any, ...] = (),
    input_kwargs: Optional[Dict[str, Any]] = None,
    cold_l2_cache: bool = True,
) -> List[float]:
    """Times fn(*input_args, **input_kwargs) in replays of a graph of `num_iters_within_graph` calls. Returns milliseconds of
    one call, one for each replay.

    As flashinfer's, with what docs/bench.md lists: all copies of the arguments are used, however few calls a graph has; and a
    function without tensors in its arguments has the cache flushed before each call, which is not part of the time."""
    if l2_flush is not None:
        say("bench_gpu_time_with_cudagraph: l2_flush is deprecated; use cold_l2_cache")
        cold_l2_cache = bool(l2_flush)
    if l2_flush_size_mb is not None or l2_flush_device is not None:
        say("bench_gpu_time_with_cudagraph: l2_flush_size_mb and l2_flush_device are deprecated and have no effect; remove them")
    options = _bench._options({"dry_run_iters": dry_run_iters, "repeat_iters": repeat_iters, "dry_run_time_ms": dry_run_time_ms,
                        "repeat_time_ms": repeat_time_ms, "num_iters_within_graph": num_iters_within_graph,
                        "sleep_after_run": sleep_after_run, "cold_l2_cache": cold_l2_cache}, per_run=True)
    subject = _bench._Subject("bench_gpu_time_with_cudagraph", fn, tuple(input_args), input_kwargs or {}, cold_l2_cache, _bench._torch())
    result = _bench.run([subject], options).results[0]
    for warning in result.warnings:
        say(f"bench_gpu_time_with_cudagraph: {warning}")
    if result.discarded:
        say(f"bench_gpu_time_with_cudagraph: {result.discarded} of {result.discarded + len(result.times_ms)} samples ran at a low SM "
            "clock and were discarded; let the GPU cool down")
    return list(result.times_ms)


__all__ = ["bench_gpu_time_with_cudagraph"]
