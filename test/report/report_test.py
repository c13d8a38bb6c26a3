#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# graphprof report: what it reads, computes and prints, of recordings whose times are known.
#
#     test/report/report_test.py GRAPHPROF [unittest's arguments]

import csv
import io
import json
import os
import re
import subprocess
import sys
import unittest

from folders import FolderCase
from recordings import MemoryStep, Recording, Region, with_graph_memory

GRAPHPROF = None


def layers(count=3):
    """Regions as of a model: layers of one place in the source, each with a region and two kernels."""
    regions = []
    for i in range(count):
        layer = Region(f"layer {i}", source="src/model.cu:12", values=[("0", i)])
        inside = Region("attention", layer, source="src/model.cu:20", values=[("bytes", 1_000)])
        regions += [layer, inside, Region("model::gemm<128, float>", inside, kind="kernel"),
                    Region("model::gemm<128, float>", inside, kind="kernel", place=2)]
    return regions


def model(replays=11, count=3, **others):
    """Of layer i, the first kernel takes 1000 * (i + 1) ns, the second twice that; 100 ns more in every second replay."""
    regions = layers(count)
    recording = Recording(regions, **others)
    for replay in range(replays):
        more = 100 * (replay % 2)
        times = []
        for i in range(count):
            first = 1000 * (i + 1) + more
            of = regions[4 * i:4 * i + 4]
            times += [(of[0], 3 * first), (of[1], 3 * first), (of[2], first), (of[3], 2 * first)]
        recording.replay(times, cold=replay == 0, step=replay // 2)
    return recording


def inside_kernels(began):
    """Lines of five runs of a kernel, two of them of its timed twin with two warps; in the second one a warp entered another region."""
    place = {"type": "kernel", "name": "product", "path": "layer 0/attention", "node": 2, "graph": 1, "exec": 1, "device": 0, "step": None,
             "cold": False}
    runs = [{**place, "replay": i, "twin": False, "duration_ns": 1000} for i in range(3)]
    for i in range(2):
        regions = [{"name": "load", "source": "src/product.cu:12", "inside": None}, {"name": "inner", "source": "src/product.cu:13", "inside": 0}]
        times = [[0, 3, 450], [1, 1, 180]]
        if i == 1:
            regions.insert(0, {"name": "only", "source": "src/product.cu:20", "inside": None})
            regions[2]["inside"] = 1
            times = [[1, 3, 450], [2, 1, 180]]
        warps = [{"block": block, "warp": 0, "multiprocessor": block, "begin_ns": began + 100 * i, "duration_ns": 900,
                  "times": times + ([[0, 1, 180]] if i and block else [])} for block in range(2)]
        runs.insert(2 * i + 1, {**place, "replay": 3 + i, "twin": True, "duration_ns": 1100, "inside": regions, "warps": warps})
    return runs


class Case(FolderCase):
    def run_command(self, *words, environment=None):
        return subprocess.run([GRAPHPROF, *words], capture_output=True, text=True, cwd=self.folder,
                              env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})}, check=False)

    def report(self, *words, status=0, **others):
        result = self.run_command("report", *words, **others)
        self.assertEqual(result.returncode, status, result.stderr + result.stdout)
        return result

    def rows(self, *words):
        return json.loads(self.report("--json", *words).stdout)["rows"]

    def convert(self, path, output):
        result = self.run_command("convert", path, output)
        self.assertEqual(result.returncode, 0, result.stderr)
        return os.path.join(self.folder, output)


