# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# One of two ranks under torchrun: 16 layers of GEMM, relu, all-reduce by NCCL and scale in one graph. Rank 0 prints a digest of
# the output, which is the same on both. With --figures ROUNDS, rank 0 instead prints a line of JSON: the time of a replay in us
# with recording stopped, recorded (under graphprof run), and under torch.profiler (without), by turns, and CUPTI's times of a
# layer's parts.
import ctypes
import hashlib
import json
import os
import statistics
import sys

import torch
import torch.distributed as distributed

REPLAYS = 50  # in a block

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


def library():
    try:
        return ctypes.CDLL("libgraphprof.so.0", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return None  # this process runs without it


def block():
    """Us a replay, back to back; both ranks take part."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    distributed.barrier()
    graph.replay()
    begin.record()
    for _ in range(REPLAYS):
        graph.replay()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e3 / REPLAYS


def part(kernel):
    """Which part of a layer a kernel of PyTorch's is."""
    if "nccl" in kernel:
        return "all-reduce"
    return "scale" if "MulFunctor" in kernel else "work"


def figures(rounds):
    graphprof, found, kernels = library(), {}, {}
    first = 8 if graphprof else 1  # under a budget, it measures what recording costs
    for _ in range(rounds + first):
        if graphprof:
            graphprof.graphprof_capi_stop()
        found.setdefault("off", []).append(block())
        if graphprof:
            graphprof.graphprof_capi_start()
            found.setdefault("on", []).append(block())
            continue
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            found.setdefault("on", []).append(block())
        for event in profile.events():
            if event.device_type == torch.autograd.DeviceType.CUDA and not event.name.startswith(("Mem", "layer")):
                kernels.setdefault(event.name, []).append(event.time_range.elapsed_us())
    pairs = list(zip(found["off"], found["on"]))[first:]
    parts = {}
    for name, times in kernels.items():
        parts[part(name)] = parts.get(part(name), 0) + statistics.median(times)
    ratios = sorted(pair[1] / pair[0] for pair in pairs)
    return {"off": statistics.median(pair[0] for pair in pairs), "ratio": statistics.median(ratios),
            "spread": [ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]],
            "parts": parts, "kernels": {name: len(times) for name, times in kernels.items()}}


side = torch.cuda.Stream()
torch.cuda.synchronize()  # waits for the weights
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
    both = [torch.empty_like(output) for _ in range(2)]
    distributed.all_gather(both, output)
    torch.cuda.synchronize()
    assert torch.equal(both[0], both[1]), "the ranks' sums differ"
    result = {"digest": hashlib.sha256(output.cpu().numpy().tobytes()).hexdigest()}
    if sys.argv[1:2] == ["--figures"]:
        result |= figures(int(sys.argv[2]))
    if rank == 0:
        print(json.dumps(result) if len(result) > 1 else result["digest"])
del graph
distributed.destroy_process_group()
