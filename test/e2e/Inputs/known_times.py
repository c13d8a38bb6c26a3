# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# known_times.py GRAPHPROF PROGRAM: runs the program of known_times.cu with schedules that are known, and compares each output with
# them. In a folder of its own.

import contextlib
import csv
import io
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import unittest
from pathlib import Path

GRAPHPROF = PROGRAM = None
GAP = 1000


class Schedule:
    """What a graph's words do, in a replay in which nothing takes longer: when each kernel begins and ends, and each region's
    kernels."""

    def __init__(self, words, times):
        self.words, self.times = words, times
        self.kernels = []  # (name, begin, end)
        self.regions = {}  # the kernels of each, by path
        behind, open_at = [[], [], []], []  # by stream: the kernels that the next one waits for
        for word in words.split():
            what, *others = word.split(":")
            if what == "region":
                open_at.append("/".join([*open_at[-1:], others[0]]))
                self.regions.setdefault(open_at[-1], [])
            elif what == "end":
                open_at.pop()
            elif what == "fork":
                before, after = map(int, others)
                behind[after] = behind[after] + behind[before]
            else:
                stream = int(others[0])
                begin = max((self.kernels[k][2] + GAP for k in behind[stream]), default=0)
                behind[stream] = [len(self.kernels)]
                parents = open_at[-1].split("/") if open_at else []
                for depth in range(len(parents)):
                    self.regions["/".join(parents[:depth + 1])].append(len(self.kernels))
                self.kernels.append((what, begin, begin + times[what]))
        self.length = max(end for _, _, end in self.kernels)

    def extent(self, path):
        kernels = [self.kernels[k] for k in self.regions[path]]
        return min(begin for _, begin, _ in kernels), max(end for _, _, end in kernels)

    def own(self, path):
        """The least and the most that a region may last: up to its own end, or to the begin of what follows that."""
        begin, end = self.extent(path)
        return end - begin, min(end + GAP, self.length) - begin


TIMES = {"a": 5000, "b": 20000, "c": 12000, "d": 4000, "e": 3000, "f": 2000}
SCHEDULES = {
    "one": "region:all:0 a:0 end",
    "chain": "region:head:0 a:0 end region:body:0 b:0 end region:tail:0 c:0 end",
    "nested": "region:outer:0 a:0 region:inner:0 b:0 region:core:0 c:0 end d:0 end e:0 end f:0",
    "fork and join": "region:head:0 a:0 end fork:0:1 region:right:1 b:1 end region:left:0 region:inner:0 c:0 end d:0 end fork:1:0 "
                     "region:tail:0 e:0 f:0 end",
    "diamond": "region:head:0 a:0 end fork:0:1 region:left:0 c:0 end region:right:1 d:1 end fork:1:0 region:tail:0 e:0 end",
    "two streams": "region:first:0 a:0 end fork:0:1 region:mine:0 b:0 c:0 end region:other:1 d:1 e:1 end fork:1:0 f:0",
    "loop": "region:step:0 a:0 b:0 end region:step:0 c:0 d:0 end region:step:0 e:0 f:0 end",
}
REPLAYS = 12


def covered(times):
    """How long at least one of these was."""
    ns = reached = 0
    for begin, end in sorted(times):
        ns += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return ns


def run(schedule, REPLAYS=REPLAYS, **variables):
    environment = {**os.environ, **{name: str(time) for name, time in schedule.times.items()}, "GAP": str(GAP), **variables}
    subprocess.run([PROGRAM, str(REPLAYS), *schedule.words.split()], env=environment, check=True, stderr=subprocess.DEVNULL)


def lines_of(path):
    return Path(path).read_text(encoding="utf-8").splitlines()


def graphprof(*words):
    return subprocess.run([GRAPHPROF, *words], check=True, capture_output=True, text=True).stdout


