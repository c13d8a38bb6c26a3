#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# demo_test.py GRAPHPROF: graphprof demo, on the simulated driver of the build or the installation.

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GRAPHPROF = os.path.abspath(sys.argv[1])
FILES = ["graphprof-demo.gprof", "graphprof-demo.html", "graphprof-demo.json"]
LAYERS, REPLAYS = 4, 100

# A driver that answers what the command asks before it runs anything, and has no more.
DRIVER = """
#include <string.h>
int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuInit(unsigned flags) { return INIT; }
int cuDeviceGetCount(int *count) { *count = COUNT; return 0; }
int cuDeviceGetName(char *name, int length, int device) { strcpy(name, "Some GPU"); return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) { *value = attribute == 75 ? MAJOR : 0; return 0; }
"""
USUAL = {"VERSION": 13000, "INIT": 0, "COUNT": 1, "MAJOR": 9}


class Demo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.here = self.folder / "here"
        self.here.mkdir()

    def graphprof(self, *words, status=0, command=GRAPHPROF, environment=None, **others):
        plain = {key: value for key, value in os.environ.items() if not key.startswith(("GRAPHPROF_", "LD_", "BROWSER"))}
        result = subprocess.run([command, *words], env=plain | (environment or {}), cwd=self.here, capture_output=True, text=True, timeout=60,
                                stdin=subprocess.DEVNULL, **others)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def demo(self, *words, **others):
        return self.graphprof("demo", "--simulated", *words, **others)

    def refused(self, *words, **others):
        """With status 2, on standard error, before anything is run or written."""
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        result = self.demo(*words, status=2, **others)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"\Agraphprof demo: [^\n]*\n\Z")
        self.assertEqual({path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}, before)
        return result.stderr

    def driver(self, **values):
        """The environment with a driver that answers so."""
        source = self.folder / "driver.c"
        source.write_text(DRIVER)
        defined = [f"-D{name}={value}" for name, value in (USUAL | values).items()]
        subprocess.run(["cc", "-shared", "-fPIC", *defined, source, "-o", self.folder / "libcuda.so.1"], check=True)
        return {"LD_LIBRARY_PATH": str(self.folder)}


class WhatIsShown(Demo):
    def test_table_trace_and_page(self):
        result = self.demo()
        self.assertEqual(sorted(os.listdir(self.here)), FILES)
        self.assertIn("graphprof: time of each region", result.stderr)
        for name in ("layer {} ×4", "attention", "feed forward", "project_up", "store_cache"):
            self.assertRegex(result.stderr, rf"(?m)^ *{re.escape(name)} ")
        with open(self.here / "graphprof-demo.json") as file:
            names = [event.get("name") for event in json.load(file)["traceEvents"] if event.get("cat") == "graphprof_region"]
        for layer in range(LAYERS):
            self.assertEqual(names.count(f"layer {layer}"), REPLAYS)
        page = (self.here / "graphprof-demo.html").read_text()
        self.assertIn('<meta name="generator" content="graphprof ', page)
        self.assertIn("project_down", page)

    def test_it_says_that_times_are_made_up(self):
        result = self.demo()
        self.assertRegex(result.stdout, r"\AOn a simulated driver: --simulated was given\.\n")
        self.assertIn("graphprof sim: kernels take made-up times and compute nothing\n", result.stderr)
        self.assertRegex(result.stdout, r"\nAll times of this demo are made up: nothing ran on a GPU\.\n\Z")

    def test_it_ends_with_the_readers_own_program(self):
        said = self.demo().stdout
        for file in FILES:
            self.assertRegex(said, rf"(?m)^    {re.escape(file)}  +the ")
        commands = re.findall(r"(?m)^    (graphprof .*)$", said)
        self.assertEqual([command.split()[1] for command in commands], ["run", "html", "diff"])
        for command in commands:
            self.assertIn("options", self.graphprof(command.split()[1], "--help").stdout.lower())

    def test_report_without_a_file_shows_it(self):
        self.demo()
        result = self.graphprof("report", "--json")
        self.assertEqual(result.stderr, "graphprof report: graphprof-demo.gprof, the newest recording in this folder\n")
        rows = {row["path"]: row["count"] for row in json.loads(result.stdout)["rows"]}
        self.assertEqual(rows["layer 3/feed forward/project_down"], REPLAYS - 1)  # the first is cold

    def test_what_the_environment_sets_changes_nothing(self):
        result = self.demo(environment={"GRAPHPROF_ENABLED": "0", "GRAPHPROF_OUTPUT": "/dev/full", "GRAPHPROF_SCHEDULE": "wait=1000,active=1"})
        self.assertIn("graphprof: time of each region", result.stderr)
        self.assertEqual(sorted(os.listdir(self.here)), FILES)

    def test_its_program_is_one_as_any_other(self):
        alone = self.graphprof("sim", "run", "-o", "run.gprof", "--", GRAPHPROF, "demo", "--program")
        self.assertEqual(alone.stdout, "100 tokens, each a replay of a CUDA graph: a decoder of 4 layers\n")
        rows = {row["path"]: row["count"] for row in json.loads(self.graphprof("report", "--json", "run.gprof").stdout)["rows"]}
        self.assertEqual(rows["layer 0"], REPLAYS - 1)


