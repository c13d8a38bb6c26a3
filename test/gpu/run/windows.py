# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Replays a graph 40 times, ten of them in each of two windows that torch.cuda.profiler opens and closes by the CUDA runtime's
# cudaProfilerStart and cudaProfilerStop. Prints a digest of the output.
import hashlib

import torch

torch.manual_seed(0)
x, weight = torch.randn(64, 256, device="cuda"), torch.randn(256, 256, device="cuda") / 16
y = torch.mm(x, weight)  # cuBLAS's first call is not captured
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph), torch.cuda.nvtx.range("in the graph"):
    torch.mm(x, weight, out=y)
    x.copy_(torch.tanh(y))

for part in ("before", "first window", "between", "second window"):
    if part.endswith("window"):
        torch.cuda.cudart().cudaProfilerStart()
    for _ in range(10):
        graph.replay()
    torch.cuda.synchronize()
    if part.endswith("window"):
        torch.cuda.cudart().cudaProfilerStop()
print(hashlib.sha256(x.cpu().numpy().tobytes()).hexdigest())