class Lengths(unittest.TestCase):
    def test_the_length_of_a_replay_is_one_number(self):
        """From its first kernel's begin to its last kernel's end, in every output, with nodes and without."""
        for name, words in SCHEDULES.items():
            for nodes in "0", "1":
                with self.subTest(name, nodes=nodes):
                    schedule = Schedule(words, TIMES)
                    run(schedule, GRAPHPROF_NODES=nodes, GRAPHPROF_OUTPUT="run.gprof,run.jsonl,table:run.table,key_averages:run.averages")
                    replays = [json.loads(line) for line in lines_of("run.jsonl")]
                    spans = {one["end_ns"] - one["begin_ns"] for one in replays if one["type"] == "replay" and not one["cold"]}
                    self.assertEqual(spans, {schedule.length})
                    graph = json.loads(graphprof("report", "--json", "--group-by", "graph", "run.gprof"))["rows"][0]
                    self.assertEqual((graph["min_ns"], graph["max_ns"]), (schedule.length, schedule.length))
                    text = f"{schedule.length / 1000:.3f}us each in the median"
                    self.assertIn(text, Path("run.table").read_text(encoding="utf-8"))
                    self.assertIn(text, graphprof("report", "run.gprof"))
                    if nodes == "1":
                        path = json.loads(graphprof("report", "--critical-path", "--json", "run.gprof"))["graphs"][0]
                        self.assertEqual(path["replay_ns"], schedule.length)
                    rows = {row["path"]: row for row in json.loads(graphprof("report", "--json", "run.gprof"))["rows"]}
                    for region in schedule.regions:
                        if name != "loop":
                            least, most = schedule.own(region)
                            self.assertTrue(least <= rows[region]["mean_ns"] <= most, (region, rows[region]["mean_ns"], least, most))


class WhatIf(unittest.TestCase):
    """What is predicted is what the changed program takes, within what the prediction says."""

    def predictions(self, name, factors, **variables):
        schedule = Schedule(SCHEDULES[name], TIMES)
        run(schedule, GRAPHPROF_NODES="1", GRAPHPROF_OUTPUT="run.gprof", **variables)
        words = [word for kernel, factor in factors.items() for word in ("--what-if", f"{kernel}$={factor * 100 - 100:+g}%")]
        asked = json.loads(graphprof("report", "--critical-path", "--json", *words, "run.gprof"))["graphs"][0]["what_if"]
        for (kernel, factor), one in zip(factors.items(), asked, strict=True):
            changed = Schedule(SCHEDULES[name], {**TIMES, kernel: round(TIMES[kernel] * factor)})
            run(changed, GRAPHPROF_OUTPUT="changed.jsonl", GRAPHPROF_NODES="1", **variables)
            lines = [json.loads(line) for line in lines_of("changed.jsonl")]
            (length,) = {line["end_ns"] - line["begin_ns"] for line in lines if line["type"] == "replay" and not line["cold"]}
            if not variables:
                self.assertEqual(length, changed.length)
            yield kernel, one, length

    def test_gaps_do_not_shrink_with_a_kernel(self):
        for name, factors in (("chain", {"a": 0.5, "b": 0.1, "c": 1.5}), ("fork and join", {"b": 0.5, "c": 0.25, "d": 3, "e": 0.5}),
                              ("diamond", {"c": 0.5, "d": 3, "a": 0.2})):
            with self.subTest(name):
                for kernel, one, length in self.predictions(name, factors):
                    self.assertLessEqual(abs(one["predicted_ns"] - length), 1, (kernel, one))
                    self.assertTrue(one["least_ns"] <= length <= one["most_ns"], (kernel, one))
                    self.assertLessEqual(one["most_ns"] - one["least_ns"], 2 * GAP)

    def test_gaps_that_are_not_known_widen_the_prediction(self):
        """With times that end with the kernels, nothing tells the gap in front of each."""
        for name, factors in (("chain", {"b": 0.5, "c": 1.5}), ("diamond", {"c": 0.5})):
            with self.subTest(name):
                for kernel, one, length in self.predictions(name, factors, GRAPHPROF_EDGES="completion"):
                    self.assertTrue(one["least_ns"] <= length <= one["most_ns"], (kernel, one, length))
                    self.assertGreater(one["most_ns"], one["least_ns"])

    def test_slack_does_not_hold_a_gap(self):
        schedule = Schedule(SCHEDULES["fork and join"], TIMES)
        run(schedule, GRAPHPROF_NODES="1", GRAPHPROF_OUTPUT="run.gprof")
        graph = json.loads(graphprof("report", "--critical-path", "--json", "--all", "run.gprof"))["graphs"][0]
        ends = {kernel: end for kernel, _, end in schedule.kernels}
        rows = {row["path"]: row for row in graph["rows"]}
        self.assertEqual(rows["left/d"]["slack_ns"], ends["b"] - ends["d"])
        self.assertEqual(rows["left/inner/c"]["slack_ns"], ends["b"] - ends["d"])
        self.assertEqual(rows["right/b"]["slack_ns"], 0)
        self.assertEqual({rows[path]["gap_ns"] for path in ("left/d", "left/inner/c", "right/b", "tail/e", "tail/f")}, {GAP})
        self.assertEqual(rows["head/a"]["gap_ns"], 0)


