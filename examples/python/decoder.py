# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""A small decoder, one token a step, with the time of each of its modules in every replay of its graph:

    python3 -m graphprof examples/python/decoder.py               torch.cuda.CUDAGraph
    python3 -m graphprof examples/python/decoder.py --compile     torch.compile(mode="reduce-overhead")
"""

import sys

import torch
from torch import nn

import graphprof

LAYERS, WIDTH, HEADS, CONTEXT, BATCH, STEPS = 4, 2048, 16, 1024, 8, 100


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        shape = (BATCH, HEADS, CONTEXT, WIDTH // HEADS)
        self.register_buffer("keys", torch.randn(shape))
        self.register_buffer("values", torch.randn(shape))

    def forward(self, x):
        q, k, v = (each.view(BATCH, HEADS, 1, -1) for each in self.qkv(x).chunk(3, dim=-1))
        self.keys[:, :, -1:] = k
        self.values[:, :, -1:] = v
        attended = nn.functional.scaled_dot_product_attention(q, self.keys, self.values)
        return self.out(attended.reshape(BATCH, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


model = nn.Sequential(*(Block() for _ in range(LAYERS))).cuda().half().eval()
x = torch.randn(BATCH, WIDTH, device="cuda", dtype=torch.half)
graphprof.annotate(model, depth=2)  # down to 0.attention

with torch.no_grad():
    if "--compile" in sys.argv:
        step = torch.compile(model, mode="reduce-overhead")
    else:
        model(x)  # cuBLAS creates its handles, which is not allowed in a capture
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(x)
        step = lambda _: graph.replay()  # noqa: E731
    for _ in range(5):
        step(x)
    with graphprof.profile() as prof:
        for i in range(STEPS):
            with graphprof.region("step"):
                step(x)
        torch.cuda.synchronize()
print(prof.key_averages().table(sort_by="cuda_time_total", row_limit=30))