class WhatIsRead(Case):
    def test_converted_recordings_have_the_same_rows(self):
        recording = model()
        binary = self.write("run.gprof", recording.gprof())
        expected = self.rows(binary)
        self.assertEqual([row["path"] for row in expected[:4]],
                         ["layer 0", "layer 0/attention", "layer 0/attention/model::gemm<128, float>",
                          "layer 0/attention/model::gemm<128, float> #2"])
        second = expected[3]
        self.assertEqual((second["count"], second["total_ns"], second["min_ns"], second["max_ns"], second["p50_ns"]),
                         (10, 5 * 2000 + 5 * 2200, 2000, 2200, 2100))
        self.assertAlmostEqual(expected[1]["gigabytes_per_s"], 1_000 * 10 / (5 * 3000 + 5 * 3300))
        self.assertAlmostEqual(expected[0]["percent_of_replay"], 100 / 6, delta=0.5)
        self.assertEqual(self.rows(self.convert(binary, "again.gprof")), expected)

    def test_busy_times_are_columns(self):
        """Of regions and of groups; what is not known of any row has no column."""
        recording = model()
        first, second = recording.regions[2], recording.regions[3]
        recording.busy = {first: (600, 300, 63, "launch"), second: (1200, -1, 7, ""), recording.regions[6]: (900, 500, 21, "launch")}
        binary = self.write("run.gprof", recording.gprof())
        expected = self.rows(binary)
        figures = lambda row: [row[name] for name in ("busy_ns", "gap_ns", "busy_replays", "gap_cause")]
        self.assertEqual([figures(row) for row in expected[1:4]],
                         [[None, None, 0, None], [600, 300, 63, "launch"], [1200, None, 7, None]])
        kernels = self.rows("--group-by", "kernel", binary)
        mean = round((600 * 63 + 1200 * 7 + 900 * 21) / 91)
        self.assertEqual(figures(kernels[0]), [mean, round((300 * 63 + 500 * 21) / 84), 91, None])
        self.assertEqual([figures(row) for row in self.rows(self.convert(binary, "again.gprof"))], [figures(row) for row in expected])
        self.assertRegex(self.report("--all", binary).stdout, r"Max +Busy +Gap .*[\s\S]*#2 .* 1\.200us +-- ")
        recording.busy = {}
        self.assertNotIn("Busy", self.report(self.write("without.gprof", recording.gprof())).stdout)

    def test_regions_inside_kernels_are_shown(self):
        """In text and in JSON."""
        recording = model()
        recording.kernels = inside_kernels(recording.began)
        binary = self.write("run.gprof", recording.gprof())
        inside = lambda path: json.loads(self.report("--json", path).stdout)["inside_kernels"]
        kernel, = expected = inside(binary)
        self.assertEqual([kernel[key] for key in ("name", "path", "cold", "count", "p50_ns", "twin_count", "twin_p50_ns", "twin_per_kernel")],
                         ["product", "layer 0/attention", False, 3, 1000, 2, 1100, 1.1])
        load, inner, only = kernel["regions"]
        self.assertEqual([load[key] for key in ("name", "source", "inside", "warps", "iterations", "p50_ns", "percent_of_warps")],
                         ["load", "src/product.cu:12", None, 4, 12, 450, 50])
        self.assertEqual([inner[key] for key in ("name", "inside", "warps", "iterations", "percent_of_warps")], ["inner", 0, 4, 4, 20])
        self.assertEqual([only[key] for key in ("name", "inside", "warps", "percent_of_warps")], ["only", None, 1, 5])
        self.assertEqual(inside(self.convert(binary, "again.gprof")), expected)
        self.assertRegex(self.report(binary).stdout, r"time of each region inside kernels\n(.*\n)*layer 0/attention/product +3 +1\.000us .*"
                         r"1\.100us +1\.100\n +load +4 +0\.450us .* 50\.00% +3\n +inner +4 .*\n")
        self.assertNotIn("inside kernels", self.report(self.write("without.gprof", model().gprof())).stdout)
        other = model(pid=2, rank=1)
        other.kernels = inside_kernels(other.began)
        both = binary, self.write("other.gprof", other.gprof())
        for command in (("diff", *both), ("html", "-o", "page.html", binary), ("merge", *both)):
            with self.subTest(command[0]):
                result = self.run_command(*command)
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_warps_are_in_rows_of_their_multiprocessors(self):
        """What a multiprocessor did at the same time is in rows beside each other."""
        recording = model()
        recording.kernels = inside_kernels(recording.began)
        with open(self.convert(self.write("run.gprof", recording.gprof()), "trace.json"), encoding="utf-8") as file:
            trace = json.load(file)
        rows = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
        warps = [event for event in trace["traceEvents"] if event.get("cat") == "graphprof_warp"]
        self.assertEqual([(rows[event["tid"]], event["args"]["block"], event["dur"], event["args"]["replay"]) for event in warps],
                         [("multiprocessor 0", 0, 0.9, 3), ("multiprocessor 1", 1, 0.9, 3), ("multiprocessor 0 (2)", 0, 0.9, 4),
                          ("multiprocessor 1 (2)", 1, 0.9, 4)])
        self.assertEqual({event["name"] for event in warps}, {"product"})
        self.assertEqual(warps[0]["args"]["regions"], [{"name": "load", "us": 0.45, "iterations": 3},
                                                       {"name": "inner", "inside": "load", "us": 0.18, "iterations": 1}])

    def test_damaged_kernels_in_binary_files_are_told(self):
        recording = model()
        whole = inside_kernels(recording.began)
        for change in ({"inside": [{"name": "a", "source": "a:1", "inside": 0}]}, {"warps": [{**whole[1]["warps"][0], "times": [[9, 1, 1]]}]},
                       {"warps": [{**whole[1]["warps"][0], "duration_ns": -1}]}, {"node": 1 << 40}):
            with self.subTest(list(change)):
                recording.kernels = [whole[0], {**whole[1], **change}]
                self.assertIn("damaged", self.report(self.write("run.gprof", recording.gprof())).stdout)

    def test_files_add_up(self):
        one, other = self.write("a.gprof", model(pid=1).gprof()), self.write("b.gprof", model(pid=2).gprof())
        both = self.rows(one, other)
        self.assertEqual([row["count"] for row in both], [20] * len(both))
        document = json.loads(self.report("--json", one, other).stdout)
        self.assertEqual([run["pid"] for run in document["runs"]], [1, 2])
        self.assertEqual(document["rows"], both)
        self.assertEqual((document["replays"], document["cold_replays"]), (22, 2))

    def test_shares_are_of_the_replays_of_their_own_file(self):
        """Two programs have an exec of the same number, with other regions."""
        paths = []
        for name, length in (("short", 1000), ("long", 9000)):
            region = Region(name)
            paths.append(self.write(f"{name}.gprof", Recording([region]).replay_at([(region, 0, length // 2)], length).gprof()))
        for by in "region", "site":
            self.assertEqual([(row["name"], row["percent_of_replay"]) for row in self.rows("--group-by", by, *paths) if "outside" not in row["name"]],
                             [("short", 50), ("long", 50)])

    def test_what_ran_only_cold_is_marked(self):
        regions = [Region("once"), Region("often")]
        recording = Recording(regions).replay([(regions[0], 5000)], cold=True, graph=2)
        for i in range(3):
            recording.replay([(regions[1], 1000)], cold=i == 0)
        rows = {row["path"]: row for row in self.rows(self.write("a.gprof", recording.gprof()))}
        self.assertEqual((rows["once"]["cold"], rows["once"]["count"], rows["once"]["total_ns"]), (True, 1, 5000))
        self.assertEqual((rows["often"]["cold"], rows["often"]["count"]), (False, 2))
        text = self.report("a.gprof").stdout
        self.assertRegex(text, r"in cold replays only\n  once +1 +5\.000us +5\.000us")

    def test_what_was_not_measured_has_no_time(self):
        region = Region("add")
        recording = Recording([region]).replay([(region, None)]).replay([(region, None)])
        row, = self.rows(self.write("a.gprof", recording.gprof()))
        self.assertEqual((row["count"], row["not_measured"], row["total_ns"], row["p50_ns"]), (0, 2, None, None))

    def test_memory_does_not_grow_with_the_recording(self):
        regions = [Region(f"r{i}") for i in range(100)]
        peaks = []
        for replays in (400, 4000):
            recording = Recording(regions)
            for _ in range(replays):
                recording.replay([(region, 1000 + 10 * i) for i, region in enumerate(regions)])
            path = self.write(f"{replays}.gprof", recording.gprof())
            child = subprocess.run([sys.executable, "-c", "import resource, subprocess, sys\n"
                                    "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
                                    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)", GRAPHPROF, "report", path],
                                   capture_output=True, text=True, check=True)
            peaks.append(int(child.stdout))
        self.assertLess(peaks[1], 1.5 * peaks[0])


    def test_memory_of_graphs_is_added_up(self):
        path = self.write("run.gprof", with_graph_memory(model()).gprof())
        none, first, second = json.loads(self.report("--json", path).stdout)["graph_memory"]
        mib = 1 << 20
        self.assertEqual((none["graph"], none["total_bytes"], none["graphprof_bytes"], none["captures"]), (None, 0, 1024, 0))
        self.assertEqual((first["capture_bytes"], first["instantiate_bytes"], first["first_launch_bytes"]), (3 * mib, mib, 8 * mib + 4096))
        self.assertEqual((first["total_bytes"], first["graph_pool_bytes"], first["graphprof_bytes"]), (12 * mib + 4096, 8 * mib, 4096))
        self.assertEqual((first["allocations"], first["allocated_bytes"], first["allocation_nodes"], first["allocation_node_bytes"]), (2, 3 * mib, 1, 8 * mib))
        self.assertEqual((second["capture_bytes"], second["update_and_upload_bytes"], second["graph_pool_bytes"]), (-512, 100, 0))
        self.assertEqual(second["total_bytes"], mib + 4096 + 100 - 512)
        text = self.report(path).stdout
        self.assertRegex(text, r"(?m)^graph 1 +1 +3\.00 MiB +1\.00 MiB +8\.00 MiB +12\.00 MiB +8\.00 MiB +3\.00 MiB \(2\) +8\.00 MiB \(1\) +4\.00 KiB$")
        self.assertRegex(text, r"(?m)^graph 2 +1 +-512 B ")
        self.assertRegex(text, r"(?m)^no graph +0 +-- +-- +-- +0 B +0 B +-- +-- +1\.00 KiB$")
        self.assertRegex(text, r"(?m)^all +2 +3\.00 MiB +2\.00 MiB ")
        self.assertIn("updates and uploads of execs took 100 B, which is in the totals\n", text)
        self.assertIn("the graph pool is shared", text)
        self.assertNotIn("another thread", text)
        # Fewer rows: those that took most.
        few = self.report("--top", "1", path).stdout
        self.assertRegex(few, r"(?m)^graph 1 [^\n]*\n2 rows more +1 +-512 B ")

    def test_memory_of_graphs_goes_by_their_names(self):
        """One whose launches serve different things has its number. A name from outside does nothing to a terminal."""
        region = Region("step")
        recording = Recording([region])
        recording.names = {1: ("decode", [("batch", 8)]), 2: ("\x1b[31mred", [])}
        for graph in 1, 2, 3:
            recording.replay([(region, 1000)], graph=graph)
        path = self.write("run.gprof", with_graph_memory(recording).gprof())
        rows = json.loads(self.report("--json", path).stdout)["graph_memory"]
        self.assertEqual([(row["graph"], row["graph_name"]) for row in rows], [(None, None), (1, "decode batch=8"), (2, "\x1b[31mred")])
        text = self.report(path).stdout
        self.assertRegex(text, r"(?m)^decode batch=8 +1 +3\.00 MiB ")
        self.assertRegex(text, r"(?m)^\?\[31mred +1 +-512 B ")
        self.assertNotRegex(text, r"(?m)^graph \d")
        self.assertIn("| decode batch=8 | 1 | 3.00 MiB |", self.report("--markdown", path).stdout)

    def test_memory_of_graphs_of_several_runs_stays_apart(self):
        runs = [with_graph_memory(model(pid=i)) for i in (1, 2)]
        runs[1].graph_memory.append(MemoryStep("capture", 7, 10, overlaps=True, device=1))
        paths = [self.write(f"{i}.gprof", run.gprof()) for i, run in enumerate(runs)]
        rows = json.loads(self.report("--json", *paths).stdout)["graph_memory"]
        self.assertEqual([(row["run"], row["graph"], row["device"], row["overlaps"]) for row in rows],
                         [(0, None, 0, False), (0, 1, 0, False), (0, 2, 0, False), (1, None, 0, False), (1, 1, 0, False), (1, 2, 0, False), (1, 7, 1, True)])
        text = self.report(*paths).stdout
        self.assertRegex(text, r"(?m)^graph 1, device 0, run 1 ")
        self.assertRegex(text, r"(?m)^graph 7, device 1, run 2 ")
        self.assertIn("while another thread captured, instantiated or launched, too", text)

    def test_memory_of_graphs_needs_no_replay(self):
        recording = with_graph_memory(Recording([]))
        path = self.write("run.gprof", recording.gprof())
        shown = self.report(path)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertRegex(shown.stdout, r"(?m)^graph 1 ")
        self.assertNotIn("time of each region", shown.stdout)

    def test_without_it_nothing_is_said_of_the_memory_of_graphs(self):
        path = self.write("run.gprof", model().gprof())
        self.assertEqual(json.loads(self.report("--json", path).stdout)["graph_memory"], [])
        for options in ([], ["--markdown"]):
            self.assertNotIn("memory", self.report(*options, path).stdout)


class WhatIsWrong(Case):
    def refused(self, said, *words):
        self.assertRegex(self.report(*words, status=2).stderr, said)

    # A file that is cut off is read as far as it goes.
    def test_a_cut_off_file_is_read(self):
        recording = model()
        content = recording.gprof()
        path = self.write("a.gprof", content[:len(content) * 3 // 4])
        document = json.loads(self.report("--json", path).stdout)
        self.assertRegex(document["runs"][0]["missing"], "cut off")
        self.assertTrue(0 < document["rows"][0]["count"] < 10, document["rows"][0])
        self.assertIn("cut off", self.report(path).stdout)

    # Damage is said, and what comes before it is read.
    def test_damage_ends_the_reading(self):
        recording = model()
        whole = recording.gprof()
        at = whole.rindex(b"\x03\x02\x01\x01")
        path = self.write("a.gprof", whole[:at + 4] + b"\xff" * 60 + whole[at + 64:])
        self.assertRegex(self.report(path).stdout, "the file is damaged: what comes before the damage is read")

    def test_no_figure_is_of_damage(self):
        """A launch that stands twice, what follows the end, and times and numbers that cannot be: what is before it is read."""
        damages = {
            "a launch again": lambda one: one.replays.append(one.replays[5]),
            "a launch again, later": lambda one: one.replays.append((*one.replays[2][:4], 10**18 * 2, 10**18 * 2 + 9, one.replays[9][6])),
            "a duration of years": lambda one: one.replays.append((1, 11, False, 5, one.now, one.now + 9, [(one.regions[0], one.now, 1 << 60)])),
            "a replay of years": lambda one: one.replays.append((1, 11, False, 5, one.now, one.now + (1 << 60), [(one.regions[0], one.now, 1)])),
            "a time after 2116": lambda one: one.replays.append((1, 11, False, 5, 1 << 62, (1 << 62) + 9, [(one.regions[0], 1 << 62, 1)])),
        }
        expected = self.rows(self.write("good.gprof", model().gprof()))
        for name, damage in damages.items():
            with self.subTest(name):
                recording = model()
                damage(recording)
                path = self.write("a.gprof", recording.gprof())
                self.assertEqual(self.rows(path), expected)
                self.assertRegex(self.report(path).stdout, "the file is damaged: what comes before the damage is read")
        path = self.write("a.gprof", model().gprof() + model(replays=2).gprof())
        self.assertEqual(self.rows(path), expected)
        self.assertRegex(self.report(path).stdout, "the file is damaged: it goes on behind its end: what comes before the damage is read")

    def test_losses_and_remarks_stand_beside_the_figures(self):
        recording = model()
        recording.losses, recording.remarks = {"overrun": 12}, ["3 launches ran untimed"]
        path = self.write("a.gprof", recording.gprof())
        self.assertRegex(self.report(path).stdout, r"3 launches ran untimed\n12 replays lost: the ring was overwritten")
        self.assertEqual(json.loads(self.report("--json", path).stdout)["runs"][0]["losses"], {"overrun": 12})
        self.assertIn("- 12 replays lost", self.report("--markdown", path).stdout)
        self.assertIn("12 replays lost", self.report("--csv", path).stdout)

    def test_other_files_are_refused_by_name(self):
        """What is no recording is refused by name."""
        good = self.write("good.gprof", model().gprof())
        self.refused(r"empty\.gprof: is empty", good, self.write("empty.gprof", b""))
        self.refused(r"none\.gprof: No such file", "none.gprof")
        self.refused(r"is a folder", self.folder)
        self.refused(r"notes\.txt: is not a recording of graphprof, which is a binary file", self.write("notes.txt", b"hello\n"))
        self.refused(r"is compressed", self.write("a.gz", b"\x1f\x8b\x08"))
        outputs = {"run.db": "a database", "run.jsonl": "JSON lines", "run.csv": "CSV", "trace.json": "a Chrome trace"}
        for output, name in outputs.items():
            self.refused(rf"{output}: is {name}, which graphprof writes for other programs and does not read; let the program write a binary "
                         r"file \(GRAPHPROF_OUTPUT=PATH\.gprof\)", self.convert(good, output))
        self.refused(r"holds no replay and no region", self.write("nothing.gprof", Recording([]).gprof()))
        self.refused(r"ends before it says what was recorded", self.write("begun.gprof", model().gprof()[:10]))

    def test_without_a_file_it_is_the_newest_recording(self):
        """Whatever other files are newer, and only of the current folder."""
        self.refused(r"\Agraphprof report: no recording in this folder; name one, or make one: graphprof run -o run\.gprof -- PROGRAM\n\Z")
        os.mkdir(os.path.join(self.folder, "below.gprof"))
        files = {"old.gprof": model(count=1).gprof(), "new.gprof": model(count=2).gprof(), "notes.txt": b"hello\n", "empty.gprof": b"",
                 "below.gprof/newer.gprof": model(count=4).gprof()}
        for age, (name, content) in enumerate(files.items()):
            os.utime(self.write(name, content), (1_000 + age, 1_000 + age))
        os.symlink("nowhere", os.path.join(self.folder, "link.gprof"))
        result = self.report("--json")
        self.assertEqual(result.stderr, "graphprof report: new.gprof, the newest recording in this folder\n")
        self.assertEqual(len(json.loads(result.stdout)["rows"]), 8)
        os.utime(os.path.join(self.folder, "old.gprof"))
        self.assertIn("old.gprof, the newest", self.report("--group-by", "kernel").stderr)
        self.assertEqual(self.report("new.gprof").stderr, "")
        self.refused(r"must be region, site", "--group-by", "colour")

    def test_files_of_later_versions_are_refused(self):
        self.refused(r"version 2 of the format, and this program reads version 1", self.write("new.gprof", model().gprof(version=2)))

    def test_wrong_options_name_the_right_ones(self):
        """Wrong options are refused with what is right."""
        path = self.write("a.gprof", model().gprof())
        self.refused(r"--group-by layer: must be region, site", "--group-by", "layer", path)
        self.refused(r"--sort p99: must be one of total.*a percentile that is shown", "--sort", "p99", path)
        self.refused(r"--sort percent: a row of --group-by step has no share", "--sort", "percent", "--group-by", "step", path)
        self.refused(r"--percentiles 101: must be numbers from 0 to 100", "--percentiles", "101", path)
        self.refused(r"--filter \(: is not a regular expression", "--filter", "(", path)
        self.refused(r"--json, --csv and --markdown exclude each other", "--json", "--csv", path)
        self.refused(r"nothing to show by region: no path matches --filter", "--filter", "nowhere", path)
        self.refused(r"see graphprof report --help", "--frob")
        for wrong in "abc", "0", "-1", "2.5":
            self.refused(rf"--top: {wrong}: must be a number of rows from 1 on, such as --top 10; --all shows all", "--top", wrong, path)
        self.refused(r"unknown option --topp \(did you mean --top\?\); see graphprof report --help", "--topp", "3", path)


class WhatIsShown(Case):
    def setUp(self):
        super().setUp()
        self.path = self.write("run.gprof", model(count=4).gprof())

    # Regions that differ in numbers only are one row.
    def test_regions_with_numbers_share_a_row(self):
        text = self.report(self.path).stdout
        self.assertRegex(text, r"\nlayer \{\} ×4 +40 .*100\.00%.*\n"
                               r"  attention ×4 +40 .*100\.00%.*\n"
                               r"    model::gemm<128, float> ×8 +80 .*100\.00%")
        self.assertEqual(text.count("layer"), 1)

    # With --all every region has a row of its own.
    def test_all_gives_every_region_a_row(self):
        text = self.report("--all", self.path).stdout
        self.assertEqual(re.findall(r"^(layer \d)", text, re.M), ["layer 0", "layer 1", "layer 2", "layer 3"])
        self.assertIn("model::gemm<128, float> #2", text)

    def test_the_rest_is_one_line(self):
        regions = [Region(name) for name in ("a", "b", "c", "d")]
        recording = Recording(regions)
        for _ in range(3):
            recording.replay([(region, 1000 * (i + 1)) for i, region in enumerate(regions)])
        text = self.report("--top", "2", self.write("a.gprof", recording.gprof())).stdout
        self.assertRegex(text, r"\nd +3 +12\.000us.*\nc +3 +9\.000us.*\n2 rows more +6 +9\.000us.* 30\.00%")

    def test_groups(self):
        def by(what):
            return [(row["name"], row["count"], row["total_ns"]) for row in self.rows("--group-by", what, self.path)]
        whole = sum(3 * (1000 * (i + 1)) for i in range(4)) * 5 + sum(3 * (1000 * (i + 1) + 100) for i in range(4)) * 5
        self.assertEqual(by("site"), [("layer {}", 40, whole), ("attention", 40, whole)])
        self.assertEqual(by("kernel"), [("model::gemm<128, float>", 80, whole)])
        for what in "site", "kernel":
            self.assertEqual({row["percent_of_replay"] for row in self.rows("--group-by", what, "--sort", "percent", self.path)}, {100})
        self.assertEqual(by("graph"), [("graph 1 of app", 10, whole)])
        self.assertEqual(by("rank"), [("rank 0: app (pid 1 on machine)", 10, whole)])
        steps = by("step")
        self.assertEqual([name for name, _, _ in steps], [f"step {i}" for i in range(6)])
        self.assertEqual([count for _, count, _ in steps], [1, 2, 2, 2, 2, 1])
        self.assertEqual(sum(total for _, _, total in steps), whole)

    def test_graphs_go_by_the_names_that_the_program_gave_them(self):
        """Two graphs of one name are one row, in whatever process; one without a name has its number and its program."""
        def process(pid, batches, program="app"):
            region = Region("step")
            recording = Recording([region], pid=pid, program=program)
            for graph, batch in enumerate(batches, 1):
                if batch:
                    recording.names[graph] = ("decode", [("batch", batch)])
                for _ in range(3):
                    recording.replay([(region, 1000 * (batch or 10))], graph=graph)
            return self.write(f"{pid}.gprof", recording.gprof())
        paths = [process(1, (8, 4, None)), process(2, (4, 8, 8), "other")]
        rows = self.rows("--group-by", "graph", *paths)
        self.assertEqual([(row["name"], row["count"], row["mean_ns"]) for row in rows],
                         [("decode batch=8", 9, 8000), ("decode batch=4", 6, 4000), ("graph 3 of app", 3, 10_000)])
        whole = 9 * 8000 + 6 * 4000 + 3 * 10_000
        for row in rows:
            self.assertAlmostEqual(row["percent_of_replays"], 100 * row["total_ns"] / whole)
            self.assertIsNone(row["percent_of_replay"])
        sorted_rows = self.rows("--group-by", "graph", "--sort", "percent", *paths)
        self.assertEqual([row["name"] for row in sorted_rows], ["decode batch=8", "graph 3 of app", "decode batch=4"])
        text = self.report("--group-by", "graph", "--top", "1", *paths).stdout
        self.assertRegex(text, r"% of replays.*\n.*\ndecode batch=8 +9 +72\.000us .* 57\.14%")
        self.assertRegex(text, r"2 rows more .* 42\.86%")

    def test_a_name_from_outside_does_nothing_to_a_terminal(self):
        region = Region("step")
        recording = Recording([region])
        recording.names[1] = ("\x1b[31mred\n", [("a\tkey", 1)])
        recording.replay([(region, 1000)]).replay([(region, 1000)])
        path = self.write("a.gprof", recording.gprof())
        for look in (), ("--markdown",):
            text = self.report("--group-by", "graph", *look, path).stdout
            self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f]")
            self.assertIn("red? a?key=1", text)
        self.assertEqual(self.rows("--group-by", "graph", path)[0]["name"], "\x1b[31mred\n a\tkey=1")

    def test_filter_sort_and_top_make_a_list(self):
        rows = self.rows("--filter", "gemm", "--sort", "max", "--top", "2", self.path)
        self.assertEqual([row["path"] for row in rows[:2]],
                         ["layer 3/attention/model::gemm<128, float> #2", "layer 2/attention/model::gemm<128, float> #2"])
        self.assertEqual((rows[2]["name"], rows[2]["regions"]), (None, 6))
        names = [row["path"] for row in self.rows("--sort", "name", self.path)]
        self.assertEqual(names, sorted(names))

    def test_a_list_has_one_order_and_its_rest_adds_up(self):
        """Over all places and depths. A rest has no mean over two places, and counts nothing twice."""
        outer, eager, small = Region("outer"), Region("eager"), Region("small")
        recording = Recording([outer, eager, small])
        for _ in range(3):
            recording.replay([(outer, 4000), (small, 1000)])
        recording.replay([(eager, 90_000)], graph=0)
        path = self.write("a.gprof", recording.gprof())
        rows = self.rows("--sort", "total", "--top", "1", path)
        self.assertEqual([(row["name"], row["where"], row["regions"], row["count"], row["total_ns"]) for row in rows],
                         [("eager", "outside graphs", 1, 1, 90_000), (None, "graph", 2, 6, 15_000)])
        self.assertEqual(rows[1]["percent_of_replay"], 100)
        text = self.report("--sort", "total", path).stdout
        self.assertRegex(text, r"\neager \(outside graphs\) .*\nouter +3 .*\nsmall +3 ")

    def test_the_share_of_a_rest_is_of_all_its_graphs(self):
        """Shares of different graphs are not added up."""
        big, first, second = Region("big"), Region("first"), Region("second")
        recording = Recording([big, first, second])
        recording.replay_at([(first, 0, 50_000)], 100_000).replay_at([(big, 0, 150_000), (second, 150_000, 90_000)], 300_000, graph=2)
        path = self.write("a.gprof", recording.gprof())
        for words in ("--sort", "total"), ("--group-by", "site", "--sort", "total"):
            rows = [row for row in self.rows(*words, "--top", "1", path) if row["name"] is None or row["name"] == "big"]
            self.assertEqual([(row["regions"], row["percent_of_replay"]) for row in rows], [(1, 50), (2, 35)])

    def test_a_place_in_and_outside_graphs_has_two_rows(self):
        """Times of two kinds have no mean."""
        region = Region("work", source="src/work.cu:3")
        recording = Recording([region])
        recording.replay([(region, 1000)]).replay([(region, 3000)]).replay([(region, 90_000)], graph=0)
        rows = self.rows("--group-by", "site", self.write("a.gprof", recording.gprof()))
        self.assertEqual([(row["where"], row["count"], row["mean_ns"]) for row in rows], [("graph", 2, 2000), ("outside graphs", 1, 90_000)])

    def test_a_kernel_has_a_row_for_each_launch(self):
        """Each counts by how long the kernel took in it, not by its warps."""
        recording = model()
        recording.kernels = [{**run, "launch": launch, "duration_ns": run["duration_ns"] * times}
                             for launch, times in (("(8, 1, 1)x(32, 1, 1)", 1), ("(300, 1, 1)x(64, 1, 1), 1024 B", 3))
                             for run in inside_kernels(recording.began)]
        path = self.write("run.gprof", recording.gprof())
        together, *launches = json.loads(self.report("--json", path).stdout)["inside_kernels"]
        self.assertEqual((together["launch"], together["launches"]), (None, 2))
        self.assertEqual([one["launch"] for one in launches], ["(8, 1, 1)x(32, 1, 1)", "(300, 1, 1)x(64, 1, 1), 1024 B"])
        self.assertEqual(together["count"], sum(one["count"] for one in launches))
        weights = [one["p50_ns"] for one in launches]
        for i, region in enumerate(together["regions"]):
            shares = [one["regions"][i]["percent_of_warps"] for one in launches]
            self.assertAlmostEqual(region["percent_of_warps"], sum(w * s for w, s in zip(weights, shares)) / sum(weights))
        text = self.report(path).stdout
        self.assertRegex(text, r"\n  \(300, 1, 1\)x\(64, 1, 1\), 1024 B +3 ")
        with open(self.convert(path, "again.jsonl"), encoding="utf-8") as file:
            runs = [json.loads(line) for line in file if line.startswith('{"type":"kernel"')]
        self.assertEqual([run["launch"] for run in runs], [run["launch"] for run in recording.kernels])

    def test_percentiles(self):
        row = self.rows("--percentiles", "0,25,100", self.path)[0]
        self.assertEqual([row[f"p{p}_ns"] for p in (0, 25, 100)], [3000, 3000, 3300])
        self.assertRegex(self.report("--percentiles", "25,99.9", self.path).stdout, r"P25 +P99\.9 ")

    def test_csv_has_the_rows_of_json_and_markdown_those_of_the_text(self):
        table = list(csv.DictReader(io.StringIO(self.report("--csv", self.path).stdout)))
        rows = self.rows(self.path)
        self.assertEqual([row["path"] for row in table], [row["path"] for row in rows])
        self.assertEqual(set(table[0]), set(rows[0]))
        lines = self.report("--markdown", self.path).stdout.splitlines()
        self.assertRegex(lines[0], "graphprof: time of each region")
        self.assertRegex(lines[2], r"^\| Region \| Count .* GB/s \|$")
        self.assertRegex(lines[5], r"^\| &nbsp;&nbsp;attention ×4 \| 40 \| .* \| 100\.00% \| 0\.131 \|$")

    def test_shortened_names_stay_apart(self):
        """Lines fit the terminal and shortened names stay apart."""
        regions = [Region(f"some::name::space::gemm_kernel<{size}, 64, float, some::layout::row_major>", kind="kernel")
                   for size in (64, 128, 256)]
        recording = Recording(regions)
        for _ in range(2):
            recording.replay([(region, 1000 + i) for i, region in enumerate(regions)])
        path = self.write("a.gprof", recording.gprof())
        for columns in (60, 80, 120, 200):
            with self.subTest(columns):
                lines = self.report(path, environment={"COLUMNS": str(columns)}).stdout.splitlines()
                table = [line for line in lines if "gemm" in line]
                self.assertEqual(len(table), 3)
                self.assertEqual(len({line[:30] if columns < 200 else line for line in table}), 3, table)
                self.assertLessEqual(max(map(len, table)), columns)
        self.assertIn(regions[0].name, self.report(path).stdout)  # whole in a file

    def test_the_distribution_is_drawn(self):
        region = Region("two modes")
        recording = Recording([region])
        for i in range(100):
            recording.replay([(region, 1000 if i % 4 else 2000)])
        text = self.report(self.write("a.gprof", recording.gprof())).stdout
        self.assertRegex(text, r"two modes .*█ +▃\n")


if __name__ == "__main__":
    GRAPHPROF = os.path.abspath(sys.argv.pop(1))
    unittest.main()
