#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# versions_test.py DRIVER LIBRARY [INCLUDE]: what CUDASIM_VERSION hides of the simulated driver (libcuda.so.1) and of libcudasim.so
# is what a driver of that version lacks. With the headers of a toolkit in INCLUDE the table of versions is also compared with
# cudaTypedefs.h.

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
DRIVER, LIBRARY = (os.path.abspath(path) for path in sys.argv[1:3])
INCLUDE = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
VERSIONS = ["12.2", "12.3", "12.4", "12.8", "13.0", "13.2", "13.3", "13.5"]
OLDEST = 12000  # of the table
OURS = {"cuGraphExecRenew"}  # a function that no CUDA has (driver/Driver.cpp)

sys.path.insert(0, str(HERE.parent / "tool" / "Inputs"))
from driver_versions import version_of, versions_of_names  # noqa: E402

# What a process finds in a library, by dlsym and, in a driver, by cuGetProcAddress with the version of the driver.
FINDING = """
import ctypes, json, sys
library = ctypes.CDLL(sys.argv[1])
names, version = json.loads(sys.argv[2]), ctypes.c_int()
by_name = [name for name in names if hasattr(library, name)]
is_driver = hasattr(library, "cuGetProcAddress_v2")
(library.cuDriverGetVersion if is_driver else library.cudaDriverGetVersion)(ctypes.byref(version))
runtime = ctypes.c_int()
if not is_driver: library.cudaRuntimeGetVersion(ctypes.byref(runtime))
asked = []
if is_driver:
    for name in names:
        found = ctypes.c_void_p()
        if library.cuGetProcAddress_v2(name.encode(), ctypes.byref(found), version, ctypes.c_ulonglong(0), None) == 0:
            asked.append(name)
print(json.dumps([by_name, asked, version.value, runtime.value]))
"""


def number(version):
    major, minor = version.split(".")
    return int(major) * 1000 + int(minor) * 10


def finds(library, names, version):
    environment = {**os.environ, "CUDASIM_VERSION": version}
    command = [sys.executable, "-c", FINDING, library, json.dumps(names)]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True).stdout)


def exported(library):
    printed = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, check=True, text=True).stdout
    return sorted({line.split()[2] for line in printed.splitlines() if re.search(r" T cu[A-Z]", line)})


TABLE = (HERE / "include" / "cudasim" / "versions.def").read_text()
SINCE = {name: int(since) for name, since in re.findall(r"^CUDASIM_DRIVER_SINCE\((\w+), (\d+)\)", TABLE, re.MULTILINE)}
RUNTIME_SINCE = {name: int(since) for name, since in re.findall(r"^CUDASIM_RUNTIME_SINCE\((\w+), (\d+)\)", TABLE, re.MULTILINE)}


class Versions(unittest.TestCase):
    def assert_finds(self, library, version, names, forms):
        by_name, asked, told, runtime = finds(library, sorted({*names, *forms}), version)
        self.assertEqual([name for name in by_name if name in names], [name for name in names if SINCE.get(name, 0) <= number(version)])
        self.assertEqual(told, number(version))
        if library == DRIVER:
            self.assertEqual([name for name in asked if name in forms], [name for name in forms if min(forms[name]) <= number(version)])
        else:
            self.assertEqual(runtime, min(number(version), 13000))

    # Neither by dlsym, nor by cuGetProcAddress and the plain name: there a driver that lacks the newest form has an older one, or none.
    def test_what_a_driver_lacks_is_not_found(self):
        for library, versions in (DRIVER, VERSIONS), (LIBRARY, ["12.3", "13.2"]):
            names, forms = exported(library), {}
            self.assertGreater(len(names), 150)
            for name in names:
                forms.setdefault(re.sub(r"(_v\d)?(_pt[sd][sz])?$", "", name), []).append(SINCE.get(name, 0))
            for version in versions:
                with self.subTest(library=library, version=version):
                    self.assert_finds(library, version, names, dict(sorted(forms.items())))

    def test_a_function_of_cudart_that_needs_a_newer_driver(self):
        program = """
import ctypes, json, sys
library = ctypes.CDLL(sys.argv[1])
print(json.dumps([name for name in sys.argv[2:] if library[name](*[None] * 8) == 36]))  # cudaErrorCallRequiresNewerDriver
"""
        for version in "12.0", "12.3", "13.0":
            with self.subTest(version):
                environment = {**os.environ, "CUDASIM_VERSION": version}
                command = [sys.executable, "-c", program, LIBRARY, *RUNTIME_SINCE]
                refused = json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True).stdout)
                self.assertEqual(refused, [name for name, since in RUNTIME_SINCE.items() if since > number(version)])

    def test_a_version_that_does_not_exist(self):
        for version in "11.8", "13.6", "new":
            with self.subTest(version):
                environment = {**os.environ, "CUDASIM_VERSION": version}
                command = [sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", DRIVER]
                result = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True)
                self.assertEqual(result.returncode, 2)
                self.assertIn(f"CUDASIM_VERSION is '{version}', which is no version of CUDA from 12.0 to 13.5", result.stderr)

    @unittest.skipIf(INCLUDE is None, "no toolkit")
    def test_the_table_says_what_the_toolkit_says(self):
        versions = versions_of_names(INCLUDE)
        newest = max(max(each) for each in versions.values())
        symbols = {re.sub(r"_pt[sd][sz]$", "", name) for name in exported(DRIVER)} - OURS
        told = {}
        for symbol in symbols | set(SINCE):
            since = version_of(symbol, versions)
            if since is not None and since > OLDEST:
                told[symbol] = since
        self.assertEqual({name: since for name, since in SINCE.items() if since <= newest}, told)

    # Those that came after the toolkit, where they are of graphs: the other list says the same.
    def test_both_lists_of_newer_functions_agree(self):
        listed = {}
        for line in (HERE.parent / "tool" / "Inputs" / "newer_calls.txt").read_text().splitlines():
            if line and not line.startswith("#"):
                version, name = line.split()[:2]
                listed[name] = number(version)
        self.assertEqual(listed, {name: SINCE.get(name) for name in listed})


unittest.main(argv=sys.argv[:1])
