# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# CUDA graph trees: training steps of a model under torch.compile(mode="reduce-overhead") with three batch sizes. Each is recorded
# separately, forward and backward. Prints a digest of the weights.
import hashlib

import torch

torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
model = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.GELU(), torch.nn.Linear(256, 128)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
compiled = torch.compile(model, mode="reduce-overhead", dynamic=False)
batches = {size: torch.randn(size, 128, device="cuda") for size in (16, 32, 64)}
for step in range(18):
    torch.compiler.cudagraph_mark_step_begin()
    batch = batches[(16, 32, 64)[step % 3]]
    loss = (compiled(batch) - batch).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.synchronize()
digest = hashlib.sha256()
for parameter in model.parameters():
    digest.update(parameter.detach().cpu().numpy().tobytes())
print(digest.hexdigest())
