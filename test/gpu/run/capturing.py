# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# PyTorch's ways to capture: torch.cuda.graph on a side stream, two graphs in one pool, make_graphed_callables, and torch.compile with
# mode="reduce-overhead". Static inputs are kept, temporary tensors are freed between replays. `graphprof run --check` must find
# nothing. With the word "collected", a graph is then destroyed by Python's garbage collector while another is captured, as in
# pytorch/pytorch#161037: it must find that. Prints what was computed.
import gc
import sys

import torch

torch.manual_seed(0)


def eager_beside():
    """Temporary tensors, whose memory PyTorch's allocator gives to others."""
    return sum(torch.randn(64, 64, device="cuda").sum().item() for _ in range(4))


def graphs_in_a_pool():
    x = torch.ones(64, device="cuda")
    side, graphs = torch.cuda.Stream(), []
    for by in (2, 3):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=graphs[0][0].pool() if graphs else None, stream=side):
            y = (x * by).relu()
        graphs.append((graph, y))
    for value in (1, 5):
        x.fill_(value)
        eager_beside()
        for graph, y in graphs:
            graph.replay()
            print("pool", y.sum().item())


def graphed_callables():
    model = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 32)).cuda()
    graphed = torch.cuda.make_graphed_callables(model, (torch.randn(8, 32, device="cuda", requires_grad=True),))
    for _ in range(3):
        loss = graphed(torch.ones(8, 32, device="cuda")).square().mean()
        loss.backward()
        eager_beside()
    print("callables", f"{loss.item():.5f}")


def compiled():
    @torch.compile(mode="reduce-overhead")
    def step(x):
        return torch.nn.functional.gelu(x) * 2 + 1

    for _ in range(5):
        torch.compiler.cudagraph_mark_step_begin()
        y = step(torch.ones(128, device="cuda"))
        eager_beside()
    print("compiled", f"{y.sum().item():.3f}")


class Cycle:
    def __init__(self, graph):
        self.graph, self.itself = graph, self


def destroyed_by_the_collector():
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        torch.zeros(1, device="cuda")
    cycle = Cycle(graph)
    del graph
    try:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            torch.zeros(1, device="cuda")
            del cycle
            gc.collect()
    except RuntimeError:
        print("collected", "the capture failed")


graphs_in_a_pool()
graphed_callables()
compiled()
torch.cuda.synchronize()
if sys.argv[1:] == ["collected"]:
    destroyed_by_the_collector()
