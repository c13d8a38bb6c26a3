# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Regions in a CUDA graph without PyTorch: the driver API over ctypes. Runs on a GPU, and on graphprof's simulated driver:

    python3 -m graphprof examples/python/regions.py
    graphprof sim run -- python3 examples/python/regions.py
"""

import ctypes
import sys
from ctypes import byref, c_size_t, c_ulonglong, c_void_p

import graphprof

LAYERS, REPLAYS, BYTES = 3, 10, c_size_t(1 << 20)

try:
    driver = ctypes.CDLL("libcuda.so.1")
except OSError as error:
    sys.exit(f"regions.py: no CUDA driver: {error}")


def call(name, *arguments):
    if status := getattr(driver, name)(*arguments):
        sys.exit(f"regions.py: {name} failed with CUresult {status}")


def made(name, *arguments):
    """The handle or address that a function of the driver writes through its first parameter."""
    result = c_void_p()
    call(name, byref(result), *arguments)
    return result


call("cuInit", 0)
call("cuCtxSetCurrent", made("cuDevicePrimaryCtxRetain", 0))
stream, source, target = made("cuStreamCreate", 1), made("cuMemAlloc_v2", BYTES), made("cuMemAlloc_v2", BYTES)

call("cuStreamBeginCapture_v2", stream, 1)  # thread-local
for layer in range(LAYERS):
    with graphprof.region("layer {}", layer, bytes=3 * BYTES.value):
        with graphprof.region("fill"):
            call("cuMemsetD8Async", source, layer, BYTES, stream)
        with graphprof.region("copy"):
            call("cuMemcpyDtoDAsync_v2", target, source, BYTES, stream)
graph = c_void_p()
call("cuStreamEndCapture", stream, byref(graph))

run = made("cuGraphInstantiateWithFlags", graph, c_ulonglong(0))
with graphprof.profile() as prof:
    for _ in range(REPLAYS):
        call("cuGraphLaunch", run, stream)
    call("cuStreamSynchronize", stream)
for row in prof.key_averages():
    if row.key.startswith("layer"):
        print(f"{row.key}: {row.count} replays, {row.median:.3f} us in the median, {row.replay_percent:.1f} % of each")
