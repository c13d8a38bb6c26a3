# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# 34 graphs of a model, one for each batch size, that share one memory pool. First captures and replays each once, the largest first,
# then replays each three times more. With a file, writes how much memory is free before, in between and behind, as JSON. For
# test/gpu/run/memory, which compares that with what graphprof measures.
#
#     memory.py [FILE]
import json
import sys

import torch

torch.manual_seed(0)
sizes = [1, 2, 4, *range(8, 249, 8)]
sizes = sizes[:34][::-1]
model = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024)) for _ in range(4))).cuda().half()
inputs = {size: torch.randn(size, 1024, device="cuda", dtype=torch.float16) for size in sizes}
kept = torch.zeros(1, device="cuda")  # keeps the block of small tensors


def free():
    torch.cuda.synchronize()
    return torch.cuda.mem_get_info()[0]


def captured(size, pool):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        output = model(inputs[size])
    return graph, output


with torch.no_grad():
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for size in sizes:
            model(inputs[size])
    torch.cuda.synchronize()
    captured(sizes[0], None)[0].replay()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    pool = torch.cuda.graph_pool_handle()
    graphs = []
    before = free()
    for size in sizes:
        graphs.append(captured(size, pool))
        graphs[-1][0].replay()
        torch.cuda.synchronize()
    between = free()
    for _ in range(3):
        for graph, _ in graphs:
            graph.replay()
    after = free()
if len(sys.argv) > 1:
    with open(sys.argv[1], "w") as file:
        json.dump({"before": before, "between": between, "after": after}, file)
print(f"{len(graphs)} graphs")
