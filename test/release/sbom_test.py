#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The bill of what is bundled (tool/release/sbom.py), made of files that say what real ones say: sbom_test.py [BUILD_TREE]. wheel_test.py
and test/e2e/builds/deb.test look at those of the packages."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "tool/release"))
import sbom  # noqa: E402

ELF = b"\x7fELF\0"
SQLITE = ELF + b"\0003.40.1\0" + b"\0fts5: 2022-12-28 14:03:47 " + 60 * b"d" + b"\0"
STANDARD_LIBRARY = ELF + b"\0St9exception\0\0GCC: (Debian 12.2.0-14) 12.2.0\0"


class Bill(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="graphprof-sbom-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.with_packages()

    def with_packages(self, **versions):
        """A Debian that has these packages alone."""
        admin = self.folder / "system/var/lib/dpkg"
        admin.mkdir(parents=True, exist_ok=True)
        (admin / "status").write_text("".join(
            f"Package: {name.replace('_', '-')}\nStatus: install ok installed\nMaintainer: nobody\nArchitecture: amd64\nVersion: {version}\n"
            "Description: of the test\n\n" for name, version in versions.items()))
        environment = mock.patch.dict(os.environ, {"GRAPHPROF_SYSROOT": str(self.folder / "system")})
        environment.start()
        self.addCleanup(environment.stop)
        sbom.debian.cache_clear()
        self.addCleanup(sbom.debian.cache_clear)

    def found(self, data):
        return {component["name"]: component.get("version") for component in sbom.inside(data)}

    def test_what_is_inside_is_found_with_its_version(self):
        self.assertEqual(self.found(SQLITE), {"SQLite": "3.40.1"})
        self.assertEqual(self.found(STANDARD_LIBRARY), {"GNU C++ standard library": "12.2.0"})
        self.assertEqual(self.found(b"\0 inflate 1.2.13 Copyright 1995-2022 Mark Adler \0"), {"zlib": "1.2.13"})
        self.assertEqual(self.found(b"N8nlohmann16json_abi_v3_11_26detail9exceptionE"), {"nlohmann-json": "3.11.2"})
        self.assertEqual(self.found(b"N3fmt2v912format_errorE"), {"fmt": "9"})
        self.assertEqual(self.found(b"N3fmt3v1112format_errorE"), {"fmt": "11"})
        self.assertEqual(self.found(b"N3CLI10ParseErrorE"), {"CLI11": None})
        self.assertEqual(self.found(b"\0/etc/terminfo:/lib/terminfo\0"), {"ncurses": None})
        self.assertEqual(self.found(b"\0InitializeInjectionNvtx2\0\0NVTX_INJECTION64_PATH\0"), {"NVTX": None})
        texts = (PROJECT / "tool/graphprof/html/third_party/echarts/LICENSES.txt").read_bytes()
        package = json.loads((PROJECT / "tool/graphprof/html/third_party/echarts/package.json").read_text())
        self.assertEqual(self.found(texts)["ECharts"], package["dependencies"]["echarts"])
        self.assertEqual(set(self.found(texts)), {"ECharts", "zrender", "tslib"})

    def test_what_is_only_named_is_not(self):
        self.assertEqual(self.found(ELF + b"\0_ZTISt9exception\0\0GCC: (Debian 12.2.0-14) 12.2.0\0"), {})  # a shared one
        self.assertEqual(self.found(b"\0NVTX_INJECTION64_PATH\0"), {})  # the command sets it
        self.assertEqual(self.found(b"\x003.40.1\0"), {})

    def test_a_package_of_that_version_says_more(self):
        self.with_packages(libsqlite3_dev="3.40.1-2+deb12u2", libcli11_dev="2.1.2+ds-1", libfmt_dev="9.1.0+ds1-2", zlib1g_dev="1:1.2.13.dfsg-1")
        component, = sbom.inside(SQLITE)
        self.assertEqual(component["purl"], "pkg:deb/debian/libsqlite3-dev@3.40.1-2%2Bdeb12u2?arch=amd64")
        self.assertEqual(self.found(b"N3fmt2v912format_errorE"), {"fmt": "9.1.0"})
        self.assertEqual(self.found(b"N3CLI10ParseErrorE"), {"CLI11": "2.1.2"})
        component, = sbom.inside(b"\0 inflate 1.2.13 Copyright")
        self.assertEqual(component["purl"], "pkg:deb/debian/zlib1g-dev@1%3A1.2.13.dfsg-1?arch=amd64")

    def test_a_package_of_another_version_says_nothing(self):
        self.with_packages(libsqlite3_dev="3.40.10-2", libfmt_dev="10.1.0-1")
        component, = sbom.inside(SQLITE)
        self.assertEqual(component["purl"], "pkg:generic/sqlite@3.40.1")
        self.assertEqual(self.found(b"N3fmt2v912format_errorE"), {"fmt": "9"})

    def test_the_form(self):
        (self.folder / "tree/bin").mkdir(parents=True)
        (self.folder / "tree/bin/program").write_bytes(SQLITE)
        (self.folder / "tree/bin/link").symlink_to("program")
        (self.folder / "tree/page.txt").write_bytes(b"no program: " + SQLITE[4:])
        command = [sys.executable, PROJECT / "tool/release/sbom.py", "--name", "graphprof", "--version", "1.2.3", self.folder / "tree"]
        said = [subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, "SOURCE_DATE_EPOCH": "0"}).stdout for _ in range(2)]
        self.assertEqual(*said)
        bill = json.loads(said[0])
        self.assertEqual((bill["bomFormat"], bill["specVersion"], bill["version"]), ("CycloneDX", "1.6", 1))
        self.assertRegex(bill["serialNumber"], "^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        self.assertEqual(bill["metadata"]["timestamp"], "1970-01-01T00:00:00Z")
        self.assertEqual(bill["metadata"]["component"]["version"], "1.2.3")
        self.assertEqual([component["name"] for component in bill["components"]], ["bin/program", "SQLite"])
        self.assertEqual({edge["ref"]: edge.get("dependsOn") for edge in bill["dependencies"]}, {
            "graphprof@1.2.3": ["bin/program"], "bin/program": ["pkg:generic/sqlite@3.40.1"], "pkg:generic/sqlite@3.40.1": None})

    def test_each_part_has_its_licence_in_the_packages(self):
        """And nothing has a licence there that is no longer looked for. d3's code is in ECharts'; the header has the standard library."""
        copyright = (PROJECT / "tool/cmake/debian/copyright").read_text()
        named = set(re.findall(r"^Files: (\S+)$", copyright, re.MULTILINE)) - {"*", "d3"}
        self.assertEqual(named, {part.name for part in sbom.PARTS} - {"GNU C++ standard library"})
        self.assertIn("GNU C++ standard library", copyright.partition("\n\n")[0])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.argv.pop(1)
    unittest.main()
