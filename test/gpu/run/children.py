# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# torch.multiprocessing: a child that is forked before its parent uses CUDA replays a graph (its parent has imported PyTorch, which looks
# for the driver), then the parent does, then a child of each kind that CUDA allows after that. Prints what each computed.
import torch
import torch.multiprocessing as multiprocessing


def replay(name, results):
    x, graph = torch.ones(1024, device="cuda"), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), torch.cuda.nvtx.range(name):
        x += 1
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    results.put((name, x.sum().item()))


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        results = context.SimpleQueue()
        if method == "spawn":
            replay("parent", results)
            print(*results.get())
        child = context.Process(target=replay, args=(method, results))
        child.start()
        print(*results.get())
        child.join()
        assert child.exitcode == 0
