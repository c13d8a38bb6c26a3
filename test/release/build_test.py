#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The rarer ways of tool/release/build: build_test.py [BUILD_TREE]. Whole builds of them take too long for a test of every change;
test/release/cross does one."""

import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
if len(sys.argv) > 1:
    sys.argv.pop(1)


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], env={"PATH": "/usr/local/bin:/usr/bin:/bin", **environment}, cwd=PROJECT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Build(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="graphprof-build-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def configured(self, *options, **environment):
        return run("cmake", "--preset", "package", "-B", self.folder / "tree", "-DGRAPHPROF_BUILD_TOOL=OFF", "-DGRAPHPROF_BUILD_SIMULATION=OFF",
                   "-DGRAPHPROF_EXPORTER=OFF", *options, **environment)

    def test_each_option_is_explained(self):
        said = run("tool/release/build", "--help")
        self.assertEqual(said.returncode, 0)
        source = (PROJECT / "tool/release/build").read_text()
        options = [line.split(")")[0].strip() for line in source.partition("case $1 in")[2].partition("esac")[0].splitlines()
                   if line.startswith("  --")]
        self.assertIn("--without-nvcc", options)
        for option in options:
            self.assertIn(f"\n    {option} ", said.stdout)

    def test_an_unknown_option_is_refused(self):
        said = run("tool/release/build", "--no-such-option")
        self.assertEqual((said.returncode, said.stdout), (2, "tool/release/build: unknown option --no-such-option; see --help\n"))

    def missing(self, *options, installed=(), commands=()):
        """What it says on a Debian that has these packages and commands alone; it must stop there."""
        bin = self.folder / "bin"
        shutil.rmtree(bin, ignore_errors=True)
        bin.mkdir()
        for name in "bash", "dirname", "git", "realpath", "sed":
            (bin / name).symlink_to(shutil.which(name))
        for name in commands:
            (bin / name).symlink_to("/bin/true")
        (bin / "dpkg-query").write_text('#!/bin/bash\n[[ " $INSTALLED " != *" ${@: -1} "* ]] || echo "install ok installed"\n')
        (bin / "dpkg-query").chmod(0o755)
        said = run("tool/release/build", *options, "--out", self.folder / "dist", PATH=str(bin), INSTALLED=" ".join(installed),
                   SOURCE_DATE_EPOCH="1")
        self.assertEqual(said.returncode, 1, said.stdout)
        self.assertIn("bookworm-security", said.stdout)
        return set(re.search("packages are missing: apt-get install (.*)", said.stdout)[1].split())

    def test_packages_that_are_missing_are_named(self):
        every = self.missing()
        self.assertLessEqual({"cmake", "clang-22", "libfmt-dev", "libsqlite3-dev", "dpkg-dev", "file", "binutils"}, every)
        self.assertEqual(self.missing(installed=every - {"libcli11-dev", "file"}), {"libcli11-dev", "file"})
        # A command may come another way, a library may not.
        self.assertEqual(self.missing(installed=every - {"libcli11-dev", "ninja-build"}, commands=["ninja"]), {"libcli11-dev"})
        self.assertEqual(self.missing("--sysroot", self.folder),
                         {"binutils", "clang-22", "cmake", "lld-22", "llvm-22", "ninja-build", "python3"})

    @unittest.skipUnless(shutil.which("clang-22") and shutil.which("ninja"), "clang-22 or ninja is missing")
    def test_without_nvcc_the_driver_gets_ptx(self):
        configured = self.configured("-DGRAPHPROF_NVCC=", "-DGRAPHPROF_NVTX=OFF")
        self.assertEqual(configured.returncode, 0, configured.stdout)
        self.assertIn("No nvcc: libgraphprof carries its device code as PTX only", configured.stdout)
        image = "runtime/CMakeFiles/graphprof_objects.dir/cuda/DeviceImages.S.o"
        built = run("ninja", "-C", self.folder / "tree", image)
        self.assertEqual(built.returncode, 0, built.stdout)
        data = (self.folder / "tree" / image).read_bytes()
        for source in ("clock/StampKernels.ptx", "bench/BenchKernels.ptx"):
            self.assertIn((PROJECT / "runtime" / source).read_bytes() + b"\0", data, source)

    # And what is not is named, with what is missing.
    @unittest.skipUnless(shutil.which("clang-22") and shutil.which("ninja"), "clang-22 or ninja is missing")
    def test_what_ships_is_hardened(self):
        self.assertEqual(self.configured("-DGRAPHPROF_NVCC=", "-DGRAPHPROF_NVTX=OFF").returncode, 0)
        library = "runtime/libgraphprof_preload.so"
        built = run("ninja", "-C", self.folder / "tree", library)
        self.assertEqual(built.returncode, 0, built.stdout)
        good, bad = (self.folder / name / "lib/libgraphprof_preload.so" for name in ("good", "bad"))
        for path in good, bad:
            path.parent.mkdir(parents=True)
        shutil.copyfile(self.folder / "tree" / library, good)
        (self.folder / "bad.c").write_text("int called(void) { return 1; }\n")
        made = run("clang-22", "-shared", "-fPIC", "-fno-stack-protector", "-fcf-protection=none", "-Wl,-z,lazy", "-Wl,-z,execstack",
                   "-o", bad, self.folder / "bad.c")
        self.assertEqual(made.returncode, 0, made.stdout)

        def said(path):
            lines = run(sys.executable, "tool/release/check", path.parent.parent).stdout.splitlines()
            return [line for line in lines if not line.endswith(" is missing")]

        self.assertEqual(said(good), [])
        expected = ["link it with -z relro -z now", "has a stack that is executable", "-fstack-protector-strong"]
        if platform.machine() == "x86_64":
            expected.append("no indirect call may go to called")
        self.assertEqual(len(said(bad)), len(expected), said(bad))
        for line, words in zip(said(bad), expected):
            self.assertIn(words, line)

    # A folder that is no system of one architecture is refused.
    @unittest.skipUnless(shutil.which("clang-22"), "clang-22 is missing")
    def test_a_folder_without_system_is_refused(self):
        for folders in [(), ("x86_64-linux-gnu", "aarch64-linux-gnu")]:
            for folder in folders:
                (self.folder / "usr/lib" / folder).mkdir(parents=True)
                (self.folder / "usr/lib" / folder / "libc.so").touch()
            configured = self.configured("--toolchain", "tool/release/cross.cmake", GRAPHPROF_SYSROOT=str(self.folder))
            self.assertNotEqual(configured.returncode, 0)
            self.assertIn("it is no Debian of one architecture with libc6-dev", " ".join(configured.stdout.split()))


if __name__ == "__main__":
    unittest.main()
