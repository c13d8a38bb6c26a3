#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# graphprof diff: its verdicts, its exit statuses, what it calls not comparable, and how often it is wrong. Recordings are made here,
# with variances between and within processes that are known.
#
#     test/report/diff_test.py GRAPHPROF [unittest's arguments]

import json
import math
import os
import random
import subprocess
import sys
import tarfile
import unittest
from pathlib import Path

from folders import FolderCase
from recordings import Graph, Recording, Region

HERE = os.path.dirname(os.path.abspath(__file__))
GRAPHPROF = None

# A program of graphprof's users, for --until-decided: where it is run, it leaves a recording. Its words: the time, and how much it
# varies between processes; "fail"; "nothing".
RECORDS = """
import math, os, random, sys
sys.path.insert(0, {here!r})
from recordings import Recording, Region
time, between = (sys.argv[1].split() + ["0.002"])[:2]
if time == "fail":
    sys.exit(print("why it failed") or 7)
if time != "nothing":
    work = Region("work")
    recording = Recording([work], pid=os.getpid())
    ns = float(time) * math.exp(random.gauss(0, float(between)))
    for i in range(40):
        recording.replay([(work, int(ns * math.exp(random.gauss(0, 0.01))))], cold=i == 0)
    with open(os.environ["GRAPHPROF_OUTPUT"], "wb") as file:
        file.write(recording.gprof())
"""


