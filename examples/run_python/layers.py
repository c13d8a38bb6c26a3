# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
import torch

layers = [torch.nn.Linear(4096, 4096, device="cuda", dtype=torch.half) for _ in range(4)]
x, graph = torch.randn(16, 4096, device="cuda", dtype=torch.half), torch.cuda.CUDAGraph()
layers[0](x)  # cuBLAS creates its handle, which is not allowed in a capture
with torch.no_grad(), torch.cuda.graph(graph):
    for i, layer in enumerate(layers):
        with torch.cuda.nvtx.range(f"layer {i}"):
            x = torch.relu(layer(x))
for _ in range(100):
    graph.replay()
torch.cuda.synchronize()
