# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Builds a CUDA C++ program and the other profiler for the scripts here.
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLKIT = "/usr/local/cuda"


def tool(name):
    """Where a tool of the toolkit is, or None."""
    return shutil.which(name) or shutil.which(name, path=os.path.join(TOOLKIT, "bin"))


def built(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}: {done.stderr[-2000:]}")


def program(folder, name, options, source="runtime.cu", architecture="native"):
    """Where a program is: the one that test/gpu/pack built, or else one that is built here."""
    packed = os.path.join(HERE, "..", "..", "..", "programs", name)
    if os.path.exists(packed):
        return packed
    path = os.path.join(folder, name)
    built([tool("nvcc"), "-std=c++17", f"-arch={architecture}", *options, os.path.join(HERE, source), "-o", path])
    return path


def activity(folder):
    """What the environment has to be for the profiler of activity.cpp; None where CUPTI is not."""
    includes = [path for path in (f"{TOOLKIT}/include", f"{TOOLKIT}/extras/CUPTI/include") if os.path.isdir(path)]
    if not any(os.path.exists(f"{path}/cupti.h") for path in includes):
        return None
    # Prefers PyTorch's CUPTI, so that a process has only one.
    places = [*(f"{path}/nvidia/*/lib" for path in sys.path), f"{TOOLKIT}/extras/CUPTI/lib64", f"{TOOLKIT}/lib64"]
    libraries = [found for place in places for found in glob.glob(f"{place}/libcupti.so.13")]
    if not libraries:
        return None
    path = os.path.join(folder, "libactivity.so")
    built(["g++", "-std=c++20", "-O2", "-shared", "-fPIC", *(f"-I{path}" for path in includes), f'-DCUPTI="{libraries[0]}"',
           os.path.join(HERE, "activity.cpp"), "-o", path])
    return {"CUDA_INJECTION64_PATH": path}
