#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The RPM, made of a build tree: rpm_test.py BUILD_TREE. It is unpacked and used as it would be installed."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(sys.argv.pop(1) if len(sys.argv) > 1 else PROJECT / "build/dev").resolve()
VERSION = ".".join(re.findall(r"#define GRAPHPROF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (PROJECT / "include/graphprof/version.h").read_text()))


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@unittest.skipUnless(shutil.which("rpmbuild"), "rpmbuild is missing (Debian's package rpm)")
class Rpm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="graphprof-rpm-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        made = run(PROJECT / "tool/release/rpm", BUILD, cls.folder, GRAPHPROF_REPOSITORY="https://host.test/owner/graphprof")
        assert made.returncode == 0, made.stdout
        cls.path, = cls.folder.glob("*.rpm")
        cls.root = cls.folder / "root"
        cls.root.mkdir()
        subprocess.run(["rpm2archive", cls.path], check=True)
        archive = next(path for path in (Path(f"{cls.path}.tgz"), Path(f"{cls.path}.tar.gz")) if path.exists())
        subprocess.run(["tar", "-xzf", archive, "-C", cls.root], check=True)

    def said(self, *query):
        return subprocess.run(["rpm", "-qp", *query, self.path], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()

    def test_what_it_says(self):
        self.assertEqual(self.path.name, f"graphprof-{VERSION}-1.{os.uname().machine}.rpm")
        self.assertEqual(self.said("--queryformat", "%{LICENSE}\n%{URL}\n%{BUILDTIME}\n"),
                         ["Apache-2.0 WITH LLVM-exception", "https://host.test/owner/graphprof", "1700000000"])
        self.assertIn(f"graphprof = {VERSION}-1", self.said("--provides"))
        self.assertIn("libgraphprof.so.0()(64bit)", self.said("--provides"))
        self.assertFalse([each for each in self.said("--provides") if "libcuda" in each or "preload" in each])

    def test_what_it_needs(self):
        for each in self.said("--requires"):
            if newer := re.search(r"\(GLIBC_(\d+)\.(\d+)\)", each):
                self.assertLessEqual((int(newer[1]), int(newer[2])), (2, 28), each)
            self.assertRegex(each, r"^(lib(c|m|dl|rt|pthread|gcc_s)\.so|ld-linux|rtld|rpmlib|/sbin/ldconfig$|/bin/bash$)")

    def test_it_has_its_own_folders_alone(self):
        files = self.said("--queryformat", "[%{FILEMODES:perms} %{FILENAMES}\n]")
        folders = [line.split(" ", 1)[1] for line in files if line.startswith("d")]
        self.assertIn("/usr/share/doc/graphprof", folders)
        self.assertEqual([folder for folder in folders if not re.match(r"/usr/(lib|share|share/doc|share/licenses)/graphprof(/|$)", folder)], [])
        for name in ["bin/graphprof", "bin/graphprof-convert", "lib64/libgraphprof.so.0", "share/licenses/graphprof/LICENSE",
                     "share/doc/graphprof/graphprof.cdx.json", "share/graphprof/actions/diff/action.yml"]:
            self.assertTrue((self.root / "usr" / name).is_file(), name)

    def test_it_works_where_it_is(self):
        command = self.root / "usr/bin/graphprof"
        self.assertEqual(run(command, "--version").stdout, f"graphprof {VERSION}\n")
        self.assertEqual(run(command, "run", "--", "sh", "-c", "echo $LD_PRELOAD").stdout.splitlines()[-1],
                         f"{self.root}/usr/lib/graphprof/lib/libgraphprof_preload.so")
        if (PROJECT / "python/graphprof/__init__.py").exists():
            said = run(sys.executable, "-c", "import graphprof; print(graphprof.__version__)", GRAPHPROF_OUTPUT="",
                       PYTHONPATH=str(self.root / "usr/lib/graphprof/lib/python3/dist-packages"))
            self.assertIn(f"{VERSION}\n", said.stdout)

    def test_what_is_bundled_is_listed(self):
        bill = json.loads((self.root / "usr/share/doc/graphprof/graphprof.cdx.json").read_text())
        self.assertIn("usr/lib/graphprof/bin/graphprof", {component["bom-ref"] for component in bill["components"]})
        self.assertIn("fmt", {component["name"] for component in bill["components"]})

    def test_the_same_files_make_the_same_bytes(self):
        made = run(PROJECT / "tool/release/rpm", BUILD, self.folder / "again", GRAPHPROF_REPOSITORY="https://host.test/owner/graphprof")
        self.assertEqual(made.returncode, 0, made.stdout)
        self.assertEqual((self.folder / "again" / self.path.name).read_bytes(), self.path.read_bytes())


if __name__ == "__main__":
    unittest.main()