class Case(FolderCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(self.id())

    def process(self, name, times, replays=40, between=0.002, within=0.01, busy=None, **others):
        """A recording of {region: ns}: regions in their order, those of one process off by the same factor each. `busy`: of a
        region, how long it was busy, the gap behind it, and in how many replays."""
        recording = Recording(list(times), **others)
        recording.busy = {region: (int(ns * math.exp(self.random.gauss(0, between))), gap, replays_, "launch" if gap >= 0 else "")
                          for region, (ns, gap, replays_) in (busy or {}).items()}
        factors = {region: math.exp(self.random.gauss(0, between)) for region in times}
        for i in range(replays):
            recording.replay([(region, max(int(ns * factors[region] * math.exp(self.random.gauss(0, within))), 1))
                              for region, ns in times.items()], cold=i == 0)
        return self.write(name, recording.gprof())

    def side(self, name, times, processes=3, **others):
        return [self.process(f"{name}{i}.gprof", times, pid=i + 1, **others) for i in range(processes)]

    def diff(self, before, after, *options, status=None):
        result = subprocess.run([GRAPHPROF, "diff", *options, *before, "--", *after], capture_output=True, text=True, check=False,
                                env={**os.environ, "LC_ALL": "C.UTF-8"})
        if status is not None:
            self.assertEqual(result.returncode, status, result.stderr + result.stdout)
        return result

    def findings(self, before, after, *options, status=None):
        document = json.loads(self.diff(before, after, "--json", *options, status=status).stdout)
        return {one["path"]: one for one in document["findings"]}

    def verdicts(self, before, after, *options, status=None):
        return {path: one["verdict"] for path, one in self.findings(before, after, *options, status=status).items()
                if not path.startswith("(")}


class Verdicts(Case):
    def setUp(self):
        super().setUp()
        self.regions = [Region(f"r{i}", source=f"a.cu:{i + 1}") for i in range(12)]
        self.times = {region: 20_000 + 1_000 * i for i, region in enumerate(self.regions)}

    def changed(self, **factors):
        return {region: ns * factors.get(region.name, 1) for region, ns in self.times.items()}

    def test_slower_faster_and_same(self):
        before = self.side("a", self.times, processes=5)
        after = self.side("b", self.changed(r3=1.20, r7=0.80), processes=5)
        found = self.verdicts(before, after, status=1)
        self.assertEqual((found.pop("r3"), found.pop("r7")), ("slower", "faster"))
        self.assertEqual(set(found.values()), {"same"})
        self.diff(after, before, status=1)
        for figure in ("mean", "median", "p95"):
            one = self.findings(before, after)["r3"][figure]
            self.assertAlmostEqual(one["ratio"], 1.20, delta=0.02)
            self.assertTrue(1 < one["low"] < one["ratio"] < one["high"])
            self.assertTrue(0 < one["before_noise"] < 0.02 and 0 < one["after_noise"] < 0.02)

    def test_status_is_0_without_slower(self):
        """The status is 0 if none is slower."""
        before = self.side("a", self.times, processes=5)
        self.diff(before, self.side("b", self.changed(r7=0.80), processes=5), status=0)
        self.diff(before, self.side("c", self.times, processes=5), "--strict", status=0)

    # A region that varies too much is undecided, and with --strict the status says so.
    def test_what_varies_too_much_is_undecided(self):
        regions = dict.fromkeys(self.regions[:1], 50_000)
        before, after = self.side("a", regions, between=0.05), self.side("b", regions, between=0.05)
        self.assertEqual(self.verdicts(before, after, status=0), {"r0": "undecided"})
        self.diff(before, after, "--strict", status=3)

    def test_both_floors_must_be_passed(self):
        short = {Region(f"s{i}"): 1_000 for i in range(10)}
        slower = {region: ns * (1.2 if region.name == "s0" else 1) for region, ns in short.items()}
        before, after = self.side("a", short), self.side("b", slower)
        self.assertEqual(self.verdicts(before, after, status=0)["s0"], "same")  # 200 ns are less than 0.3 us
        self.assertEqual(self.verdicts(before, after, "--floor", "100ns", status=1)["s0"], "slower")
        self.assertEqual(self.verdicts(before, after, "--floor", "100ns", "--threshold", "30%", status=0)["s0"], "same")

    def test_single_recordings_show_large_changes(self):
        """One recording a side shows only large changes."""
        before = self.side("a", self.times, processes=1)
        after = self.side("b", self.changed(r3=1.05, r5=1.3), processes=1)
        found = self.verdicts(before, after, status=1)
        self.assertEqual((found["r3"], found["r5"]), ("undecided", "slower"))
        self.assertNotIn("same", found.values())
        more = self.side("c", self.times, processes=3)
        self.assertNotIn("same", self.verdicts(before, more).values())
        self.assertIn("nothing below 10 % and 0.5us is called slower or faster, and nothing the same; record three or more a side",
                      self.diff(before, after).stdout)
        self.assertEqual(self.verdicts(before, after, "--single", "2%")["r3"], "slower")

    def test_what_one_process_of_a_side_ran_is_never_the_same(self):
        before, after = self.side("a", self.times), self.side("b", self.times, processes=2)
        more = {**self.times, Region("once", source="a.cu:90"): 20_000}
        before.append(self.process("a3.gprof", more, pid=4))
        after.append(self.process("b3.gprof", more, pid=4))
        found = self.verdicts(before, after, status=0)
        self.assertEqual((found["once"], found["r3"]), ("undecided", "same"))

    def test_two_files_need_no_dashes(self):
        one, other = self.side("a", self.times, processes=1) + self.side("b", self.times, processes=1)
        result = subprocess.run([GRAPHPROF, "diff", one, other], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_limits_are_shares_or_times(self):
        before, after = self.side("a", self.times), self.side("b", self.changed(r3=1.15))  # 23 us, 3.45 us more
        verdict = lambda *options: self.verdicts(before, after, *options)["r3"]
        for limit, expected in (("2%", "slower"), ("0.02", "slower"), ("30%", "same"), ("0.3", "same"), ("1us", "slower"), ("7us", "same")):
            self.assertEqual((limit, verdict("--threshold", limit)), (limit, expected))
            self.assertEqual((limit, verdict("--floor", limit)), (limit, expected))
        for option in ("--threshold", "--floor", "--single"):
            for ambiguous in ("2", "1", "30"):
                self.assertIn(f"{option} {ambiguous}: {ambiguous}% or {ambiguous}us? 1 and more need a unit",
                              self.diff(before, after, option, ambiguous, status=2).stderr)
        self.assertIn("--confidence 98: must be a share below 100%", self.diff(before, after, "--confidence", "98", status=2).stderr)

    def test_a_recording_given_twice_is_refused(self):
        """Under its own or another name, as a link, a copy or a part of it; on one side or on both."""
        before, after = self.side("a", self.times), self.side("b", self.times)
        path = lambda name: os.path.join(self.folder, name)
        os.symlink(before[0], path("symlink.gprof"))
        os.link(before[0], path("link.gprof"))
        with open(before[0], "rb") as file:
            content = file.read()
        again = [before[0], path("symlink.gprof"), path("link.gprof"), self.write("copy.gprof", content), self.write("cut.gprof", content[:-40])]
        for name in again:
            said = f"{name}: is the same recording as {before[0]}"
            self.assertIn(said, self.diff([*before, name], after, status=2).stderr)
            self.assertIn(said, self.diff(before, [*after, name], status=2).stderr)
            for command in ("report", "merge", "html"):
                result = subprocess.run([GRAPHPROF, command, *before, name], capture_output=True, text=True, check=False, cwd=self.folder)
                self.assertEqual((result.returncode, said in result.stderr), (2, True), f"{command}: {result.stderr}")
        self.diff(before, after, status=0)

    def test_a_region_has_a_line_for_each_figure(self):
        before, after = self.side("a", self.times), self.side("b", self.changed(r3=1.2))
        text = self.diff(before, after).stdout
        figures = r" +{} +23\.\d+us +\d+\.\d+% +2[78]\.\d+us +\d+\.\d+% +\+\d+\.\d+% +\+\d+\.\d+% \.\. \+\d+\.\d+%\n"
        self.assertRegex(text, "\nslower +r3" + "".join(figures.format(figure) for figure in ("mean", "median", "P95")))
        self.assertRegex(text, r"\n[12] slower, \d+ same")


class BusyTimes(Case):
    """Medians of few replays, one a process: processes tell how sure they are."""

    def setUp(self):
        super().setUp()
        self.regions = [Region(f"kernel{i}") for i in range(12)]
        self.times = {region: 10_000 + 1_000 * i for i, region in enumerate(self.regions)}

    def busy(self, gap=900, **factors):
        return {region: (int((ns - 900) * factors.get(region.name, 1)), gap, 21) for region, ns in self.times.items()}

    def test_a_change_follows_the_rule_for_durations(self):
        before = self.side("before", self.times, busy=self.busy())
        after = self.side("after", self.times, busy=self.busy(kernel3=1.2, kernel7=0.8))
        findings = self.findings(before, after, status=0)  # the verdicts are those of durations
        self.assertEqual({one["verdict"] for path, one in findings.items() if path[0] != "("}, {"same"})
        self.assertEqual({path: one["busy_verdict"] for path, one in findings.items() if one["busy_verdict"] not in ("same", None)},
                         {"kernel3": "slower", "kernel7": "faster"})
        slower = findings["kernel3"]
        self.assertAlmostEqual(slower["before_busy_ns"], 12_100, delta=60)
        self.assertAlmostEqual(slower["after_busy_ns"], 12_100 * 1.2, delta=80)
        self.assertLess(slower["busy_low"], slower["busy_ratio"])
        self.assertGreater(slower["busy_low"], 1.15)
        self.assertEqual([slower[side + "_gap_ns"] for side in ("before", "after")], [900, 900])
        self.assertEqual([slower[side + "_busy_replays"] for side in ("before", "after")], [63, 63])
        text = self.diff(before, after).stdout
        self.assertRegex(text, r"Busy +Region +Before +After +Change +Interval +Gap before +Gap after")
        self.assertRegex(text, r"slower +kernel3 +12\.\d+us +14\.\d+us +\+(19|20)\.\d+% .* 0\.900us +0\.900us")
        self.assertIn("\nbusy times: 1 slower, 1 faster, 10 same\n", text)

    def test_both_floors_hold_for_them(self):
        before = self.side("before", self.times, busy=self.busy())
        after = self.side("after", self.times, busy=self.busy(kernel3=1.15))
        verdict = lambda *options: self.findings(before, after, *options)["kernel3"]["busy_verdict"]
        self.assertEqual([verdict(), verdict("--threshold", "19%"), verdict("--floor", "3us")], ["slower", "same", "same"])

    def test_what_varies_from_process_to_process_is_undecided(self):
        """However alike the replays of each process were."""
        before = self.side("before", self.times, busy=self.busy(), between=0.08)
        after = self.side("after", self.times, busy=self.busy(kernel3=1.05), between=0.08)
        self.assertEqual(self.findings(before, after)["kernel3"]["busy_verdict"], "undecided")

    def test_one_process_a_side_gives_no_verdict(self):
        before, after = self.side("before", self.times, 1, busy=self.busy()), self.side("after", self.times, 1, busy=self.busy(kernel3=2))
        finding = self.findings(before, after)["kernel3"]
        self.assertEqual([finding[name] for name in ("busy_verdict", "busy_ratio", "busy_low")], ["undecided", None, None])
        text = self.diff(before, after, "--all").stdout
        self.assertRegex(text, r"undecided +kernel3 .* \(\+\d+\.\d+%\) +-- ")
        self.assertIn("have no verdict: each is the median of few replays", text)

    def test_what_one_side_does_not_know_has_no_number(self):
        known = self.busy(gap=-1)
        del known[self.regions[5]]
        before = self.side("before", self.times, busy=self.busy())
        findings = self.findings(before, self.side("after", self.times, busy=known))
        figures = lambda name: [findings[name][figure] for figure in ("after_busy_ns", "after_busy_replays", "busy_verdict", "busy_ratio")]
        self.assertEqual(figures("kernel5"), [None, 0, None, None])
        self.assertIsNotNone(findings["kernel5"]["before_busy_ns"])
        self.assertEqual([findings["kernel4"][name] for name in ("before_gap_ns", "after_gap_ns")], [900, None])
        without = self.side("without", self.times)
        self.assertNotIn("usy", self.diff(without, self.side("none", self.times)).stdout)
        half = self.diff(before, without, "--all").stdout
        self.assertNotIn("busy times:", half)
        self.assertRegex(half, r"-- +kernel5 +14\.\d+us +-- +-- +-- +0\.900us +--")

    def test_what_is_not_comparable_gets_no_verdict(self):
        before = self.side("before", self.times, busy=self.busy(), devices=("A",))
        after = self.side("after", self.times, busy=self.busy(), devices=("B",))
        finding = self.findings(before, after, status=2)["kernel3"]
        self.assertEqual([finding["verdict"], finding["busy_verdict"]], ["not comparable", None])
        self.assertEqual(self.findings(before, after, "--across", "gpu")["kernel3"]["busy_verdict"], "same")


class Matching(Case):
    def test_new_gone_and_renamed_regions_are_listed(self):
        layer = Region("layer", source="m.cu:1")
        kernels = [Region(name, layer, kind="kernel") for name in ("gemm<128>", "norm", "relu")]
        stays, goes = Region("stays", source="m.cu:9"), Region("goes", source="m.cu:10")
        renamed = Region("block", source="m.cu:1")
        after_kernels = [Region(name, renamed, kind="kernel") for name in ("gemm<256>", "norm", "gelu")]
        comes = Region("comes", source="m.cu:77")
        before = self.side("a", {layer: 60_000, **dict.fromkeys(kernels, 20_000), stays: 20_000, goes: 20_000})
        after = self.side("b", {renamed: 60_000, **dict.fromkeys(after_kernels, 20_000), stays: 20_000, comes: 20_000})
        found = self.findings(before, after, status=0)
        renames = {path: one["renamed_from"] for path, one in found.items() if one["renamed_from"]}
        self.assertEqual(renames, {"block": "layer", "block/gemm<256>": "layer/gemm<128>"})
        self.assertEqual({path for path, one in found.items() if one["verdict"] == "new"}, {"comes", "block/gelu"})
        self.assertEqual({path for path, one in found.items() if one["verdict"] == "gone"}, {"goes", "layer/relu"})
        self.assertIn(found["block/norm"]["verdict"], ("same", "undecided"))
        self.assertIn("was layer", self.diff(before, after).stdout)

    def test_kernel_in_another_region_is_found(self):
        """A kernel that runs in another region is found."""
        first, second = Region("first", source="m.cu:1"), Region("second", source="m.cu:2")
        before = self.side("a", {first: 20_000, Region("gemm", first, kind="kernel"): 20_000, second: 20_000})
        after = self.side("b", {first: 20_000, second: 20_000, Region("gemm", second, kind="kernel"): 20_000})
        self.assertEqual(self.findings(before, after)["second/gemm"]["renamed_from"], "first/gemm")

    def test_ambiguous_matches_are_not_guessed(self):
        """Two that could be meant are not guessed."""
        old, new = [Region("a", source="m.cu:1"), Region("b", source="m.cu:1")], [Region("c", source="m.cu:1"), Region("d", source="m.cu:1")]
        found = self.verdicts(self.side("a", dict.fromkeys(old, 20_000)), self.side("b", dict.fromkeys(new, 20_000)), status=0)
        self.assertEqual(found, {"a": "gone", "b": "gone", "c": "new", "d": "new"})


class NotComparable(Case):
    def setUp(self):
        super().setUp()
        self.times = {Region(f"r{i}"): 20_000 for i in range(3)}
        self.before = self.side("a", self.times)

    def refused(self, why, across, **others):
        after = self.side("b", self.times, **others)
        found = self.findings(self.before, after, status=2)
        self.assertEqual({one["verdict"] for one in found.values()}, {"not comparable"})
        self.assertRegex(found["r0"]["why"], why)
        self.assertIn("nothing can be compared", self.diff(self.before, after).stderr)
        self.assertNotIn("not comparable", self.verdicts(self.before, after, "--across", across).values())

    def test_another_gpu(self):
        self.refused("another GPU: NVIDIA H100, then NVIDIA H200", "gpu", devices=("NVIDIA H200",))

    def test_another_driver(self):
        self.refused(r"another driver: CUDA 13\.0, 580\.1, then CUDA 13\.1, 590\.2", "driver", driver=13010, driver_version="590.2")

    def test_another_clock(self):
        events = {Region(f"r{i}", clock="event"): 20_000 for i in range(3)}
        found = self.findings(self.before, self.side("b", events))
        self.assertRegex(found["r0"]["why"], "another clock: stamp, then event")

    def test_times_that_end_with_something_else(self):
        def process(pid):
            recording = Recording(list(self.times), pid=pid)
            recording.ends = "next_begin"
            for i in range(10):
                recording.replay([(region, 20_000) for region in self.times], cold=i == 0)
            return recording.gprof()
        after = [self.write(f"b{i}.gprof", process(i)) for i in range(3)]
        self.assertRegex(self.findings(self.before, after)["r0"]["why"], "it ended with its completion before, and ends when the next")

    def test_a_graph_with_another_number_of_nodes(self):
        """The regions are the same, and nodes are not recorded."""
        def process(pid, counts):
            recording = Recording(list(self.times), pid=pid)
            if counts:
                recording.graphs = [Graph([], counts=counts)]
            for i in range(10):
                recording.replay([(region, 20_000) for region in self.times], cold=i == 0)
            return recording.gprof()
        def side(name, counts):
            return [self.write(f"{name}{i}.gprof", process(10 * ord(name) + i, counts)) for i in range(3)]
        found = self.findings(side("b", (5, 4)), side("c", (6, 5)))
        self.assertEqual(found["(replays of graph 1)"]["verdict"], "same")
        self.assertEqual(found["(replays of graph 1)"]["why"], "another graph: it had 5 nodes and 4 edges, and has 6 nodes and 5 edges")
        self.assertEqual(found["r0"]["verdict"], "same")
        for before, after in (((5, 4), (5, 4)), ((5, 4), None)):  # earlier versions did not say it
            found = self.findings(side("b", before), side("c", after))
            self.assertEqual(found["(replays of graph 1)"]["verdict"], "same")

    def test_graphs_are_matched_by_their_names(self):
        """Whatever their numbers; and never two with different names, however much they have in common."""
        def process(pid, lengths, names):
            region = Region("step")
            recording = Recording([region], pid=pid)
            for graph, (length, name) in enumerate(zip(lengths, names), 1):
                if name:
                    recording.names[graph] = ("decode", [("batch", name)])
                for i in range(10):
                    recording.replay([(region, length)], cold=i == 0, graph=graph)
            return recording.gprof()
        def side(name, lengths, names):
            return [self.write(f"{name}{i}.gprof", process(10 * ord(name) + i, lengths, names)) for i in range(3)]
        found = self.findings(side("b", (20_000, 40_000, 60_000), (2, 4, 6)), side("c", (80_000, 40_000, 20_000), (8, 4, 2)))
        self.assertEqual({path: one["verdict"] for path, one in found.items() if path.startswith("(")},
                         {"(replays of decode batch=2)": "same", "(replays of decode batch=4)": "same",
                          "(replays of decode batch=6)": "gone", "(replays of decode batch=8)": "new"})
        found = self.findings(side("d", (20_000,), (None,)), side("e", (20_000,), (2,)))  # it got a name
        self.assertEqual(found["(replays of decode batch=2)"]["renamed_from"], "(replays of graph 1)")

    def test_what_ran_in_cold_replays_only(self):
        after = [self.process(f"b{i}.gprof", self.times, replays=1) for i in range(3)]
        self.assertRegex(self.findings(self.before, after)["r0"]["why"], "cold replays only after; launch each graph again")

    def test_a_file_that_is_cut_off_is_not_blamed_on_the_program(self):
        """What it had behind the cut may have been warm."""
        after = [self.process(f"b{i}.gprof", self.times, replays=1) for i in range(3)]
        whole = Path(self.folder, after[1])
        whole.write_bytes(whole.read_bytes()[:-2])
        why = self.findings(self.before, after)["r0"]["why"]
        self.assertIn("a recording that is not whole after", why)
        self.assertNotIn("launch each graph again", why)

    # Files that do not say their device are taken for the same, and a line says so.
    def test_unknown_devices_count_as_the_same(self):
        after = self.side("b", self.times, devices=(), driver=0)
        self.assertNotIn("not comparable", self.verdicts(self.before, after).values())
        self.assertIn("one side does not say its GPU", self.diff(self.before, after).stdout)

    def test_wrong_calls_name_the_right_ones(self):
        """Wrong calls are refused with what is right."""
        def refused(said, *words):
            result = subprocess.run([GRAPHPROF, "diff", *words], capture_output=True, text=True, check=False, cwd=self.folder)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, said)
        one = self.before[0]
        refused(r"name the recordings of both sides, with -- between them", one)
        refused(r"no recording behind --", one, "--")
        refused(r"--strict stands behind --, where files are; options come first", one, "--", one, "--strict")
        refused(r"--threshold a lot: must be a share, such as 2% or 0\.02, or a time", "--threshold", "a lot", one, one)
        refused(r"--floor 3x: must be a share, such as 2% or 0\.02, or a time, such as 0\.3us", "--floor", "3x", one, one)
        refused(r"--across moon: must be gpu, driver or clock", "--across", "moon", one, one)
        refused(r"missing\.gprof: No such file", one, "--", "missing.gprof")


class UntilDecided(Case):
    """Two commands that record in fresh processes, as `graphprof run` has them do."""

    def setUp(self):
        super().setUp()
        self.write("record.py", RECORDS.format(here=HERE).encode())

    def decide(self, before, after, *options, status):
        """`before`, `after`: how a process of that side draws its time."""
        command = [sys.executable, os.path.join(self.folder, "record.py")]
        result = subprocess.run([GRAPHPROF, "diff", "--until-decided", *options, "--", *command, before, "--", *command, after],
                                capture_output=True, text=True, check=False, cwd=self.folder, env={**os.environ, "TMPDIR": self.folder})
        self.assertEqual(result.returncode, status, result.stderr + result.stdout)
        return result

    def test_it_ends_when_all_is_decided(self):
        result = self.decide("10000", "12000", status=1)
        self.assertIn("work", result.stdout)
        self.assertIn("5 processes a side", result.stderr)
        self.assertNotIn("7 processes", result.stderr)
        self.assertEqual([], [name for name in os.listdir(self.folder) if name.startswith("graphprof-")], "nothing is left")

    def test_what_varies_takes_more_processes_up_to_the_bound(self):
        result = self.decide("10000 0.2", "10000 0.2", "--processes", "8", "--strict", "--keep", "kept", status=3)
        for count in 5, 7, 8:
            self.assertIn(f"undecided with {count} a side", result.stderr)
        kept = os.listdir(os.path.join(self.folder, "kept"))
        self.assertEqual(sorted(f"{side}-{i:02}.gprof" for side in ("after", "before") for i in range(1, 9)),
                         sorted(name for name in kept if name.endswith(".gprof")))

    def test_a_command_that_fails_ends_it(self):
        self.assertRegex(self.decide("10000", "fail", status=2).stderr, r"record\.py fail ended with status 7; its output ends:\n(.*\n)*graphprof diff:   why it failed\n")
        self.assertRegex(self.decide("10000", "nothing", status=2).stderr, r"record\.py nothing recorded nothing")
        self.assertRegex(self.decide("10000", "10000", "--keep", ".", status=2).stderr, r"--keep \.: is there, and not an empty folder")

    def test_wrong_calls_are_refused(self):
        def refused(said, *words):
            result = subprocess.run([GRAPHPROF, "diff", *words], capture_output=True, text=True, check=False, cwd=self.folder)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, said)
        refused("name both commands, each behind --", "--until-decided", "--", "true")
        refused("--until-decided takes two commands behind --, no file x", "--until-decided", "x", "--", "true", "--", "true")
        refused("--processes and --keep go with --until-decided", "--keep", "x", "a.gprof", "b.gprof")


