"""families.py PROGRAM FOLDER: what is left of several processes of test/e2e/families.cu that share GRAPHPROF_OUTPUT."""

import os
import re
import shutil
import subprocess
import sys
import unittest

PROGRAM, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])

# An output, and how its files begin and end.
FORMATS = {
    "run.csv": ("run", ".csv"),
    "run.json": ("run", ".json"),
    "run.jsonl": ("run", ".jsonl"),
    "run.gprof": ("run", ".gprof"),
    "table:table.txt": ("table", ".txt"),
    "key_averages:averages.txt": ("averages", ".txt"),
    "replays:replays.txt": ("replays", ".txt"),
    "graph:graphs.json": ("graphs", ".json"),
}


class Families(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        os.makedirs(os.path.join(FOLDER, "other"))

    def environment(self, outputs=FORMATS):
        return {**os.environ, "GRAPHPROF_OUTPUT": ",".join(outputs)}

    def start(self, *words):
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [PROGRAM, *words], env=self.environment(), cwd=FOLDER, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )

    def run_program(self, *words, outputs=FORMATS):
        done = subprocess.run([PROGRAM, *words], env=self.environment(outputs), cwd=FOLDER, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    # Whose regions are in the files of each format: one process's in each file.
    def assert_files_of(self, *processes):
        for output, (begin, end) in FORMATS.items():
            with self.subTest(output):
                found = []
                for name in os.listdir(FOLDER):
                    if name.startswith(begin) and name.endswith(end):
                        with open(os.path.join(FOLDER, name), "rb") as file:
                            found.append(sorted(set(re.findall(rb"of ([a-z]+[0-9])", file.read()))))
                self.assertEqual(sorted(found), sorted([[process.encode()] for process in processes]))

    def test_an_earlier_run_is_replaced(self):
        for name in ("one1", "two2"):
            self.assertRegex(self.run_program("launch", name), r"\Agraphprof: wrote run\.csv, .*\n\Z")
        self.assert_files_of("two2")

    def test_children_that_were_forked(self):
        said = self.run_program("fork", "child1", "fork", "child2", "launch", "parent1")
        self.assert_files_of("child1", "child2", "parent1")
        self.assertRegex(
            said,
            r"graphprof: run\.csv belongs to another process, which wrote it since this run began; this process "
            r"writes run\.\d+\.csv\. \{pid\} in the name keeps them apart\n",
        )

    def test_children_one_after_the_other(self):
        self.run_program("run", f"{PROGRAM} launch child1", "run", f"{PROGRAM} launch child2", "launch", "parent1")
        self.assert_files_of("child1", "child2", "parent1")

    def test_grandchildren(self):
        child = f"{PROGRAM} run '{PROGRAM} launch grand1' run '{PROGRAM} launch grand2'"
        self.run_program("run", child, "run", f"sh -c '{PROGRAM} launch child1; true'")
        self.assert_files_of("grand1", "grand2", "child1")

    def test_children_at_the_same_time(self):
        self.run_program("run", f"{PROGRAM} launch child1 & {PROGRAM} launch child2 & {PROGRAM} launch child3; wait")
        self.assert_files_of("child1", "child2", "child3")

    # The later one began after the earlier one's last record, and writes when that one has ended.
    def overlap(self, end):
        earlier = self.start("launch", "early1", "flush", "written", "wait", "waiting")
        self.assertEqual(earlier.stdout.readline() + earlier.stdout.readline(), "written\nwaiting\n")
        later = self.start("wait", "begun", "launch", "late1")
        self.assertEqual(later.stdout.readline(), "begun\n")
        end(earlier)
        earlier.wait()
        later.communicate("\n")
        self.assertEqual(later.returncode, 0)
        earlier.stdout.close(), earlier.stderr.close(), earlier.stdin.close()

    def test_processes_that_overlap(self):
        def release(process):
            process.stdin.write("\n")
            process.stdin.flush()

        self.overlap(release)
        self.assert_files_of("early1", "late1")

    def test_killed_process_beside_another(self):
        """A process that is killed beside another one."""
        self.overlap(lambda process: process.kill())
        for name in ("run", "replays"): # what was written until then
            with self.subTest(name):
                end = ".csv" if name == "run" else ".txt"
                with open(os.path.join(FOLDER, name + end)) as file:
                    self.assertRegex(file.read(), "of early1")

    # Paths are those of the folder where the program began.
    def test_a_program_that_changes_its_folder(self):
        with open(os.path.join(FOLDER, "other", "run.json"), "w") as file:
            file.write("important")
        os.utime(file.name, (0, 0))
        self.run_program("chdir", "other", "launch", "moved1")
        self.assert_files_of("moved1")
        self.assertEqual(os.listdir(os.path.join(FOLDER, "other")), ["run.json"])
        with open(file.name) as kept:
            self.assertEqual(kept.read(), "important")

    def test_one_file_that_is_named_twice(self):
        said = self.run_program("launch", "twice1", outputs=["run.csv", "./run.csv", "run.json", "graph:run.json"])
        self.assertIn("GRAPHPROF_OUTPUT=./run.csv: must be named once, and is the file of run.csv; using it once\n", said)
        self.assertIn(
            "GRAPHPROF_OUTPUT=graph:run.json: must be a file of its own, not that of run.json; using graph:run.output2.json\n",
            said,
        )
        self.assertNotIn("another process", said)
        self.assertEqual(sorted(os.listdir(FOLDER)), ["other", "run.csv", "run.json", "run.output2.json"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
