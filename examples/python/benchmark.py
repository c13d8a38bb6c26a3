# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""How long does this take, and is that faster? With a cold L2 cache, in replays of a graph.

    python3 examples/python/benchmark.py
"""

import torch

import graphprof
from graphprof.testing import bench_gpu_time_with_cudagraph


def softmax(x):
    exponents = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return exponents / exponents.sum(dim=-1, keepdim=True)


x = torch.randn(4096, 4096, device="cuda", dtype=torch.half)
w = torch.randn(4096, 4096, device="cuda", dtype=torch.half)

# One: its median with an interval, and how it was measured.
print(graphprof.bench(torch.matmul, x, w, name="matmul", flops=2 * 4096**3))

# Two, in turns, so that drifting clocks cancel out.
compared = graphprof.bench_compare({"by hand": softmax, "torch.softmax": lambda x: torch.softmax(x, dim=-1)}, x)
print(compared)
assert compared.ratios[1].verdict == "faster"

# flashinfer's function: a list of milliseconds.
times = bench_gpu_time_with_cudagraph(torch.matmul, input_args=(x, w))
print(f"matmul, as flashinfer has it: {sorted(times)[len(times) // 2]:.4f} ms in the median of {len(times)}")