class WholeReplays(Case):
    """They are compared whatever ran in them, because a user waits for them."""

    def setUp(self):
        super().setUp()
        self.times = {Region(f"r{i}", source=f"a.cu:{i + 1}"): 10_000 for i in range(6)}
        self.before = self.side("a", self.times)

    def replay(self, after, status, number=1):
        return self.findings(self.before, after, status=status)[f"(replays of graph {number})"]

    def test_a_new_region_makes_them_slower(self):
        after = self.side("b", {**self.times, Region("more", source="a.cu:70"): 40_000})
        found = self.replay(after, 1)
        self.assertEqual((found["verdict"], found["why"]), ("slower", found["why"]))
        self.assertAlmostEqual(found["mean"]["ratio"], 100 / 60, delta=0.02)
        self.assertRegex(found["why"], r"^came more \((39|40)\.\d+us a replay\)$")
        new = self.findings(self.before, after)["more"]
        self.assertEqual(new["verdict"], "new")
        self.assertAlmostEqual(new["per_replay_ns"], 40_000, delta=400)
        self.assertRegex(self.diff(self.before, after).stdout, r"\nnew +more +mean +-- +-- +(39|40)\.\d+us ")
        gone = self.findings(after, self.before, status=0)
        self.assertEqual(gone["(replays of graph 1)"]["verdict"], "faster")
        self.assertRegex(gone["(replays of graph 1)"]["why"], r"^went more \((39|40)\.\d+us a replay\)$")

    def test_one_more_iteration_makes_them_slower(self):
        regions = list(self.times)
        def side(name, iterations):
            paths = []
            for process in range(3):
                recording = Recording(regions, pid=process)
                for i in range(20):
                    recording.replay([(region, int(self.random.gauss(10_000, 50))) for _ in range(iterations) for region in regions], cold=i == 0)
                paths.append(self.write(f"{name}{process}.gprof", recording.gprof()))
            return paths
        found = self.findings(side("few", 2), side("many", 3), status=1)
        self.assertEqual(found["(replays of graph 1)"]["verdict"], "slower")
        self.assertEqual(found["(replays of graph 1)"]["why"], "r0 runs 2 times a replay, then 3 (and 5 more)")
        self.assertEqual((found["r0"]["verdict"], found["r0"]["why"]), ("same", "2 executions a replay, then 3"))

    def test_only_the_outermost_of_what_came_is_listed(self):
        outer = Region("outer")
        after = self.side("b", {**self.times, outer: 30_000, Region("inner", outer): 30_000,
                                **{Region(f"small{i}"): 100 * (i + 1) for i in range(4)}})
        self.assertRegex(self.replay(after, 1)["why"],
                         r"^came outer \(\d+\.\d+us a replay\), small3 \(0\.\d+us a replay\), small2 \(0\.\d+us a replay\) and 2 more \(0\.\d+us\)$")

    def test_a_graph_before_the_others_shifts_no_comparison(self):
        """Graphs are numbered as they come; the same one is what most of the same runs in."""
        regions = list(self.times)
        def process(pid, name, graphs):
            recording = Recording(regions + [Region("first", source="a.cu:99")], pid=pid)
            for i in range(20):
                for number, (some, ns) in enumerate(graphs):
                    recording.replay([(recording.regions[one], int(self.random.gauss(ns, 50))) for one in some], cold=i == 0, graph=number + 1)
            return self.write(f"{name}{pid}.gprof", recording.gprof())
        known = [(range(3), 10_000), (range(3, 6), 40_000)]
        found = self.findings([process(i, "b", known) for i in range(3)], [process(i + 3, "c", [((6,), 25_000), *known]) for i in range(3)], status=0)
        replays = {path: (one["verdict"], one["renamed_from"]) for path, one in found.items() if path[0] == "("}
        self.assertEqual(replays, {"(replays of graph 1)": ("new", None), "(replays of graph 2)": ("same", "(replays of graph 1)"),
                                   "(replays of graph 3)": ("same", "(replays of graph 2)")})