class Outside(unittest.TestCase):
    def test_shares_add_up(self):
        """The last row is what is outside all regions."""
        for name in ("nested", "fork and join", "two streams"):
            for nodes in "0", "1":
                for parts in "1", "2":
                    with self.subTest(name, nodes=nodes, parts=parts):
                        schedule = Schedule(SCHEDULES[name], TIMES)
                        run(schedule, REPLAYS="60", GRAPHPROF_NODES=nodes, GRAPHPROF_PARTS=parts, GRAPHPROF_OUTPUT="run.gprof,table:run.table")
                        self.check(schedule, nodes == "1")

    def check(self, schedule, nodes):
        rows = json.loads(graphprof("report", "--json", "run.gprof"))["rows"]
        named = [row["name"] for row in rows]
        outermost = [row for row in rows if row["depth"] == 0 and row["name"] != "(outside all regions)"]
        if len(outermost) < sum(row["depth"] == 0 for row in rows):
            self.assertEqual(named.index("(outside all regions)"), len(rows) - 1)
            last = rows[-1]
            texts = [Path("run.table").read_text(encoding="utf-8"), graphprof("report", "--all", "run.gprof"), graphprof("report", "--sort", "total", "run.gprof")]
            for text in texts:
                self.assertRegex(text, rf"\n\(outside all regions\) .* {last['percent_of_replay']:.2f}%")
        else:  # all of the time is in regions
            last = {"percent_of_replay": 0, "mean_ns": 0}
        # What no region or node, up to the begin of the next, holds.
        begins = sorted((begin, end) for path in schedule.regions if "/" not in path for begin, end in [schedule.extent(path)])
        if nodes:
            begins += [(begin, end) for _, begin, end in schedule.kernels]
        least = most = schedule.length
        least -= covered([(begin, min(end + GAP, schedule.length)) for begin, end in begins])
        most -= covered(begins)
        share = 100 / schedule.length
        self.assertTrue(least * share - 0.01 <= last["percent_of_replay"] <= most * share + 0.01, (least * share, last, most * share))
        self.assertAlmostEqual(last["mean_ns"], last["percent_of_replay"] / share, delta=2)
        if all(stream in "0" for stream in re.findall(r":(\d)", schedule.words)):
            self.assertAlmostEqual(sum(row["percent_of_replay"] for row in outermost) + last["percent_of_replay"], 100)


def all_kernels(rows):
    return all(row["kind"] == "kernel" for row in rows)


def average(numbers):
    return sum(numbers) / len(numbers)


def shown(ns):
    """As texts have it."""
    return f"{ns / 1e3:.3f}us" if ns < 999_999.5 else f"{ns / 1e6:.3f}ms"


