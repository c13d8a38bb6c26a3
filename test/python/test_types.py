# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
import os
import shutil
import subprocess
import sys

import pytest

import graphprof
from conftest import PYTHON


def test_the_package_passes_mypy():
    mypy = shutil.which("mypy")
    if not mypy:
        pytest.skip("mypy is not installed")
    result = subprocess.run([mypy, "--strict", "--python-version", "3.9", "--cache-dir", os.devnull, os.path.join(PYTHON, "graphprof")],
                            capture_output=True, text=True, env={k: v for k, v in os.environ.items() if k != "LD_PRELOAD"})
    assert result.returncode == 0, result.stdout


def test_the_package_is_typed():
    assert os.path.exists(os.path.join(os.path.dirname(graphprof.__file__), "py.typed"))


def test_all_names_are_there():
    for name in graphprof.__all__:
        assert getattr(graphprof, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        graphprof.nothing
    assert set(graphprof.__all__) <= set(dir(graphprof))


def test_the_structs_are_those_of_the_header(tmp_path):
    """Their sizes and offsets, as a C compiler has them."""
    import ctypes

    from graphprof import _library

    if not shutil.which("cc"):
        pytest.skip("no C compiler here reads the header")
    structs = {"losses": _library.Losses, "support": _library.Support, "value": _library.Value,
               "schedule": _library.Schedule, "profile_options": _library.ProfileOptions, "trace_info": _library.TraceInfo,
               "event": _library.Event, "host_event": _library.HostEvent, "average": _library.Average,
               "table_options": _library.TableOptions, "range": _library.Range, "candidate": _library.Candidate,
               "bench_options": _library.BenchOptions, "bench_result": _library.BenchResult}
    lines = ["#include <stdio.h>", "#include <graphprof/capi.h>", "int main(void) {"]
    expected = []
    for name, struct in structs.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct graphprof_capi_{name}));')
        expected.append(f"{name} {ctypes.sizeof(struct)}")
        for field in struct._fields_:
            lines.append(f'printf("{name}.{field[0]} %zu\\n", offsetof(struct graphprof_capi_{name}, {field[0]}));')
            expected.append(f"{name}.{field[0]} {getattr(struct, field[0]).offset}")
    program = tmp_path / "offsets"
    include = os.path.join(PYTHON, "..", "include")
    plain = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    subprocess.run(["cc", "-std=c11", "-x", "c", "-", "-I", include, "-o", program], input="\n".join(lines + ["}"]), text=True, check=True,
                   env=plain)
    assert subprocess.run([program], capture_output=True, text=True, check=True, env=plain).stdout.splitlines() == expected


def test_every_function_of_the_header_is_declared():
    import re

    from graphprof import _library

    with open(os.path.join(PYTHON, "..", "include", "graphprof", "capi.h"), encoding="utf-8") as file:
        declared = set(re.findall(r"graphprof_capi_(\w+)\s*\(", re.sub(r"//.*", "", file.read())))
    assert declared == {name for name, _, _ in _library._FUNCTIONS}
    assert sys.version_info >= (3, 9)
