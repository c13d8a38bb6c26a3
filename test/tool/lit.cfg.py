# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What the tests of graphprof-instrument may write:
#
#   %instrument   the tool
#   %cuda, %cxx, %c11   compile flags for a CUDA, C++ or C source, with the headers in Inputs, no toolkit, and the system's headers
#                 without an installed graphprof's
#   %simulated    compile flags for a CUDA source, with the headers of the simulated CUDA runtime and of graphprof
#   %status N C   runs the command C and succeeds if its exit status is N
#   %compile      checks that an instrumented CUDA source is C++ again: clang, the real <graphprof/cuda.h>, and the
#                 headers of the simulated CUDA runtime; %check_c the same for C
#   %on_cpu       compile flags for kernels that run on the CPU (Inputs/on_cpu); %build_on_cpu compiles the
#                 instrumented source

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


def system_without_graphprof(folder):
    """A root with the system's headers and libraries by links, but without a graphprof that is installed in /usr or /usr/local:
    what the tool does with a source must depend on this tree alone."""
    headers = os.path.join(folder, "usr", "include")
    os.makedirs(headers, exist_ok=True)
    links = {os.path.join(folder, top): f"/{top}" for top in ("lib", "lib64", "usr/lib", "usr/lib64") if os.path.exists(f"/{top}")}
    links |= {os.path.join(headers, name): f"/usr/include/{name}" for name in os.listdir("/usr/include") if name != "graphprof"}
    for link, target in links.items():
        try:
            os.symlink(target, link)
        except FileExistsError:
            pass  # an earlier run's, or that of one beside this
    return folder


sysroot = f"--sysroot={system_without_graphprof(os.path.join(config.test_exec_root, 'system'))}"
inputs = os.path.join(config.test_source_root, "Inputs")
no_toolkit = "-nocudainc -nocudalib --cuda-path=/nonexistent -Xclang -target-sdk-version=12.9"

config.environment["PATH"] = config.llvm_tools_dir + os.pathsep + config.environment["PATH"]
for variable in ("CUDA_PATH", "CUDA_HOME", "GRAPHPROF_CACHE_MB"):
    config.environment.pop(variable, None)
config.environment["GRAPHPROF_CACHE_DIR"] = os.environ.get("GRAPHPROF_TEST_CACHE", "")  # to test with a cache
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
    ("%cuda", f"-std=c++17 {sysroot} {no_toolkit} -I{inputs} -include cuda_runtime.h"),
    ("%cxx", f"-std=c++17 {sysroot} -nocudainc -I{inputs}"),
    ("%c11", f"-std=c11 {sysroot} -nocudainc -I{inputs}"),
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
    ("%on_cpu", f"-std=c++20 {sysroot} {no_toolkit} -I{inputs}/on_cpu -include cuda_runtime.h"),
    (
        "%build_on_cpu",
        "clang++ -std=c++20 -O1 -ffp-contract=off -Wall -Werror -Wno-unused-variable -Wno-unknown-pragmas"
        f" -D__CUDACC__=1 -I{inputs}/on_cpu -I{root}/include -include cuda_runtime.h"
        f" -x c++ {inputs}/on_cpu/runner.cpp",
    ),
]
