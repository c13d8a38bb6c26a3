# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What the tests of graphprof-instrument may write:
#
#   %instrument   the tool
#   %cuda, %cxx, %c11   compile flags for a CUDA, C++ or C source, with the headers in Inputs and no toolkit
#   %simulated    compile flags for a CUDA source, with the headers of the simulated CUDA runtime and of graphprof
#   %status N C   runs the command C and succeeds if its exit status is N
#   %compile      checks that an instrumented CUDA source is C++ again: clang, the real <graphprof/cuda.h>, and the
#                 headers of the simulated CUDA runtime; %check_c the same for C

import os
import shlex
import sys

import lit.formats

config.name = "graphprof-instrument"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".cpp", ".c", ".test"]
config.excludes = ["Inputs", "unit"]
config.test_source_root = os.path.dirname(__file__)

root = os.path.dirname(os.path.dirname(config.test_source_root))
inputs = os.path.join(config.test_source_root, "Inputs")
no_toolkit = "-nocudainc -nocudalib --cuda-path=/nonexistent -Xclang -target-sdk-version=12.9"

config.environment["PATH"] = config.llvm_tools_dir + os.pathsep + config.environment["PATH"]
for variable in ("CUDA_PATH", "CUDA_HOME"):
    config.environment.pop(variable, None)
try:
    for end in os.openpty():
        os.close(end)
    config.available_features.add("pseudo-terminal")
except OSError:  # a chroot without /dev/pts
    pass
if os.path.exists("/usr/local/cuda/include/cuda_runtime.h"):
    config.available_features.add("toolkit")
else:
    lit_config.note("no CUDA toolkit in /usr/local/cuda: toolkit/ is not tested")
if lit_config.params.get("all"):  # what takes long: test/run --all
    config.available_features.add("all")
config.substitutions += [
    ("%instrument", config.instrument),
    ("%inputs", inputs),
    ("%python", shlex.quote(sys.executable)),
    ("%status", f"{shlex.quote(sys.executable)} {inputs}/status.py"),
    (
        "%check_c",
        f"clang -std=c11 -pedantic -Werror -fsyntax-only -I{root}/include -isystem {root}/test/cudasim/include",
    ),
    ("%cuda", f"-std=c++17 {no_toolkit} -I{inputs} -include cuda_runtime.h"),
    ("%cxx", f"-std=c++17 -nocudainc -I{inputs}"),
    ("%c11", f"-std=c11 -nocudainc -I{inputs}"),
    (
        "%simulated",
        f"-std=c++17 {no_toolkit} -D__CUDACC__=1 -I{root}/include -isystem {root}/test/cudasim/include"
        " -include cuda_runtime.h",
    ),
    (
        "%compile",
        f"clang++ -x cuda --cuda-host-only {no_toolkit} -std=c++17 -fsyntax-only -Wno-unused-value"
        f" -D__CUDACC__=1 -I{root}/include -isystem {root}/test/cudasim/include -include cuda_runtime.h",
    ),
]
