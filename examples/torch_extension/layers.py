#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The extension's regions inside a graph that torch.cuda.graph captures, beside PyTorch's own work. `--pytorch`: replayed by
torch.cuda.CUDAGraph itself, for a process in which graphprof sees PyTorch's CUDA calls too."""

import sys

import torch

import graphprof_layers

layers, replays = 3, 5
x = torch.zeros(1 << 20, device="cuda")
graphprof_layers.forward(x, 1)  # a warm-up that loads the kernels
torch.cuda.synchronize()

by_pytorch = "--pytorch" in sys.argv
graph = torch.cuda.CUDAGraph() if by_pytorch else torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(graph):
    x.zero_()
    graphprof_layers.forward(x, layers)
    y = x * 2
again = graph if by_pytorch else graphprof_layers.Replays(graph.raw_cuda_graph())
for _ in range(replays):
    again.replay()
torch.cuda.synchronize()
assert torch.all(y == 2 * layers), y
print(f"{replays} replays, y = {y[0].item():.0f}")