class Action(Case):
    def act(self, status, **inputs):
        summary, output = os.path.join(self.folder, "summary"), os.path.join(self.folder, "output")
        os.makedirs(os.path.join(self.folder, "bin"), exist_ok=True)
        if not os.path.exists(os.path.join(self.folder, "bin/graphprof")):
            os.symlink(GRAPHPROF, os.path.join(self.folder, "bin/graphprof"))
        given = {"BEFORE": "a*.gprof", "AFTER": "b*.gprof", "THRESHOLD": "2%", "FLOOR": "0.3us", "OPTIONS": "", "STRICT": "false", "FAIL": "true"}
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.github/actions/diff/diff.sh")
        result = subprocess.run(["bash", script], capture_output=True, text=True, check=False, cwd=self.folder, env={
            **os.environ, **given, **inputs, "GITHUB_STEP_SUMMARY": summary, "GITHUB_OUTPUT": output,
            "PATH": os.path.join(self.folder, "bin") + ":" + os.environ["PATH"]})
        self.assertEqual(result.returncode, status, result.stderr)
        with open(output, encoding="utf-8") as file:
            last = file.read().splitlines()[-1]
        if not os.path.exists(summary):
            return "", last
        with open(summary, encoding="utf-8") as file:
            return file.read(), last

    def test_slower_region_fails_the_check(self):
        """It reports and fails where a region is slower."""
        times = {Region(f"r{i}"): 20_000 for i in range(8)}
        self.side("a", times)
        self.side("b", {region: ns * (1.2 if region.name == "r1" else 1) for region, ns in times.items()})
        summary, output = self.act(1)
        self.assertIn("| slower | r1 |", summary)
        self.assertEqual(output, "status=1")
        self.act(0, FAIL="false")
        self.act(0, THRESHOLD="50%", OPTIONS="--confidence 90%")
        self.act(2, BEFORE="none*.gprof")


