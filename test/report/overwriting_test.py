#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What commands write over: only what an earlier one of theirs wrote there, whatever order of names a shell makes of *.gprof.
#
#     test/report/overwriting_test.py GRAPHPROF [unittest's arguments]

import subprocess
import sys
import unittest
from pathlib import Path

from folders import FolderCase
from jobs import Job
from report_test import model

GRAPHPROF = None

RECORDING = "would overwrite a recording; name another file, or add --force"
ANOTHERS = "would overwrite a file that is nothing that graphprof wrote there; name another file, or add --force"
INPUT = "would overwrite what it is made of; name another file"


class Overwriting(FolderCase):
    def setUp(self):
        super().setUp()
        for name in "a.gprof", "b.gprof", "c.gprof":
            self.write(name, model().gprof())

    def command(self, *words):
        return subprocess.run([GRAPHPROF, *words], capture_output=True, text=True, cwd=self.folder, check=False)

    def done(self, *words):
        result = self.command(*words)
        self.assertEqual(result.returncode, 0, result.stderr)

    def refused(self, why, *words, status=2):
        """Nothing is written."""
        before = {path.name: path.read_bytes() for path in Path(self.folder).iterdir()}
        result = self.command(*words)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertIn(why, result.stderr)
        self.assertEqual({path.name: path.read_bytes() for path in Path(self.folder).iterdir()}, before)

    def test_recordings_of_a_pattern_are_kept(self):
        files = ["a.gprof", "b.gprof", "c.gprof"]
        self.refused(f"b.gprof: {RECORDING}", "convert", *files)
        self.refused(f"-o a.gprof: {RECORDING}", "html", "-o", *files)
        self.write("renamed.json", Path(self.folder, "b.gprof").read_bytes())
        self.refused(f"-o renamed.json: {RECORDING}", "merge", "-o", "renamed.json", *files)
        self.refused(f"renamed.json: {RECORDING}", "convert", "a.gprof", "renamed.json")

    def test_inputs_are_kept_even_with_force(self):
        Path(self.folder, "link.csv").symlink_to("a.gprof")
        for force in [], ["--force"]:
            for output in "a.gprof", "table:./a.gprof", "link.csv":
                self.refused(f"{output}: {INPUT}", "convert", *force, "a.gprof", output)
            self.refused(f"-o b.gprof: {INPUT}", "html", *force, "-o", "b.gprof", "a.gprof", "--", "b.gprof")

    def test_the_same_output_replaces_its_own(self):
        outputs = ["t.csv", "t.jsonl", "t.json", "t.json.gz", "t.dot", "table:t.txt", "replays:r.txt", "key_averages:k.txt", "graph:g.json", "t.db"]
        self.write("graphs.gprof", (Path(__file__).parents[2] / "examples/recordings/branches.gprof").read_bytes())
        for _ in range(2):
            self.done("convert", "graphs.gprof", *outputs)
            self.done("html", "a.gprof")
        job = Job(2, steps=5)
        ranks = [self.write(f"rank{i}.gprof", recording.gprof()) for i, recording in enumerate(job.recordings)]
        for _ in range(2):
            self.done("merge", "-o", "job.json", *ranks)

    def test_anothers_files_are_kept(self):
        outputs = ["notes.csv", "notes.jsonl", "notes.json", "notes.json.gz", "notes.dot", "table:notes.csv", "replays:notes.csv",
                   "key_averages:notes.csv", "graph:notes.json"]
        names = {output.rpartition(":")[2] for output in outputs} | {"notes.html", "notes.svg"}
        for name in names:
            self.write(name, b"mine: 3 us too many\n")
        for output in outputs:
            self.refused(f"{output}: {ANOTHERS}", "convert", "a.gprof", output)
        self.refused(f"-o notes.html: {ANOTHERS}", "html", "-o", "notes.html", "a.gprof")
        self.refused(f"-o notes.json: {ANOTHERS}", "merge", "-o", "notes.json", "a.gprof", "b.gprof")
        self.write("a.dot", b"digraph graphprof {}")
        self.refused(f"notes.svg: {ANOTHERS}", "convert", "a.dot", "notes.svg")
        # A torch trace is not graphprof's, nor is a trace a table.
        self.write("theirs.json", b'{\n  "schemaVersion": 1,\n  "deviceProperties": []}')
        self.refused(f"theirs.json: {ANOTHERS}", "convert", "a.gprof", "theirs.json")
        self.done("convert", "a.gprof", "t.csv")
        self.refused(f"table:t.csv: {ANOTHERS}", "convert", "a.gprof", "table:t.csv")
        self.done("convert", "a.gprof", "--force", "notes.csv")
        self.assertTrue(Path(self.folder, "notes.csv").read_text().startswith("name,path,"))
        self.done("html", "--force", "-o", "notes.html", "a.gprof")

    def test_empty_files_and_streams_are_written(self):
        self.write("new.csv", b"")
        self.done("convert", "a.gprof", "new.csv", "table:/dev/null")

    # Before anything runs.
    def test_run_looks_first(self):
        self.write("notes.csv", b"mine\n")
        run = lambda output: ("run", "-o", output, "--", "sh", "-c", "touch it-ran")
        self.refused(f"-o notes.csv: {ANOTHERS}", *run("table,notes.csv"), status=125)
        self.refused(f"-o table:a.gprof: {RECORDING}", *run("table:a.gprof"), status=125)
        self.refused("-o out/{rank}.gprof: the folder", *run("out/{rank}.gprof"), status=125)
        self.refused("Is a directory", *run(f"table:{self.folder}"), status=125)

    def test_wrong_order_is_named(self):
        self.refused("the recording comes first; did you mean graphprof convert a.gprof t.json table?", "convert", "t.json", "a.gprof", "table")

    def test_wrong_inputs_are_named(self):
        self.write("empty.gprof", b"")
        self.write("b.json", b'{"benchmarks": []}')
        self.done("convert", "a.gprof", "t.csv")
        for name, why in (("empty.gprof", "is empty; the program that writes it has not begun, or failed"), (".", "is a folder; name the files in it"),
                          ("none.gprof", "No such file or directory"), ("t.csv", "is CSV, which graphprof writes for other programs"),
                          ("b.json", "is not a recording of graphprof, which is a binary file (PATH.gprof)")):
            self.refused(f"cannot read {name}: {why}", "convert", name, "table", status=1)


if __name__ == "__main__":
    GRAPHPROF = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
