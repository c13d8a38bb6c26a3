#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""emit_nvtx with graphprof behind PyTorch's stubs: its ranges are regions in graphprof's outputs (GRAPHPROF_OUTPUT), and reach
NVTX as before.

    ranges.py LIBGRAPHPROF_TORCH"""

import ctypes
import sys

import torch
from torch.autograd.profiler import emit_nvtx, record_function

ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
x = torch.randn(1024, 1024, device="cuda")
x @ x
torch.cuda.synchronize()
with emit_nvtx():
    for index in range(3):
        with record_function(f"step {index}"):
            torch.relu(x @ x)
torch.cuda.synchronize()
print("OK")
