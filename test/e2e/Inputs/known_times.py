# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# known_times.py GRAPHPROF PROGRAM LIBRARY PACKAGE: lengths of replays, predictions, what is outside all regions, self times and
# several processes, compared with the schedules of known_times.cu. In a folder of its own.

import json
import re
import sys
import unittest
from pathlib import Path

from known_schedules import GAP, SCHEDULES, TIMES, Program, Schedule, average, covered, graphprof, records_of, rows_of, run


class Lengths(unittest.TestCase):
    def test_the_length_of_a_replay_is_one_number(self):
        """From its first kernel's begin to its last kernel's end, in every output, with nodes and without."""
        for name, words in SCHEDULES.items():
            for nodes in "0", "1":
                with self.subTest(name, nodes=nodes):
                    schedule = Schedule(words)
                    run(Program((words,)), "run.gprof,run.jsonl,table:run.table,key_averages:run.averages", GRAPHPROF_NODES=nodes)
                    replays = records_of("run.jsonl")
                    spans = {one["end_ns"] - one["begin_ns"] for one in replays if one["type"] == "replay" and not one["cold"]}
                    self.assertEqual(spans, {schedule.length})
                    graph = rows_of("--group-by", "graph", "run.gprof")[0]
                    self.assertEqual((graph["min_ns"], graph["max_ns"]), (schedule.length, schedule.length))
                    text = f"{schedule.length / 1000:.3f}us each in the median"
                    self.assertIn(text, Path("run.table").read_text(encoding="utf-8"))
                    self.assertIn(text, graphprof("report", "run.gprof"))
                    self.assertIn(text, Path("run.averages").read_text(encoding="utf-8"))
                    if nodes == "1":
                        path = json.loads(graphprof("report", "--critical-path", "--json", "run.gprof"))["graphs"][0]
                        self.assertEqual(path["replay_ns"], schedule.length)
                    rows = {row["path"]: row for row in rows_of("run.gprof")}
                    for region in schedule.regions:
                        if name != "loop":
                            least, most = schedule.own(region)
                            self.assertTrue(least <= rows[region]["mean_ns"] <= most, (region, rows[region]["mean_ns"], least, most))


class WhatIf(unittest.TestCase):
    """What is predicted is what the changed program takes, within what the prediction says."""

    def predictions(self, name, factors, **variables):
        run(Program((SCHEDULES[name],)), "run.gprof", GRAPHPROF_NODES="1", **variables)
        words = [word for kernel, factor in factors.items() for word in ("--what-if", f"{kernel}$={factor * 100 - 100:+g}%")]
        asked = json.loads(graphprof("report", "--critical-path", "--json", *words, "run.gprof"))["graphs"][0]["what_if"]
        for (kernel, factor), one in zip(factors.items(), asked, strict=True):
            changed = Program((SCHEDULES[name],), times={**TIMES, kernel: round(TIMES[kernel] * factor)})
            run(changed, "changed.jsonl", GRAPHPROF_NODES="1", **variables)
            lines = records_of("changed.jsonl")
            (length,) = {line["end_ns"] - line["begin_ns"] for line in lines if line["type"] == "replay" and not line["cold"]}
            if not variables:
                self.assertEqual(length, changed.schedule(0, 1).length)
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
        schedule = Schedule(SCHEDULES["fork and join"])
        run(Program((schedule.words,)), "run.gprof", GRAPHPROF_NODES="1")
        graph = json.loads(graphprof("report", "--critical-path", "--json", "--all", "run.gprof"))["graphs"][0]
        ends = {kernel: end for kernel, _, end, _ in schedule.kernels}
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
                        schedule = Schedule(SCHEDULES[name])
                        run(Program((schedule.words,), 60), "run.gprof,table:run.table", GRAPHPROF_NODES=nodes, GRAPHPROF_PARTS=parts)
                        self.check(schedule, nodes == "1")

    def check(self, schedule, nodes):
        rows = rows_of("run.gprof")
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
            begins += [(begin, end) for _, begin, end, _ in schedule.kernels]
        least = most = schedule.length
        least -= covered([(begin, min(end + GAP, schedule.length)) for begin, end in begins])
        most -= covered(begins)
        share = 100 / schedule.length
        self.assertTrue(least * share - 0.01 <= last["percent_of_replay"] <= most * share + 0.01, (least * share, last, most * share))
        self.assertAlmostEqual(last["mean_ns"], last["percent_of_replay"] / share, delta=2)
        if all(stream in "0" for stream in re.findall(r":(\d)", schedule.words)):
            self.assertAlmostEqual(sum(row["percent_of_replay"] for row in outermost) + last["percent_of_replay"], 100)


class Processes(unittest.TestCase):
    def test_added_up(self):
        """In one report. Ranks of equal times are one row of merge."""
        for rank in "0", "1":
            run(Program((SCHEDULES["diamond"],)), f"rank{rank}.gprof", RANK=rank, WORLD_SIZE="2", GRAPHPROF_NODES="1")
        one, both = rows_of("rank0.gprof"), rows_of("rank0.gprof", "rank1.gprof")
        self.assertEqual([(row["path"], 2 * row["count"], 2 * row["total_ns"], row["percent_of_replay"]) for row in one],
                         [(row["path"], row["count"], row["total_ns"], row["percent_of_replay"]) for row in both])


class Self(unittest.TestCase):
    def test_what_is_recorded_in_other_replays_is_subtracted_by_means(self):
        """With parts, a region and what is inside it are recorded in different replays."""
        shares = {}
        for parts in "1", "2", "3":
            run(Program((SCHEDULES["fork and join"],), 400), "run.gprof", GRAPHPROF_NODES="1", GRAPHPROF_PARTS=parts)
            text = graphprof("convert", "run.gprof", "key_averages")
            for name in "left", "inner", "head", "tail":
                line = re.search(rf"^ *{name}  .*$", text, re.M)[0].split()
                shares.setdefault(name, []).append(times_of(line[6]) / times_of(line[8]))
        for name, found in shares.items():
            for share in found[1:]:
                self.assertAlmostEqual(share, found[0], delta=0.01, msg=f"{name}: {found}")


    def test_shares_are_as_if_each_replay_had_recorded_all(self):
        found = []
        for parts in "1", "2", "3":
            run(Program((SCHEDULES["fork and join"],), 400), "key_averages:run.averages", GRAPHPROF_PARTS=parts)
            text = Path("run.averages").read_text(encoding="utf-8")
            found.append({name: re.search(rf"^ *{name}  .*$", text, re.M)[0].split()[7] for name in ("left", "inner", "right", "head", "tail")})
        self.assertEqual(found[1:], found[:1] * 2)


def times_of(text):
    return float(text.removesuffix("us").removesuffix("m")) if text.endswith("us") else 1000 * float(text.removesuffix("ms"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
