# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# A rank of two, under torchrun: 16 layers of GEMM, relu, all-reduce by NCCL and scale in one graph. Rank 0 prints a digest of the output, and
# with --figures what a replay takes, in us: the median of blocks in which both ranks take part.
import hashlib
import os
import statistics
import sys

import torch
import torch.distributed as distributed

distributed.init_process_group("nccl", device_id=torch.device("cuda", int(os.environ["LOCAL_RANK"])))
rank = distributed.get_rank()
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
torch.manual_seed(rank)
weights = [torch.randn(1024, 1024, device="cuda", dtype=torch.half) / 32 for _ in range(16)]
x = torch.randn(16, 1024, device="cuda", dtype=torch.half)


def step(batch):
    for i, weight in enumerate(weights):
        with torch.cuda.nvtx.range(f"layer {i} work"):
            batch = torch.relu(batch @ weight)
        with torch.cuda.nvtx.range(f"layer {i} all-reduce"):
            distributed.all_reduce(batch)
        with torch.cuda.nvtx.range(f"layer {i} scale"):
            batch = batch * 0.5
    return batch


side = torch.cuda.Stream()
with torch.no_grad(), torch.cuda.stream(side):
    for _ in range(3):
        step(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side, capture_error_mode="thread_local"):
        output = step(x)
    for _ in range(10):
        graph.replay()
    torch.cuda.synchronize()
    if rank == 0:
        print(hashlib.sha256(output.cpu().numpy().tobytes()).hexdigest())
    if "--figures" in sys.argv:
        times = []
        for _ in range(15):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            distributed.barrier()
            graph.replay()
            begin.record()
            for _ in range(50):
                graph.replay()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / 50)
        if rank == 0:
            print(f"{statistics.median(times):.2f} us a replay", file=sys.stderr)
del graph
distributed.destroy_process_group()
