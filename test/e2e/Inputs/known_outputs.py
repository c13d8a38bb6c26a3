# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# known_outputs.py GRAPHPROF PROGRAM LIBRARY PACKAGE: runs programs whose schedules are known, and compares what each output says
# of them with the schedule, and with what the others say. In a folder of its own.

import contextlib
import csv
import io
import json
import os
import re
import sqlite3
import statistics
import sys
import unittest
from pathlib import Path

from known_schedules import (PROGRAMS, average, covered, error_of, graphprof, lines_of, quantile, records_of, rows_of, run, shown)

QUANTILES = {"p50_ns": 0.5, "p95_ns": 0.95, "p99_ns": 0.99}


def name_of(path):
    return path.rpartition("/")[2]


class Recorded:
    """What a program recorded, as JSON lines have it: the records of warm replays."""

    def __init__(self, program, path):
        lines = records_of(path)
        self.program = program
        self.lengths = {}  # by exec: of each replay, by its number
        for one in lines:
            if one["type"] == "replay" and not one["cold"] and one["end_ns"] > one["begin_ns"]:
                self.lengths.setdefault(one["exec"], {})[one["replay"]] = one["end_ns"] - one["begin_ns"]
        self.records = [one for one in lines if one["type"] == "record" and not one["cold"] and one["duration_ns"] is not None]
        self.kinds = {one["path"]: one["kind"] for one in self.records}
        self.times, self.by_name, self.by_replay = {}, {}, {}
        for one in self.records:
            self.times.setdefault(one["path"], []).append(one["duration_ns"])
            self.by_name.setdefault(name_of(one["path"]), []).append(one["duration_ns"])
            self.by_replay.setdefault((one["exec"], one["path"]), {}).setdefault(one["replay"], []).append(one)
        self.all_lengths = [length for of_exec in self.lengths.values() for length in of_exec.values()]

    def share(self, *paths, around=()):
        """In percent: the mean time in these a replay, by the mean length of a replay of the graphs in which they, or what is around
        them, ran."""
        ns = of = 0
        for number, lengths in self.lengths.items():
            together = {}  # by the replays that recorded them: what runs side by side counts once
            for path in paths:
                replays = self.by_replay.get((number, path), {})
                for replay, all in replays.items():
                    together.setdefault(tuple(replays), {}).setdefault(replay, []).extend(
                        (one["begin_ns"], one["begin_ns"] + one["duration_ns"]) for one in all)
            ns += sum(average([covered(all) for all in replays.values()]) for replays in together.values()) * len(lengths)
            of += sum(lengths.values()) if any((number, path) in self.by_replay for path in (*paths, *around)) else 0
        return 100 * ns / of