class Outputs(unittest.TestCase):
    """All outputs say the same of each region and node, and that is what the schedule says."""

    OUTPUT = ("run.gprof,run.jsonl,run.csv,run.db,run.json,table:run.table,key_averages+statistics:run.averages,replays:run.replays,"
              "graph:run.graph.json")

    def check(self, schedule, nodes="0", **variables):
        for old in ("run.db", "again.db"):
            if os.path.exists(old):
                os.remove(old)
        run(schedule, GRAPHPROF_NODES=nodes, GRAPHPROF_OUTPUT=self.OUTPUT, **variables)
        lines = [json.loads(line) for line in lines_of("run.jsonl")]
        replays = {(one["exec"], one["replay"]): one["end_ns"] - one["begin_ns"] for one in lines if one["type"] == "replay" and not one["cold"]}
        times = {}  # of warm replays, by path
        for one in lines:
            if one["type"] == "record" and not one["cold"]:
                times.setdefault(one["path"], []).append(one["duration_ns"])
        self.assertGreater(len(times), 0)
        self.schedule = schedule
        self.files_agree(times)
        self.tables_agree(schedule, times, list(replays.values()))
        return times, replays

    def files_agree(self, times):
        """What the program wrote, and what its binary file is converted to."""
        graphprof("convert", "run.gprof", "again.jsonl")
        graphprof("convert", "run.gprof", "again.csv")
        graphprof("convert", "run.gprof", "again.db")
        for path in "run.csv", "again.csv":
            found = {}
            for row in csv.DictReader(lines_of(path)):
                if row["cold"] == "0":
                    found.setdefault(row["path"], []).append(int(row["duration_ns"]))
            self.assertEqual(found, times, path)
        found = {}
        for one in map(json.loads, lines_of("again.jsonl")):
            if one["type"] == "record" and not one["cold"]:
                found.setdefault(one["path"], []).append(one["duration_ns"])
        self.assertEqual(found, times)
        for path in "run.db", "again.db":
            with contextlib.closing(sqlite3.connect(path)) as database:
                rows = database.execute("SELECT path, count, total_ns FROM statistics WHERE NOT cold").fetchall()
            self.assertEqual({path: (count, total) for path, count, total in rows}, {path: (len(all), sum(all)) for path, all in times.items()})
        by_name, found = {}, {}
        for path, all in times.items():
            by_name.setdefault(path.rpartition("/")[2], []).extend(all)
        for event in json.loads(Path("run.json").read_text(encoding="utf-8"))["traceEvents"]:
            if event["ph"] == "X" and event["args"].get("clock") == "stamp" and event["name"] in by_name and not event["args"]["cold"]:
                found.setdefault(event["name"], []).append(round(event["args"].get("duration_us", event["dur"]) * 1000))
        self.assertEqual(set(found), set(by_name))
        for name, all in by_name.items():
            self.assertEqual(len(found[name]), len(all), name)
            if name in {path.rpartition("/")[2] for path in self.schedule.regions}:  # a kernel may be drawn as long as it was busy
                self.assertEqual(sorted(found[name]), sorted(all), name)

    def tables_agree(self, schedule, times, lengths):
        """Reports in their four forms, the page, the table, key averages."""
        rows = json.loads(graphprof("report", "--json", "run.gprof"))["rows"]
        named = [row for row in rows if row["path"] in times]
        self.assertEqual({row["path"] for row in named}, set(times))
        for row in named:
            all = sorted(times[row["path"]])
            self.assertEqual((row["count"], row["total_ns"], row["min_ns"], row["max_ns"]), (len(all), sum(all), all[0], all[-1]), row)
            self.assertAlmostEqual(row["mean_ns"], average(all))
            self.assertAlmostEqual(row["p50_ns"], statistics.median(all))
        by_csv = list(csv.DictReader(io.StringIO(graphprof("report", "--csv", "run.gprof"))))
        self.assertEqual([(row["path"], row["total_ns"], row["count"]) for row in by_csv if row["path"]],
                         [(row["path"], str(row["total_ns"]), str(row["count"])) for row in rows])
        self.assertEqual([float(row["percent_of_replay"] or -1) for row in by_csv if row["path"]],
                         [float(f"{-1 if row['percent_of_replay'] is None else row['percent_of_replay']:.6g}") for row in rows])
        graphprof("html", "-o", "run.html", "run.gprof")
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', Path("run.html").read_text(encoding="utf-8"), re.S)[1]
        page = json.loads(data)["sides"][0]["data"]
        for one, other in zip(page["reports"]["region"]["rows"], rows, strict=True):
            self.assertEqual((one["path"], one["total_ns"], one["percent_of_replay"]), (other["path"], other["total_ns"], other["percent_of_replay"]))
        self.assertTrue({replay["span_ns"] for replay in page["replays"] if not replay["cold"]} <= set(lengths))
        markdown = graphprof("report", "--all", "--markdown", "run.gprof")
        texts = {"table": Path("run.table").read_text(encoding="utf-8"), "text": graphprof("report", "--all", "run.gprof"), "markdown": markdown}
        for form, text in texts.items():
            cells = [[cell for cell in re.split(r"[| ]+|&nbsp;", line) if cell] for line in text.splitlines()]
            for row in rows:
                wanted = [str(row["count"]), shown(row["total_ns"]), shown(row["mean_ns"])]
                self.assertTrue(any(cell[i:i + 3] == wanted for cell in cells for i in range(len(cell))), (form, row, text))
        averages = Path("run.averages").read_text(encoding="utf-8")
        by_name = {}
        for path, all in times.items():
            by_name.setdefault(path.rpartition("/")[2], []).extend(all)
        for name, all in by_name.items():
            line = re.search(rf"^ *{re.escape(name)}  .*$", averages, re.M)
            self.assertIsNotNone(line, (name, averages))
            of_name = [row for row in rows if row["path"].rpartition("/")[2] == name]
            if all_kernels(of_name) and None not in (busy := [row["busy_ns"] for row in of_name]):  # the gaps are in no row
                self.assertIn(f" {shown(sum(ns * row['count'] for ns, row in zip(busy, of_name)))}", line[0])
            else:
                self.assertIn(f" {shown(sum(all))}", line[0])
            self.assertRegex(line[0], rf" {len(all)} ")

    def means_are_true(self, schedule, times, slower=1.0):
        for path in schedule.regions:
            least, most = schedule.own(path)
            self.assertTrue(least * slower * 0.999 <= average(times[path]) <= most * slower * 1.001, (path, average(times[path]), least, most))

    def test_every_schedule(self):
        for name, words in SCHEDULES.items():
            for nodes in "0", "1":
                with self.subTest(name, nodes=nodes):
                    schedule = Schedule(words, TIMES)
                    times, replays = self.check(schedule, nodes)
                    self.assertEqual(len(replays), REPLAYS - 1)
                    if name != "loop":
                        self.means_are_true(schedule, times)

    def test_every_third_replay_takes_twice_as_long(self):
        schedule = Schedule(SCHEDULES["nested"], TIMES)
        times, _ = self.check(schedule, "1", EVERY="3", REPLAYS="13")
        slow = Schedule(SCHEDULES["nested"], {kernel: 2 * time for kernel, time in TIMES.items()})
        for path in schedule.regions:  # 4 of 12 warm replays
            (least, most), (leastSlow, mostSlow) = schedule.own(path), slow.own(path)
            self.assertTrue(2 * least + leastSlow <= 3 * average(times[path]) <= 2 * most + mostSlow, path)

    def test_parts(self):
        for nodes in "0", "1":
            with self.subTest(nodes=nodes):
                schedule = Schedule(SCHEDULES["nested"], TIMES)
                times, _ = self.check(schedule, nodes, GRAPHPROF_PARTS="2", REPLAYS="80")
                self.means_are_true(schedule, times)

    def test_several_graphs(self):
        first, second = SCHEDULES["chain"], SCHEDULES["diamond"]
        schedule = Schedule(first, TIMES)
        both = Schedule(first, TIMES)
        both.words = f"{first} graph {second.replace('head', 'start').replace('tail', 'stop')}"
        times, replays = self.check(both, "1")
        self.assertEqual(len(replays), 2 * (REPLAYS - 1))
        self.assertEqual(set(replays.values()), {schedule.length, Schedule(second, TIMES).length})
        self.means_are_true(schedule, times)

    def test_several_processes(self):
        """Added up in one report."""
        schedule = Schedule(SCHEDULES["diamond"], TIMES)
        for rank in "0", "1":
            run(schedule, RANK=rank, WORLD_SIZE="2", GRAPHPROF_NODES="1", GRAPHPROF_OUTPUT=f"rank{rank}.gprof")
        one, both = (json.loads(graphprof("report", "--json", *files))["rows"] for files in (["rank0.gprof"], ["rank0.gprof", "rank1.gprof"]))
        self.assertEqual([(row["path"], 2 * row["count"], 2 * row["total_ns"], row["percent_of_replay"]) for row in one],
                         [(row["path"], row["count"], row["total_ns"], row["percent_of_replay"]) for row in both])


class Self(unittest.TestCase):
    def test_what_is_recorded_in_other_replays_is_subtracted_by_means(self):
        """With parts, a region and what is inside it are recorded in different replays."""
        schedule = Schedule(SCHEDULES["fork and join"], TIMES)
        shares = {}
        for parts in "1", "2", "3":
            run(schedule, REPLAYS="400", GRAPHPROF_NODES="1", GRAPHPROF_PARTS=parts, GRAPHPROF_OUTPUT="run.gprof")
            text = graphprof("convert", "run.gprof", "key_averages")
            for name in "left", "inner", "head", "tail":
                line = re.search(rf"^ *{name}  .*$", text, re.M)[0].split()
                shares.setdefault(name, []).append(times_of(line[6]) / times_of(line[8]))
        for name, found in shares.items():
            for share in found[1:]:
                self.assertAlmostEqual(share, found[0], delta=0.01, msg=f"{name}: {found}")


def times_of(text):
    return float(text.removesuffix("us").removesuffix("m")) if text.endswith("us") else 1000 * float(text.removesuffix("ms"))


if __name__ == "__main__":
    GRAPHPROF, PROGRAM = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main()
