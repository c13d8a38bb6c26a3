# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Four threads that capture at once, each into a graph and a stream of its own, and replay. Prints a digest of each thread's output.
import hashlib
import threading

import torch

torch.manual_seed(0)
inputs = [torch.randn(64, 256, device="cuda") for _ in range(4)]
weight = torch.randn(256, 256, device="cuda") / 16
(inputs[0] @ weight).sum()  # makes cuBLAS's handle
torch.cuda.synchronize()
digests, together = [None] * 4, threading.Barrier(4)


def work(number):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.relu(inputs[number] @ weight)
        stream.synchronize()
        for turn in range(5):
            graph = torch.cuda.CUDAGraph()
            together.wait()
            with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
                with torch.cuda.nvtx.range(f"thread {number}"):
                    output = torch.relu(inputs[number] @ weight) + turn
            for _ in range(3):
                graph.replay()
            stream.synchronize()
    digests[number] = hashlib.sha256(output.cpu().numpy().tobytes()).hexdigest()


threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("\n".join(digests))
