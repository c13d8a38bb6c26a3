# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""A CUDA graph in Python without PyTorch: four layers of two kernels between two copies, through the driver API over ctypes.
Needs Python and libcuda.so.1: the NVIDIA driver, or graphprof's simulated one."""

import ctypes
import sys
from ctypes import byref, c_float, c_size_t, c_void_p

KERNELS = b"""
.version 7.0
.target sm_52
.address_size 64

.visible .entry add(.param .u64 data, .param .f32 value) {
  .reg .u32 %r<4>;
  .reg .u64 %d<3>;
  .reg .f32 %f<3>;
  ld.param.u64 %d0, [data];
  ld.param.f32 %f1, [value];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  mul.wide.u32 %d1, %r3, 4;
  add.u64 %d2, %d0, %d1;
  ld.global.f32 %f0, [%d2];
  add.f32 %f2, %f0, %f1;
  st.global.f32 [%d2], %f2;
  ret;
}

.visible .entry relu(.param .u64 data) {
  .reg .u32 %r<4>;
  .reg .u64 %d<3>;
  .reg .f32 %f<2>;
  ld.param.u64 %d0, [data];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  mul.wide.u32 %d1, %r3, 4;
  add.u64 %d2, %d0, %d1;
  ld.global.f32 %f0, [%d2];
  max.f32 %f1, %f0, 0f00000000;
  st.global.f32 [%d2], %f1;
  ret;
}
"""
BLOCKS, THREADS, REPLAYS = 4096, 256, 10
BYTES = c_size_t(4 * BLOCKS * THREADS)

try:
    driver = ctypes.CDLL("libcuda.so.1")
except OSError as error:
    sys.exit(f"replays.py: no CUDA driver: {error}")


def call(name, *arguments):
    if status := getattr(driver, name)(*arguments):
        sys.exit(f"replays.py: {name} failed with CUresult {status}")


def made(name, *arguments):
    """The handle or address that a function of the driver writes through its first parameter."""
    result = c_void_p()
    call(name, byref(result), *arguments)
    return result


def launch(kernel, *arguments):
    pointers = (c_void_p * len(arguments))(*(ctypes.addressof(argument) for argument in arguments))
    call("cuLaunchKernel", kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, pointers, None)


call("cuInit", 0)
call("cuCtxSetCurrent", made("cuDevicePrimaryCtxRetain", 0))
library = made("cuLibraryLoadData", KERNELS, None, None, 0, None, None, 0)
add, relu = (made("cuKernelGetFunction", made("cuLibraryGetKernel", library, name)) for name in (b"add", b"relu"))
host, device = made("cuMemAllocHost_v2", BYTES), made("cuMemAlloc_v2", BYTES)
stream = made("cuStreamCreate", 1)  # non-blocking

call("cuStreamBeginCapture_v2", stream, 1)  # thread-local
call("cuMemcpyHtoDAsync_v2", device, host, BYTES, stream)
for layer in range(4):
    launch(add, device, c_float(layer))
    launch(relu, device)
call("cuMemcpyDtoHAsync_v2", host, device, BYTES, stream)
graph = c_void_p()
call("cuStreamEndCapture", stream, byref(graph))

run = made("cuGraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
for _ in range(REPLAYS):
    call("cuGraphLaunch", run, stream)
call("cuStreamSynchronize", stream)
print(f"replays.py: {REPLAYS} replays of a graph with four layers of add and relu")
