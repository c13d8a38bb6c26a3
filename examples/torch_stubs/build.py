#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Builds libgraphprof_torch.so against the PyTorch that this Python has. Needs a C++ compiler (CXX, else c++), no CUDA toolkit.

    build.py GRAPHPROF_INCLUDE GRAPHPROF_LIB [OUTPUT]"""

import os
import subprocess
import sys
from pathlib import Path

import torch
from torch.utils import cpp_extension

if len(sys.argv) not in (3, 4):
    sys.exit(__doc__)
include, library = sys.argv[1:3]
output = sys.argv[3] if len(sys.argv) == 4 else "libgraphprof_torch.so"
torch_library = Path(torch.__file__).parent / "lib"
command = [
    os.environ.get("CXX", "c++"), "-std=c++20", "-O2", "-shared", "-fPIC",
    f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
    f"-I{include}", *(f"-isystem{path}" for path in cpp_extension.include_paths()),
    str(Path(__file__).with_name("stubs.cpp")), "-o", output,
    f"-L{library}", f"-Wl,-rpath,{Path(library).resolve()}", "-lgraphprof",
    f"-L{torch_library}", f"-Wl,-rpath,{torch_library}", "-ltorch_cuda", "-ltorch_cpu", "-lc10",
]  # fmt: skip
print(*command)
sys.exit(subprocess.run(command).returncode)
