# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The binding alone: liblayers.so is there already, beside this file or where LAYERS says.

    LAYERS=FOLDER python setup.py build_ext --inplace"""

import os
from pathlib import Path

import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

here = Path(__file__).resolve().parent
layers = Path(os.environ.get("LAYERS", here)).resolve()
torch_library = Path(torch.__file__).parent / "lib"
setup(
    name="graphprof_layers",
    ext_modules=[
        CppExtension(
            "graphprof_layers",
            ["binding.cpp"],
            include_dirs=[str(here)],
            library_dirs=[str(layers)],
            libraries=["layers", "torch_cuda"],
            extra_link_args=[f"-Wl,-rpath,{layers}", f"-Wl,-rpath,{torch_library}"],
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
