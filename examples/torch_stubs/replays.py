#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""PyTorch's legacy profiler around capture and replays of a CUDA graph: with graphprof behind its stubs it shows the times of the
last replay. Checks that they are there, and that they add up to the replay. `--plain`: PyTorch's own stubs, for comparison.

    replays.py LIBGRAPHPROF_TORCH [--plain]"""

import ctypes
import sys

import torch
from torch.autograd.profiler import profile, record_function

stubs = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
plain = "--plain" in sys.argv
stubs.graphprof_torch_stubs(0 if plain else 1)

layers = [torch.randn(2048, 2048, device="cuda") for _ in range(4)]
x = torch.randn(2048, 2048, device="cuda")


def forward():
    y = x
    for index, weight in enumerate(layers):
        with record_function(f"layer {index}"):
            y = torch.relu(y @ weight)
    return y


side = torch.cuda.Stream()
with torch.cuda.stream(side):
    forward()  # cuBLAS allocates its workspace
torch.cuda.synchronize()

graph = torch.cuda.CUDAGraph()
with profile(use_device="cuda", use_kineto=False) as profiler:
    with torch.cuda.graph(graph):
        forward()
    for _ in range(3):
        graph.replay()

begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
begin.record()
graph.replay()
end.record()
torch.cuda.synchronize()
replay_us = begin.elapsed_time(end) * 1e3

averages = profiler.key_averages()
print(averages.table(sort_by="device_time_total", row_limit=12))
layer_us = [each.device_time_total for each in averages if each.key.startswith("layer ")]
print(f"one replay {replay_us:.0f} us; layers {layer_us} us, {sum(layer_us):.0f} us together")
if not plain:
    assert len(layer_us) == len(layers) and all(us > 0 for us in layer_us), "a layer has no time"
    assert 0.7 * replay_us < sum(layer_us) < 1.1 * replay_us, "the layers are not the replay"
    graph.replay()  # PyTorch has released the events, but the graph still records them
    del profiler, averages
    graph.replay()
    torch.cuda.synchronize()
    print("OK")
