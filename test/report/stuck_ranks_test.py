#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""graphprof merge of what ranks answer to `graphprof attach PID where --json`: which did not arrive.

    stuck_ranks_test.py COMMAND [TEST...]

test/preload/control_test.py has two ranks that really hang."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

COMMAND = ""
S = 1_000_000_000
KERNEL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"


def replay(*work, number=512, **members):
    begun = {"open": [dict(item) for item in work]} if work else {}
    return {"graph": 1, "exec": 1, "replay": number, "launch_ns": 100 * S, "for_ns": 42 * S} | begun | members


def collective(within=("decode", "layer 3"), name=KERNEL):
    return {"kind": "kernel", "name": name, "within": list(within), "begun": True, "since_ns": 102 * S, "collective": "AllReduce"}


def kernel(name="gemm"):
    return {"kind": "kernel", "name": name, "within": ["decode"], "begun": True, "since_ns": 112 * S}


class StuckRanks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def answer(self, rank, *replays, ranks=4, **members):
        path = os.path.join(self.folder, f"where-{rank}-{len(os.listdir(self.folder))}.json")
        job = {"rank": rank, "ranks": ranks} if rank is not None else {}
        with open(path, "w") as file:
            json.dump({"ok": True, "pid": 4000 + (rank or 0), "program": "python3", "host": "node0", "text": "", "replays": list(replays)} | job | members, file, indent=2)
        return path

    def merged(self, *arguments, status=0):
        done = subprocess.run([COMMAND, "merge", *arguments], text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done.stdout if status == 0 else done.stderr

    def test_one_computes_while_the_others_wait(self):
        files = [self.answer(rank, replay(collective())) for rank in (3, 0, 1)] + [self.answer(2, replay(kernel()))]
        self.assertEqual(self.merged(*files), f"""\
4 ranks answered
ranks 0, 1, 3 wait in AllReduce, for up to 40.000s, replay 512: kernel {KERNEL}, in decode > layer 3
rank 2, python3 (pid 4002) on node0: in kernel gemm, in decode for 30.000s, replay 512
rank 2 did not arrive, as far as the answers tell: look there first
""")
        data = json.loads(self.merged("--json", *files))
        self.assertEqual(data["did_not_arrive"], [2])
        self.assertEqual([(rank["rank"], rank["doing"]) for rank in data["ranks"]], [(0, "waits"), (1, "waits"), (2, "works"), (3, "waits")])

    def test_answers_through_pipes(self):
        files = " ".join(f"<(cat {self.answer(rank, replay(collective()))})" for rank in range(3))
        done = subprocess.run(["bash", "-c", f"{COMMAND} merge {files}"], text=True, capture_output=True, timeout=60)
        self.assertIn("\nno answer of rank 3\n", done.stdout, done.stderr)
        done = subprocess.run(["bash", "-c", f"{COMMAND} merge <(echo gprof) {self.answer(0)}"], text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(": is no answer of graphprof attach PID where --json; recordings are read from files, not from pipes\n", done.stderr)

    def test_one_gave_no_answer(self):
        text = self.merged(*(self.answer(rank, replay(collective())) for rank in range(3)))
        self.assertIn("\nno answer of rank 3\n", text)
        self.assertTrue(text.endswith("\nrank 3 did not arrive, as far as the answers tell: look there first\n"), text)

    def test_one_has_launched_nothing_or_not_begun(self):
        files = [self.answer(0, replay(collective())), self.answer(1), self.answer(2, replay(unknown="it has not begun on the device", not_begun=True)),
                 self.answer(3, replay(unknown="it is timed with events, which tell nothing before it has ended", not_begun=False))]  # fmt: skip
        text = self.merged(*files)
        self.assertIn("\nrank 0 waits in AllReduce, ", text)
        self.assertIn("\nrank 1, python3 (pid 4001) on node0: no recorded replay is in flight\n", text)
        self.assertIn("\nrank 2, python3 (pid 4002) on node0: replay 512, launched 42.000s ago: it has not begun on the device\n", text)
        self.assertIn(": it is timed with events, which tell nothing before it has ended\n", text)
        self.assertTrue(text.endswith("\nranks 1-3 did not arrive, as far as the answers tell: look there first\n"), text)
        self.assertEqual([rank["doing"] for rank in json.loads(self.merged("--json", *files))["ranks"]], ["waits", "idle", "not begun", "unknown"])

    def test_all_wait_in_the_same(self):
        text = self.merged(*(self.answer(rank, replay(collective())) for rank in range(4)))
        self.assertIn("\nranks 0-3 wait in AllReduce, ", text)
        self.assertTrue(text.endswith("\nall ranks are in it: look at the network, or at what the collective itself waits for\n"), text)

    def test_they_wait_in_different_ones(self):
        # The second is a replay behind; the third waits in another layer.
        text = self.merged(self.answer(0, replay(collective()), ranks=3), self.answer(1, replay(collective(), number=511), ranks=3),
                           self.answer(2, replay(collective(within=["layer 4"])), ranks=3))  # fmt: skip
        self.assertEqual(text.count(" waits in AllReduce, "), 3)
        self.assertIn("\nall wait, and not in the same: ", text)

    def test_no_collective(self):
        text = self.merged(self.answer(0, replay(kernel()), ranks=2), self.answer(1, replay(kernel("copy")), ranks=2))
        self.assertTrue(text.endswith("\nno rank waits in a collective of NCCL's that was seen to begin\n"), text)

    def test_what_tells_most_of_a_rank(self):
        # Of several execs, the one that waits; also behind what has not begun.
        files = [self.answer(0, replay(unknown="it has not begun on the device", not_begun=True), replay(kernel(), collective(), number=7), ranks=1)]
        self.assertIn("\nrank 0 waits in AllReduce, for up to 40.000s, replay 7: ", self.merged(*files))

    def test_names_forge_no_line(self):
        text = self.merged(self.answer(0, replay(kernel("a\nrank 9 did not arrive\x1b[2J")), ranks=1, program="x\ny"))
        self.assertEqual(len(text.splitlines()), 3)
        self.assertNotIn("\x1b", text)

    def test_what_is_wrong(self):
        good = self.answer(0, replay(collective()))
        self.assertIn(" are both of rank 0\n", self.merged(good, self.answer(0), status=2))
        self.assertIn(": process 4000 is of no job: ", self.merged(good, self.answer(None), status=2))
        self.assertIn(": the harvest takes too long\n", self.merged(good, self.answer(1, ok=False, error="the harvest takes too long"), status=2))
        other = os.path.join(self.folder, "other.json")
        for text in ("{}", '{"ok": true}', "{", '{"traceEvents": []}', '{"ok": 1}'):
            with open(other, "w") as file:
                file.write(text)
            self.assertIn("other.json: is no answer of graphprof attach PID where --json\n", self.merged(good, other, status=2))
        with open(other, "w") as file:
            file.write("a recording")
        self.assertIn("other.json does not: merge reads either\n", self.merged(good, other, status=2))
        self.assertIn("take no option but --json\n", self.merged("--top", "3", good, status=2))
        self.assertIn("take no option but --json\n", self.merged("--csv", good, status=2))


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    unittest.main()
