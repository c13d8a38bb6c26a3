# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# A captured training step: the backward pass runs on a thread of autograd's, in the stream of the thread that captures, and has
# ranges of its own there. Prints a digest of the weights.
import hashlib

import torch

torch.manual_seed(0)


class Layer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, number):
        ctx.save_for_backward(x, weight)
        ctx.number = number
        with torch.cuda.nvtx.range(f"forward {number}"):
            return torch.relu(x @ weight)

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        with torch.cuda.nvtx.range(f"backward {ctx.number}"):
            gradient = gradient * (x @ weight > 0)
            return gradient @ weight.t(), x.t() @ gradient, None


x = torch.randn(512, 512, device="cuda")
weights = [torch.nn.Parameter(torch.randn(512, 512, device="cuda") / 16) for _ in range(3)]
optimizer = torch.optim.SGD(weights, lr=1e-3)


def step():
    with torch.cuda.nvtx.range("step"):
        h = x
        for number, weight in enumerate(weights):
            h = Layer.apply(h, weight, number)
        h.square().mean().backward()
        optimizer.step()


stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        step()
torch.cuda.current_stream().wait_stream(stream)
optimizer.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
for _ in range(8):
    graph.replay()
torch.cuda.synchronize()
for weight in weights:
    print(hashlib.sha256(weight.detach().cpu().numpy().tobytes()).hexdigest())
