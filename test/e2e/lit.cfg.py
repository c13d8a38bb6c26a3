# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
#   %instrument   graphprof-instrument; parses against the simulation's headers with %simflags behind its `--`
#   %simcc        compiles for the simulated CUDA runtime and links libgraphprof
#   %plainsimcc   the same without graphprof, for programs that the tool has not seen
#   %graphprof    the command graphprof
#   %simdriver    the folder of the simulated driver, libcuda.so.1
#   %convert      graphprof-convert
#   %cxx          a C++ compiler with our headers, for programs that know no CUDA; %library links libgraphprof
#   %nvcc         nvcc, with our headers (only where `nvcc` is available: REQUIRES: nvcc)
#
# What takes long says REQUIRES: all, and runs with `lit -Dall=1`, as by test/run --all.

import ctypes
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "graphprof-e2e"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".cpp", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)

include = os.path.join(config.project_root, "include")
library = f"-L{config.library_dir} -lgraphprof"
simflags = subprocess.run(
    [config.cudasim_cc, "--print-flags"], capture_output=True, text=True, check=True
).stdout.split()

config.substitutions += [
    ("%instrument", config.instrument),
    ("%graphprof", os.path.join(os.path.dirname(config.instrument), "graphprof")),
    ("%simdriver", os.path.join(os.path.dirname(config.cudasim_cc), "driver")),
    ("%convert", os.path.join(os.path.dirname(config.instrument), "graphprof-convert")),
    ("%simflags", " ".join(["-std=c++17", *simflags])),
    ("%simcc", f"{config.cudasim_cc} -std=c++17 -I{include} {library}"),
    ("%plainsimcc", f"{config.cudasim_cc} -std=c++17 -Wno-unknown-attributes"),
    ("%examples", os.path.join(config.project_root, "examples")),
    ("%include", include),
    ("%simulation", os.path.join(config.project_root, "test", "cudasim", "include")),
    ("%cxx", f"clang++ -std=c++17 -I{include}"),
    ("%python", sys.executable),
    ("%library", library),
]
if config.nvcc:
    config.available_features.add("nvcc")
    config.substitutions.append(("%nvcc", f"{config.nvcc} -std=c++17 -arch=sm_90 -I{include}"))

if lit_config.params.get("all"):
    config.available_features.add("all")

try:
    ctypes.CDLL("libcuda.so.1")
    config.available_features.add("cuda-driver")
except OSError:
    pass

config.environment["PATH"] = config.llvm_tools_dir + os.pathsep + config.environment["PATH"]
config.environment["LD_LIBRARY_PATH"] = config.library_dir
config.environment["CUDASIM_REAL_TIME"] = "0"  # the same program always gives the same times
config.environment["GRAPHPROF_CACHE_DIR"] = ""  # the tests of the cache are the tool's
if ccache := shutil.which("ccache"):  # most programs are the last run's
    cache = subprocess.run([ccache, "--get-config", "cache_dir"], capture_output=True, text=True, check=True).stdout
    config.environment |= {"CUDASIM_LAUNCHER": ccache, "CCACHE_DIR": cache.strip()}
# What a developer has set must not change what is tested.
for name in [name for name in config.environment if name.startswith("GRAPHPROF_")]:
    del config.environment[name]