class HowOftenItIsWrong(Case):
    """A pool of processes of one program. Comparisons of processes of that pool with others of it must find nothing; those with
    processes in which one region takes 3 % more must find it."""

    PROCESSES, REGIONS, REPLAYS = 24, 64, 48
    SLOWED = 40

    def pool(self, name, factor):
        # As on an H100: clocks of a process, places in memory that hold for its life, some regions that vary more than others,
        # noise in which each replay is like the one before, and a timer that steps by 32 ns.
        source = random.Random(f"the pool {name}")
        shape = random.Random("the program")
        busy = random.Random(f"busy times of {name}")
        regions = [Region(f"r{i}", source=f"m.cu:{i + 1}") for i in range(self.REGIONS)]
        times = [1_500 * 1.06 ** i for i in range(self.REGIONS)]
        between = [0.0015 * math.exp(shape.gauss(0, 0.5)) for _ in regions]
        paths = []
        for process in range(self.PROCESSES):
            recording = Recording(regions, pid=process + 1)
            common = source.gauss(0, 0.002)
            own = [common + source.gauss(0, between[i]) + source.gauss(0, 20) / times[i] for i in range(self.REGIONS)]
            drift = [0.0] * self.REGIONS
            for replay in range(self.REPLAYS):
                row = []
                for i, region in enumerate(regions):
                    drift[i] = 0.7 * drift[i] + source.gauss(0, 0.004)
                    late = source.random() < 0.02
                    ns = times[i] * math.exp(own[i] + drift[i]) * (1.5 if late else 1) * (factor if i == self.SLOWED else 1)
                    row.append((region, 32 * round(ns / 32)))
                recording.replay(row, cold=replay == 0)
            # Busy times: the median of seven other replays, of a region that is busy for most of its time.
            for i, region in enumerate(regions):
                seven = sorted(busy.gauss(0, 0.01) for _ in range(7))
                ns = 0.85 * times[i] * math.exp(own[i] + seven[3]) * (factor if i == self.SLOWED else 1)
                recording.busy[region] = (32 * round(ns / 32), 32 * round(0.15 * times[i] / 32), 7, "launch")
            paths.append(self.write(f"{name}{process}.gprof", recording.gprof()))
        return paths

    def test_false_alarms_and_what_is_found(self):
        pool, slowed = self.pool("same", 1), self.pool("slower", 1.03)
        drawn = random.Random("draws")
        alarms = busy_alarms = 0
        for _ in range(100):
            six = drawn.sample(pool, 6)
            findings = self.findings(six[:3], six[3:]).values()
            alarms += any(one["verdict"] == "slower" for one in findings)
            busy_alarms += any(one["busy_verdict"] in ("slower", "faster") for one in findings)
        self.assertLessEqual(alarms, 1)
        self.assertLessEqual(busy_alarms, 2)  # 2 % of them may be
        found = busy_found = 0
        for _ in range(40):
            findings = self.findings(drawn.sample(pool, 3), drawn.sample(slowed, 3))
            found += findings[f"r{self.SLOWED}"]["verdict"] == "slower"
            busy_found += findings[f"r{self.SLOWED}"]["busy_verdict"] == "slower"
            self.assertLessEqual(sum(one["verdict"] == "slower" for one in findings.values()), 2)
        self.assertGreaterEqual(found, 35)
        self.assertGreaterEqual(busy_found, 18)

    def program(self, name, processes, bimodal=0, every=0, tail=0.0, drift=0.0, slower=None, names=0, factor=1.0, replays=60):
        """Recordings of a chain of 20 kernels, each a region. Processes differ by 0.5 % in their clock, and by 1 % in each region.
        `bimodal`: so many regions take 1.00 or 1.08 of their time for a process's life. `every`: each so many-th replay takes twice
        as long. `tail`: so many executions take ten times as long. `drift`: the last replay takes this much longer than the first.
        `slower`: these regions take `factor` as long. `names`: regions outside graphs that run once a process."""
        source = random.Random(f"{self.id()} {name}")
        regions = [Region(f"layer {i}", source=f"chain.cu:{i + 1}") for i in range(20)]
        once = [Region(f"step {i}", source="main.cu:7") for i in range(names)]
        paths = []
        for process in range(processes):
            recording = Recording(regions + once, pid=process + 1, program=name)
            clock = 1 + source.gauss(0, 0.005)
            own = [10_000 * (1 + 0.3 * i) * clock * (1 + source.gauss(0, 0.01)) * (1.08 if i < bimodal and source.random() < 0.5 else 1) *
                   (factor if slower and i in slower else 1) for i in range(20)]
            for replay in range(replays):
                common = (2 if every and replay % every == 0 else 1) * (1 + drift * replay / replays)
                recording.replay([(region, max(int(own[i] * common * (10 if source.random() < tail else 1) * (1 + source.gauss(0, 0.005))), 1))
                                  for i, region in enumerate(regions)], cold=replay == 0)
            for i, region in enumerate(once):
                recording.replay([(region, int(50_000 * (1 + i) * math.exp(source.gauss(0, 0.1))))], graph=0)
            paths.append(self.write(f"{name}-{process}.gprof", recording.gprof()))
        return paths

    def wrong(self, pool, comparisons=100, processes=3):
        """How many comparisons of processes of one program call anything slower or faster, in any figure that a verdict comes from."""
        drawn = random.Random(self.id())
        wrong = 0
        for _ in range(comparisons):
            some = drawn.sample(pool, 2 * processes)
            wrong += any(one["verdict"] in ("slower", "faster") for one in self.findings(some[:processes], some[processes:]).values())
        return wrong

    # At most 2 of 100 comparisons of three with three processes of one program are wrong, whatever it does.
    def test_processes_have_modes(self):
        for bimodal in (0, 1, 5):
            with self.subTest(bimodal=bimodal):
                self.assertLessEqual(self.wrong(self.program(f"modes{bimodal}", 24, bimodal=bimodal)), 2)

    def test_replays_have_a_period(self):
        for every in (2, 3):
            with self.subTest(every=every):
                self.assertLessEqual(self.wrong(self.program(f"every{every}", 24, every=every), comparisons=50), 1)

    def test_parts_against_whole(self):
        """Which replays are recorded is drawn alike in all processes, so these do not show what hangs on it."""
        regions = [Region(f"layer {i}", source=f"chain.cu:{i + 1}") for i in range(12)]
        def side(name, share, seed):
            chosen, paths = random.Random(f"chosen {seed}"), []
            replays = [i for i in range(600) if chosen.random() < share]
            for process in range(5):
                recording = Recording(regions, program=name, pid=process + 1)
                for i in replays:
                    recording.replay([(region, int(20_000 * (1 + i % 2) * (1 + self.random.gauss(0, 0.003)))) for region in regions], cold=i == replays[0])
                paths.append(self.write(f"{name}-{process}.gprof", recording.gprof()))
            return paths
        whole = side("whole", 1, 0)
        for seed in range(8):
            found = self.findings(whole, side("parts", 0.25, seed), status=0)
            self.assertEqual({one["verdict"] for one in found.values()} - {"undecided", "same"}, set(), seed)

    def test_executions_have_a_tail(self):
        self.assertLessEqual(self.wrong(self.program("tail", 24, tail=0.05)), 2)

    def test_replays_drift(self):
        self.assertLessEqual(self.wrong(self.program("drift", 24, drift=0.1)), 2)

    def test_what_five_processes_a_side_find(self):
        """They exclude modes that nothing shows, and most of those that others do."""
        same, slowed = self.program("same", 20), self.program("slowed", 20, slower=(7,), factor=1.08)
        modes = self.program("modes", 20, bimodal=5)
        drawn = random.Random("five")
        found = 0
        for _ in range(20):
            findings = self.findings(drawn.sample(same, 5), drawn.sample(slowed, 5))
            found += findings["layer 7"]["verdict"] == "slower"
            self.assertEqual([path for path, one in findings.items() if one["verdict"] == "slower" and path not in ("layer 7", "(replays of graph 1)")], [])
        self.assertGreaterEqual(found, 19)
        self.assertLessEqual(self.wrong(modes, comparisons=50, processes=5), 1)

    def test_three_processes_a_side_say_what_they_cannot_see(self):
        same, slowed = self.program("same", 3), self.program("slowed", 3, slower=(7,), factor=1.08)
        one = self.findings(same, slowed, status=0)["layer 7"]
        self.assertEqual(one["verdict"], "undecided")
        self.assertGreaterEqual(one["would_have_seen"], 0.0999)
        self.assertTrue(1 <= one["more_processes"] <= 20, one)
        self.assertRegex(self.diff(same, slowed).stdout,
                         r"a change of [\d.]+% would have been seen; about \d+ more process(es)? a side would show one of 2%")
        big = self.findings(same, self.program("far slower", 3, slower=(7,), factor=1.3), status=1)["layer 7"]
        self.assertEqual((big["verdict"], big["would_have_seen"], big["more_processes"]), ("slower", None, None))

    def test_as_many_processes_as_said_decide(self):
        """The number behind `undecided` is about right."""
        pool, said = self.program("same", 60), []
        drawn = random.Random("more")
        for _ in range(10):
            some = drawn.sample(pool, 6)
            said += [one["more_processes"] for one in self.findings(some[:3], some[3:]).values() if one["verdict"] == "undecided"]
        more = sorted(said)[len(said) // 2]
        self.assertTrue(2 <= more <= 20, more)
        decided = [one["verdict"] == "same" for _ in range(10) for some in [drawn.sample(pool, 2 * (3 + more))]
                   for one in self.findings(some[:3 + more], some[3 + more:]).values()]
        self.assertGreater(sum(decided) / len(decided), 0.4)

    # What a user pays: means and medians.
    def test_every_third_replay_slow(self):
        before, after = self.program("a", 5), self.program("b", 5, every=3)
        found = self.findings(before, after, status=1)
        self.assertEqual({one["verdict"] for one in found.values()}, {"slower"})
        whole = found["(replays of graph 1)"]
        self.assertEqual(whole["by"], ["mean"])
        self.assertAlmostEqual(whole["mean"]["ratio"], 4 / 3, delta=0.03)
        self.assertAlmostEqual(whole["median"]["ratio"], 1, delta=0.02)
        self.assertRegex(self.diff(before, after).stdout, r"\nslower \(mean\) +\(replays of graph 1\) +mean ")

    def test_a_tail_is_slower_in_the_mean(self):
        before, after = self.program("a", 5, replays=400), self.program("b", 5, tail=0.05, replays=400)
        found = self.findings(before, after, status=1)
        slower = [one for path, one in found.items() if path[0] != "(" and one["verdict"] == "slower"]
        self.assertGreaterEqual(len(slower), 18)
        self.assertEqual({tuple(one["by"]) for one in slower}, {("mean",)})

    def test_names_that_come_once_widen_nothing(self):
        """They are a family of their own."""
        plain = self.program("a", 5), self.program("b", 5)
        with_names = self.program("a", 5, names=30), self.program("b", 5, names=30)
        width = lambda sides, figure: {path: one[figure]["high"] / one[figure]["low"] for path, one in self.findings(*sides).items()}
        for figure in ("mean", "median"):
            alone, beside = width(plain, figure), width(with_names, figure)
            for path, expected in alone.items():
                self.assertLess(beside[path] - 1, 1.5 * (expected - 1))
        slower = self.program("c", 5, names=30, slower=range(20), factor=1.134)
        found = self.findings(with_names[0], slower, status=1)
        self.assertEqual({one["verdict"] for path, one in found.items() if not path.startswith("step")}, {"slower"})

    def test_recordings_of_one_process_count_once(self):
        before, after = self.side("a", {Region("r"): 20_000}), self.side("b", {Region("r"): 20_000})
        windows = [self.process(f"w{i}.gprof", {Region("r"): 20_000}, pid=9) for i in range(3)]
        self.assertEqual(self.verdicts(before, after), {"r": "same"})
        self.assertEqual(self.verdicts(before, windows), {"r": "undecided"})
        self.assertIn("one recording on a side", self.diff(before, windows).stdout)

    # A clock that all regions of a process share is not taken for many changes.
    def test_a_processs_clock_is_no_change(self):
        # Two clocks that differ by 4 %, and each process has one of them: three against three are sometimes all alike.
        source = random.Random("clocks")
        regions = [Region(f"r{i}") for i in range(32)]
        pool = []
        for process in range(12):
            recording = Recording(regions)
            clock = 1 + 0.04 * (process % 2)
            for replay in range(24):
                recording.replay([(region, int(40_000 * clock * math.exp(source.gauss(0, 0.002)))) for region in regions],
                                 cold=replay == 0)
            pool.append(self.write(f"p{process}.gprof", recording.gprof()))
        alarms = 0
        for _ in range(40):
            six = source.sample(pool, 6)
            clocks = [int(os.path.basename(path)[1:-6]) % 2 for path in six]
            if len(set(clocks[:3])) > 1 or len(set(clocks[3:])) > 1:  # otherwise nothing shows that clocks vary
                alarms += self.diff(six[:3], six[3:]).returncode == 1
        self.assertEqual(alarms, 0)

    def test_processes_that_were_recorded_on_a_gpu(self):
        # 60 processes, and 60 in which one of the 256 regions takes 3 % more; test/benchmark/diff-proof made them on an H200.
        with tarfile.open(os.path.join(HERE, "h200-processes.tar.xz")) as archive:
            archive.extractall(self.folder)
        proof = subprocess.run(
            [sys.executable, os.path.join(HERE, "../benchmark/diff-proof"), "--pool", os.path.join(self.folder, "pool"),
             "--graphprof", GRAPHPROF, "--draws", "20"], capture_output=True, text=True,
        )  # fmt: skip
        self.assertEqual(proof.returncode, 0, proof.stdout + proof.stderr)
        self.assertRegex(proof.stdout, r"(?s)20 comparisons of 3 with 3 .*: 0 false alarms.* takes 3\.0 % more: found in (19|20);")


if __name__ == "__main__":
    GRAPHPROF = os.path.abspath(sys.argv.pop(1))
    unittest.main()
