# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""A training step whose layers are graphs, made by torch.cuda.make_graphed_callables: the forward and the backward of each layer, in
every replay.

    python3 -m graphprof examples/python/train_step.py
"""

import torch
from torch import nn

import graphprof

LAYERS, WIDTH, BATCH, STEPS = 4, 2048, 512, 50


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(x)))


model = nn.Sequential(*(Layer() for _ in range(LAYERS))).cuda()
graphprof.annotate(model, backward=True)  # before the layers are captured

x = torch.randn(BATCH, WIDTH, device="cuda", requires_grad=True)
layers = torch.cuda.make_graphed_callables(tuple(model), tuple((x.detach().clone().requires_grad_(),) for _ in model))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
target = torch.randn(BATCH, WIDTH, device="cuda")

with graphprof.profile(schedule=graphprof.schedule(wait=5, warmup=5, active=STEPS - 10, repeat=1)) as prof:
    for step in range(STEPS):
        with graphprof.region("forward"):
            y = x
            for layer in layers:
                y = layer(y)
            loss = nn.functional.mse_loss(y, target)
        with graphprof.region("backward"):
            loss.backward()
        with graphprof.region("optimizer"):
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)  # graphs write into the gradients
        prof.step()
print(prof.key_averages().table(sort_by="cuda_time_total", row_limit=30))
print(f"loss: {loss.item():.4f}")
