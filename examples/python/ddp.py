# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Data parallel training on two GPUs, with an all-reduce of gradients in the graph of a step. Each rank writes files of its own:

    python3 -m graphprof -o 'rank{rank}.json' -m torch.distributed.run --nproc-per-node 2 examples/python/ddp.py
"""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import graphprof

WIDTH, BATCH, STEPS = 2048, 512, 20

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))

stream = torch.cuda.Stream()
with torch.cuda.stream(stream):  # DDP is made, and warmed up, in the stream in which it is captured
    model = DistributedDataParallel(nn.Sequential(*(nn.Linear(WIDTH, WIDTH) for _ in range(4))).cuda(), device_ids=[rank])
    graphprof.annotate(model.module, depth=1)
    x = torch.randn(BATCH, WIDTH, device="cuda")

    def step():
        with graphprof.region("forward"):
            loss = model(x).square().mean()
        with graphprof.region("backward and all-reduce"):
            loss.backward()

    for _ in range(11):  # as PyTorch's notes on CUDA graphs ask for
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    for parameter in model.parameters():
        parameter.grad = None
    with torch.cuda.graph(graph, stream=stream):
        step()

with graphprof.profile() as prof:
    for _ in range(STEPS):
        graph.replay()
    torch.cuda.synchronize()
if rank == 0:
    print(prof.key_averages().table(sort_by="cuda_time_total", row_limit=20))
dist.barrier()
del graph  # NCCL waits for the graphs that hold its work
dist.destroy_process_group()