class WhereItWrites(Demo):
    def test_again_and_again(self):
        self.demo()
        first = {name: (self.here / name).stat().st_mtime_ns for name in FILES}
        self.demo()
        self.assertEqual(sorted(os.listdir(self.here)), FILES)
        for name in FILES:
            self.assertGreater((self.here / name).stat().st_mtime_ns, first[name])

    def test_a_folder_is_made(self):
        for folder in ("new/of two", "a,b {pid}", self.folder / "elsewhere"):
            said = self.demo("-o", folder).stdout
            self.assertEqual(sorted(os.listdir(self.here / folder)), FILES)
            for file in FILES:
                self.assertIn(f"    {folder}/{file}  ", said)

    def test_what_it_did_not_make_is_kept(self):
        for name in FILES:
            with self.subTest(name):
                (self.here / name).write_text("my own\n")
                said = self.refused()
                self.assertIn(f"{name}: would overwrite a file that is nothing that graphprof wrote there", said)
                self.demo("--force")
                self.assertNotEqual((self.here / name).read_bytes(), b"my own\n")

    def test_a_recording_of_another_output_is_kept(self):
        self.graphprof("sim", "run", "-o", "run.gprof", "--", GRAPHPROF, "demo", "--program")
        os.rename(self.here / "run.gprof", self.here / "graphprof-demo.html")
        self.assertIn("graphprof-demo.html: would overwrite a recording", self.refused())

    def test_a_folder_that_cannot_be_written(self):
        self.assertRegex(self.refused("-o", "/proc/demo"), r"-o /proc/demo: .*No such file|-o /proc/demo: .*[Pp]ermi")
        (self.here / "file").write_text("")
        self.assertRegex(self.refused("-o", "file"), r"-o file: Not a directory")

    def test_a_current_folder_that_cannot_be_written(self):
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        os.chmod(self.folder, 0o755)
        os.chmod(self.here, 0o555)
        self.addCleanup(os.chmod, self.here, 0o755)
        said = self.refused(**user)
        self.assertRegex(said, r"graphprof-demo\.gprof.*Permission denied.*\(-o DIR chooses another folder\)")

    def test_mistakes_on_the_command_line(self):
        self.assertIn("see graphprof demo --help", self.refused("--frob"))
        self.assertIn("see graphprof demo --help", self.refused("file"))
        self.assertRegex(self.demo("--help").stdout, r"(?s)--open.*Exit status: 0 shown; 1 .*; 2 .*; 125 ")


