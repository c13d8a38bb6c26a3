# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# CuPy: a graph of kernels that it compiles, captured and launched through the CUDA runtime in its extension modules. Prints a
# digest of the output.
import hashlib

import cupy

double_and_add = cupy.RawKernel(r"""
extern "C" __global__ void double_and_add(int *data, int count, int what) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    data[i] = (2 * data[i] + what) % 1000003;
}""", "double_and_add")
x = cupy.arange(1 << 16, dtype=cupy.int32)
stream = cupy.cuda.Stream(non_blocking=True)
cupy.cuda.Device().synchronize()


def step():
    for i in range(4):
        double_and_add((x.size // 256,), (256,), (x, cupy.int32(x.size), cupy.int32(i)))
    cupy.add(x, 1, out=x)


with stream:
    step()  # compiles everything before the capture
    stream.synchronize()
    stream.begin_capture()
    step()
    graph = stream.end_capture()
    for _ in range(10):
        graph.launch(stream)
    stream.synchronize()
print(hashlib.sha256(cupy.asnumpy(x).tobytes()).hexdigest())
