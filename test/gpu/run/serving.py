# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Works like an inference server: captures a graph for each of many batch sizes at start, on a side stream, the largest first, in
# one memory pool. Then two threads replay the graph that fits. Ranges name the graphs, and every second launch. Prints a digest of
# all outputs.
import contextlib
import hashlib
import threading

import torch

SIZES = [256 - 8 * i for i in range(31)] + [4, 2, 1]
torch.manual_seed(0)
weights = [torch.randn(512, 512, device="cuda", dtype=torch.half) / 23 for _ in range(4)]
x = torch.randn(SIZES[0], 512, device="cuda", dtype=torch.half)


def model(batch):
    for i, weight in enumerate(weights):
        with torch.cuda.nvtx.range(f"layer {i}"):
            batch = torch.relu(batch @ weight)
    return batch


side, graphs, pool = torch.cuda.Stream(), {}, None
with torch.no_grad(), torch.cuda.stream(side):
    for size in SIZES:
        model(x[:size])
        side.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.nvtx.range(f"graph: serve size={size}"), torch.cuda.graph(graph, pool=pool, stream=side):
            output = model(x[:size])
        pool = pool or graph.pool()
        graphs[size] = graph, output
torch.cuda.synchronize()

digests, one_at_a_time = {}, threading.Lock()


def serve(sizes):
    stream = torch.cuda.Stream()
    for i, size in enumerate(sizes):
        named = torch.cuda.nvtx.range(f"graph: serve size={size} used={size - 1}") if i < len(sizes) // 2 else contextlib.nullcontext()
        with named, one_at_a_time, torch.cuda.stream(stream):
            graph, output = graphs[size]
            graph.replay()
            stream.synchronize()
            digests[size] = hashlib.sha256(output.cpu().numpy().tobytes()).hexdigest()


threads = [threading.Thread(target=serve, args=(SIZES[i::2] * 2,)) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(hashlib.sha256("".join(digests[size] for size in SIZES).encode()).hexdigest())