class WhereItRuns(Demo):
    def test_without_a_gpu_it_is_simulated(self):
        drivers = {
            "the driver is for CUDA 12.2, and graphprof needs 12.3 or later": {"VERSION": 12020},
            "the driver cannot be used (cuInit returns 100)": {"INIT": 100},
            "the driver finds no GPU": {"COUNT": 0},
            "Some GPU has compute capability 6.0, and the demo needs 7.0": {"MAJOR": 6},
        }
        for why, values in drivers.items():
            with self.subTest(why):
                result = self.graphprof("demo", environment=self.driver(**values))
                self.assertIn(f"On a simulated driver: {why}.\n", result.stdout)
                self.assertIn("All times of this demo are made up", result.stdout)

    def test_without_a_driver_it_is_simulated(self):
        (self.folder / "libcuda.so.1").write_text("none")  # which the loader takes for broken
        result = self.graphprof("demo", environment={"LD_LIBRARY_PATH": str(self.folder)})
        self.assertRegex(result.stdout, r"On a simulated driver: there is no CUDA driver \(.*libcuda\.so\.1: .*\)\.\n")

    def test_under_the_simulated_driver_times_are_made_up_too(self):
        simulated = next(Path(GRAPHPROF).resolve().parent.parent.glob("lib*/**/graphprof/simulation/driver"))
        result = self.graphprof("demo", environment={"LD_LIBRARY_PATH": str(simulated)})
        self.assertIn("All times of this demo are made up", result.stdout)

    def test_a_gpu_on_which_the_program_fails(self):
        for count, name in ((1, "Some GPU"), (8, "Some GPU, the first of 8 GPUs")):
            result = self.graphprof("demo", status=1, environment=self.driver(COUNT=count))
            self.assertEqual(result.stdout, f"On {name}.\n")
            self.assertIn("graphprof demo: the program cannot run: the CUDA driver lacks cuDevicePrimaryCtxRetain\n", result.stderr)
            self.assertTrue(result.stderr.endswith("graphprof demo: to see it without the GPU: graphprof demo --simulated\n"), result.stderr)
            self.assertEqual(os.listdir(self.here), [])

    def test_without_the_simulated_driver(self):
        root = self.folder / "root"
        source = Path(GRAPHPROF).resolve().parent.parent
        preload = next(path for path in source.rglob("libgraphprof_preload.so"))
        (root / "bin").mkdir(parents=True)
        shutil.copy(GRAPHPROF, root / "bin/graphprof")
        os.symlink(preload.parent, root / preload.parent.relative_to(source))
        if (root / preload.parent.relative_to(source) / "graphprof/simulation").exists():
            self.skipTest("an installation, where it is beside the library")
        result = self.graphprof("demo", "--simulated", status=125, command=root / "bin/graphprof")
        self.assertRegex(result.stderr, r"graphprof sim: .*/driver/libcuda\.so\.1 does not exist; ")
        self.assertEqual(os.listdir(self.here), [])


class Browser(Demo):
    def test_the_page_is_opened(self):
        browser = self.folder / "browser"
        browser.write_text(f'#!/bin/sh\necho "$@" >{self.folder}/opened.part\necho noise\nmv {self.folder}/opened.part {self.folder}/opened\n')
        browser.chmod(0o755)
        result = self.demo("--open", "-o", "new", environment={"BROWSER": str(browser)})
        subprocess.run(["sh", "-c", f"for i in $(seq 100); do [ -e {self.folder}/opened ] && exit; sleep 0.1; done; exit 1"], check=True)
        self.assertEqual((self.folder / "opened").read_text(), f"{os.path.realpath(self.here)}/new/graphprof-demo.html\n")
        self.assertNotIn("noise", result.stdout + result.stderr)

    def test_no_browser(self):
        result = self.demo("--open", environment={"BROWSER": "/nowhere/browser"})
        self.assertIn("graphprof demo: --open: /nowhere/browser cannot be run: No such file or directory; set BROWSER", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