class Outputs(unittest.TestCase):
    OUTPUT = ("run.gprof,run.jsonl,run.csv,run.db,run.json,table:run.table,key_averages+statistics:run.averages,replays:run.replays,"
              "graph:run.graph.json")

    def test_every_program(self):
        for name, program in PROGRAMS.items():
            for nodes in "0", "1":
                with self.subTest(name, nodes=nodes):
                    for old in ("run.db", "again.db"):
                        Path(old).unlink(missing_ok=True)
                    run(program, self.OUTPUT, "run.python", GRAPHPROF_NODES=nodes)
                    recorded = Recorded(program, "run.jsonl")
                    self.assertGreater(len(recorded.times), 0)
                    self.follows_the_schedule(recorded)
                    self.samples_are_fair(recorded)
                    self.files_agree(recorded)
                    self.drawings_agree(recorded)
                    self.reports_agree(recorded)
                    self.averages_agree(recorded)
                    self.python_agrees(recorded)

    def follows_the_schedule(self, recorded):
        """Each replay, and each execution in it."""
        program = recorded.program
        for exec_number, lengths in recorded.lengths.items():
            for replay, length in lengths.items():
                self.assertEqual(length, program.schedule(exec_number - 1, replay).length, replay)
        for (exec_number, path), replays in recorded.by_replay.items():
            for replay, records in replays.items():
                schedule = program.schedule(exec_number - 1, replay)
                for one, (begin, end) in zip(records, schedule.executions()[path], strict=True):
                    least, most = schedule.within(begin, end)
                    self.assertTrue(least <= one["duration_ns"] <= most, (one, least, most))

    def samples_are_fair(self, recorded):
        """All but the cold replays are recorded, or so many of each kind that means are true."""
        program = recorded.program
        warm = range(1, program.replays)
        if not program.variables:
            self.assertEqual({number: sorted(lengths) for number, lengths in recorded.lengths.items()},
                             {number + 1: list(warm) for number in range(len(program.graphs))})
        for (exec_number, path), replays in recorded.by_replay.items():
            by_factor, found = {}, {}
            for replay, records in replays.items():
                found[replay] = sum(one["duration_ns"] for one in records)
                by_factor.setdefault(self.factor(program, exec_number, replay), []).append(found[replay])
            for times in by_factor.values():
                self.assertLessEqual(max(times) - min(times), 1, path)
            true = average([average(by_factor[self.factor(program, exec_number, replay)]) for replay in warm])
            self.assertLessEqual(abs(average(found.values()) - true), 3 * error_of(list(found.values())) + 1e-6, path)
        if sample := program.variables.get("GRAPHPROF_SAMPLE"):
            expected = len(warm) / int(sample.partition("/")[2])
            self.assertLess(abs(len(recorded.lengths[1]) - expected), 4 * expected**0.5)

    @staticmethod
    def factor(program, exec_number, replay):
        return program.factors[(replay * len(program.graphs) + exec_number - 1) % len(program.factors)]

    def files_agree(self, recorded):
        """What the program wrote, and what its binary file is converted to."""
        for end in "jsonl", "csv", "db", "json":
            graphprof("convert", *["--force"] * os.path.exists(f"again.{end}"), "run.gprof", f"again.{end}")
        self.assertEqual(Recorded(recorded.program, "again.jsonl").records, recorded.records)
        for path in "run.csv", "again.csv":
            found = {}
            for row in csv.DictReader(lines_of(path)):
                if row["cold"] == "0" and row["duration_ns"]:
                    found.setdefault(row["path"], []).append(int(row["duration_ns"]))
            self.assertEqual(found, recorded.times, path)
        for path in "run.db", "again.db":
            with contextlib.closing(sqlite3.connect(path)) as database:
                rows = database.execute("SELECT path, count, total_ns, mean_ns, min_ns, max_ns FROM statistics WHERE NOT cold").fetchall()
                lengths = database.execute("SELECT exec, replay, end_ns - begin_ns FROM replays WHERE NOT cold AND end_ns > begin_ns").fetchall()
            self.assertEqual({path: figures for path, *figures in rows},
                             {path: [len(all), sum(all), average(all), min(all), max(all)] for path, all in recorded.times.items()})
            self.assertEqual(sorted(lengths), sorted((number, replay, length) for number, of in recorded.lengths.items() for replay, length in of.items()))

    def drawings_agree(self, recorded):
        """Traces, the replays' text, and the graph's picture."""
        for path in "run.json", "again.json":
            found = {}
            for event in json.loads(Path(path).read_text(encoding="utf-8"))["traceEvents"]:
                if event["ph"] == "X" and event["args"].get("clock") == "stamp" and event["name"] in recorded.by_name and not event["args"]["cold"]:
                    found.setdefault(event["name"], []).append(round(event["args"].get("until_next_begin_us", event["dur"]) * 1000))
            self.assertEqual({name: sorted(all) for name, all in found.items()}, {name: sorted(all) for name, all in recorded.by_name.items()}, path)
        found, cold = {}, False
        for line in lines_of("run.replays"):
            cold = "(cold)" in line if line.startswith("---") else cold
            if (timed := re.fullmatch(r" *(.*): ([\d.]+) us", line)) and not cold:
                found.setdefault(timed[1], []).append(round(float(timed[2]) * 1000))
        self.assertEqual({name: sorted(all) for name, all in found.items()}, {name: sorted(all) for name, all in recorded.by_name.items()})
        for picture in json.loads(Path("run.graph.json").read_text(encoding="utf-8"))["graphs"]:
            lengths = [length for number, of in recorded.lengths.items() if number == picture["graph"] for length in of.values()]
            self.figures_are(picture["span"], lengths, "median_ns")
            by_id = {}
            for region in picture["regions"]:
                by_id[region["id"]] = f"{by_id[region['parent']]}/{region['name']}" if region.get("parent") is not None else region["name"]
            for region in picture["regions"]:
                path = by_id[region["id"]]
                if [name for name in by_id.values()].count(path) == 1:
                    self.figures_are(region, recorded.times[path], "median_ns")
                    self.assertAlmostEqual(region["percent"], recorded.share(path), delta=0.01)

    def figures_are(self, figures, times, median="p50_ns"):
        self.assertEqual([figures[key] for key in ("count", "total_ns", "min_ns", "max_ns")], [len(times), sum(times), min(times), max(times)])
        for key, q in QUANTILES.items():
            key = median if key == "p50_ns" else key
            if key in figures:
                self.assertAlmostEqual(figures[key], quantile(times, q), delta=0.5, msg=key)

    def reports_agree(self, recorded):
        """Reports in their four forms, the page, and the table at the program's end."""
        times = recorded.times
        percentiles = ("--percentiles", "50,95,99")
        document = json.loads(graphprof("report", "--json", *percentiles, "run.gprof"))
        self.assertEqual(document["replay_p50_ns"], statistics.median(recorded.all_lengths))
        rows = document["rows"]
        named = [row for row in rows if row["path"] in times]
        self.assertEqual({row["path"] for row in named}, set(times))
        for row in named:
            self.figures_are(row, times[row["path"]])
            self.assertAlmostEqual(row["mean_ns"], average(times[row["path"]]))
            self.assertAlmostEqual(row["percent_of_replay"], recorded.share(row["path"]), delta=1e-3, msg=row["path"])
        by_csv = list(csv.DictReader(io.StringIO(graphprof("report", "--csv", *percentiles, "run.gprof"))))
        for one, row in zip([one for one in by_csv if one["path"]], rows, strict=True):
            self.assertEqual([one[key] for key in ("path", "total_ns", "count")], [row["path"], str(row["total_ns"]), str(row["count"])])
            for key in ("percent_of_replay", "mean_ns", "p50_ns", "p95_ns", "p99_ns"):
                self.assertEqual(one[key] == "", row[key] is None, key)
                self.assertAlmostEqual(float(one[key] or 0), row[key] or 0, delta=max(0.06, 1e-5 * (row[key] or 0)), msg=key)
        graphprof("html", *["--force"] * os.path.exists("run.html"), "-o", "run.html", "run.gprof")
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', Path("run.html").read_text(encoding="utf-8"), re.S)[1]
        page = json.loads(data)["sides"][0]["data"]
        for one, other in zip(page["reports"]["region"]["rows"], rows, strict=True):
            for key in ("path", "count", "total_ns", "mean_ns", "min_ns", "max_ns", "p50_ns", "p95_ns", "percent_of_replay"):
                self.assertEqual(one[key], other[key], key)
        self.assertTrue({replay["span_ns"] for replay in page["replays"] if not replay["cold"]} <= set(recorded.all_lengths))
        texts = {"table": Path("run.table").read_text(encoding="utf-8"), "text": graphprof("report", "--all", "run.gprof"),
                 "markdown": graphprof("report", "--all", "--markdown", "run.gprof")}
        for form, text in texts.items():
            cells = [[cell for cell in re.split(r"[| ]+|&nbsp;", line) if cell] for line in text.splitlines()]
            for row in rows:
                wanted = [str(row["count"]), shown(row["total_ns"]), shown(row["mean_ns"])]
                found = [cell for cell in cells if any(cell[i:i + 3] == wanted for i in range(len(cell)))]
                self.assertNotEqual(found, [], (form, row, text))
                self.assertTrue(any(f"{row['percent_of_replay']:.2f}%" in cell for cell in found), (form, row, text))
            if form != "markdown":
                self.assertIn(self.length_line(recorded), text)

    @staticmethod
    def length_line(recorded):
        return f", {shown(statistics.median(recorded.all_lengths))} each in the median\n"

    def averages_of(self, recorded):
        """By name: count, how long in all, and the share; None: there are several of that name."""
        rows = [row for row in rows_of("run.gprof") if row["path"] in recorded.times]
        for name, times in recorded.by_name.items():
            of_name = [row for row in rows if name_of(row["path"]) == name]
            busy = [row["busy_ns"] for row in of_name]
            total = sum(times)
            if all(row["kind"] == "kernel" for row in of_name) and None not in busy:  # the gaps are in no row
                total = sum(ns * row["count"] for ns, row in zip(busy, of_name))
            yield name, times, total, of_name[0]["percent_of_replay"] if len(of_name) == 1 else None

    def averages_agree(self, recorded):
        text = Path("run.averages").read_text(encoding="utf-8")
        self.assertIn(self.length_line(recorded), text)
        for name, times, total, share in self.averages_of(recorded):
            line = re.search(rf"^ *{re.escape(name)}  .*$", text, re.M)
            self.assertIsNotNone(line, (name, text))
            self.assertIn(f" {shown(total)}", line[0])
            self.assertRegex(line[0], rf" {len(times)} ")
            self.assertIn(" ".join(map(shown, (min(times), *(quantile(times, q) for q in QUANTILES.values()), max(times)))), re.sub(r" +", " ", line[0]))
            if share is not None:
                self.assertRegex(line[0], rf" {share:.2f}% ")

    def python_agrees(self, recorded):
        said = json.loads(Path("run.python").read_text(encoding="utf-8"))
        events = [(event["name"], event["exec"], event["replay"], event["duration_ns"]) for event in said["events"]
                  if event["exec"] and not event["cold"] and event["duration_ns"] is not None]
        self.assertEqual(sorted(events), sorted((name_of(one["path"]), one["exec"], one["replay"], one["duration_ns"]) for one in recorded.records))
        self.assertIn(self.length_line(recorded), said["table"])
        rows = {row["key"]: row for row in said["averages"]}
        for name, times, total, share in self.averages_of(recorded):
            row = rows[name]
            self.assertEqual((row["count"], row["cold"]), (len(times), False))
            self.assertAlmostEqual(row["device_time_total"] * 1000, total, delta=0.5)
            self.assertAlmostEqual(row["device_time"] * 1000, total / len(times), delta=0.5)
            for key, expected in (("min", min(times)), ("median", quantile(times, 0.5)), ("p95", quantile(times, 0.95)),
                                  ("p99", quantile(times, 0.99)), ("max", max(times))):
                self.assertAlmostEqual(row[key] * 1000, expected, delta=1e-3, msg=key)
            if share is not None:
                self.assertAlmostEqual(row["replay_percent"], share, delta=1e-6)
            self.assertRegex(said["html"], rf">{name}</td><td[^>]*>{len(times)}</td><td[^>]*>{row['device_time_total']:.3f}us</td>")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
