#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# graphprof html: what is in the page, its bounds, and what is refused. What a browser makes of it: html_browser_test.py.
#
#     test/report/html_test.py GRAPHPROF [unittest's arguments]

import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from colors import SEES, contrast, distance
from folders import FolderCase
from jobs import BEGAN, HostClock, Job
import recordings
from recordings import HOST_KINDS, MEMORY_KINDS, Allocation, HostSpan, MemoryStep, Recording, Region, with_graph_memory, with_host, with_memory
from report_test import model

GRAPHPROF = None
ROOT = Path(__file__).resolve().parents[2]
ECHARTS = ROOT / "tool/graphprof/html/third_party/echarts"


def data_of(page):
    """What a page shows: tool/graphprof/html/page/data.js."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


class Case(FolderCase):
    def run_command(self, *words, status=0):
        result = subprocess.run([GRAPHPROF, *words], capture_output=True, text=True, cwd=self.folder, check=False)
        self.assertEqual(result.returncode, status, result.stderr[-1000:])
        return result

    def page(self, *words):
        self.run_command("html", "-o", "page.html", *words)
        return Path(self.folder, "page.html").read_text(encoding="utf-8")


class WhatIsInside(Case):
    def test_rows_are_those_of_report(self):
        path = self.write("run.gprof", model().gprof())
        reports = data_of(self.page(path))["sides"][0]["data"]["reports"]
        for by in ("region", "site", "kernel", "graph", "step", "rank"):
            with self.subTest(by):
                expected = json.loads(self.run_command("report", "--json", "--percentiles", "50,95,99", "--group-by", by, path).stdout)
                for row in reports[by]["rows"]:
                    histogram = row.pop("histogram")
                    self.assertEqual(sum(histogram["counts"]), row["count"])
                self.assertEqual(reports[by].pop("rows_left_out"), 0)
                self.assertEqual(reports[by], expected)

    def test_the_comparison_is_that_of_diff(self):
        before = [self.write(f"b{i}.gprof", model(pid=i, replays=20 + i).gprof()) for i in range(3)]
        after = [self.write(f"a{i}.gprof", model(pid=i, replays=30 + i).gprof()) for i in range(3)]
        for options in ([], ["--threshold", "9%", "--floor", "1us"]):
            with self.subTest(options):
                expected = json.loads(self.run_command("diff", "--json", *options, *before, "--", *after).stdout)
                data = data_of(self.page(*options, *before, "--", *after))
                self.assertEqual(data["comparison"], expected)
                self.assertEqual([side["name"] for side in data["sides"]], ["before", "after"])
                self.assertEqual([len(side["data"]["runs"]) for side in data["sides"]], [3, 3])

    # Critical paths are those of report, and graphs have their edges.
    def test_critical_paths_are_those_of_report(self):
        branches = os.path.join(ROOT, "examples/recordings/branches.gprof")
        data = data_of(self.page(branches))["sides"][0]["data"]
        expected = json.loads(self.run_command("report", "--critical-path", "--json", "--sort", "order", branches).stdout)
        self.assertEqual(data["critical"], expected)
        graph, = data["graphs"]
        names = [data["names"][node[1]] for node in graph["nodes"]]
        edges = {(names[one], names[i]) for i, node in enumerate(graph["nodes"]) for one in node[4]}
        self.assertEqual(edges, {("router", "up_proj"), ("up_proj", "down_proj"), ("down_proj", "combine")})
        self.assertEqual(sum(len(node[4]) for node in graph["nodes"]), 9)
        self.assertEqual([data["names"][data["places"][node[2]][0]] for node in graph["nodes"]], names)

    def test_replays_over_time_and_their_nodes(self):
        recording = model(replays=30)
        data = data_of(self.page("--replays", "5", self.write("run.gprof", recording.gprof())))["sides"][0]["data"]
        series, = data["series"]
        spans = [end - begin for _, _, _, _, begin, end, _ in recording.replays]
        self.assertEqual([(number, count, least, mean, greatest) for number, _, count, _, least, mean, greatest in series["warm"]],
                         [(i, 1, span, span, span) for i, span in enumerate(spans) if i > 0])
        self.assertEqual([(bin[0], bin[4]) for bin in series["cold"]], [(0, spans[0])])
        kept = data["replays"]
        self.assertEqual([(one["number"], one["why"]) for one in kept][:3], [(0, "first"), (1, "slowest"), (2, "fastest")])
        self.assertLessEqual(len(kept), 5)
        for one in kept:
            _, number, _, _, begin, end, records = recording.replays[one["number"]]
            self.assertEqual(one["span_ns"], end - begin)
            items = [one["items"][i:i + 4] for i in range(0, len(one["items"]), 4)]
            self.assertEqual([(data["names"][data["places"][place][0]], at, duration) for place, at, duration, _ in items],
                             [(region.shown, start - begin, duration) for region, start, duration in records], number)

    def test_graphs_go_by_their_names(self):
        """In the list of series, above timelines, and where a replay leads to its graph's figures."""
        recording = model(replays=6)
        recording.names[1] = ("decode", [("batch", 8)])
        recording.replay([(recording.regions[0], 1000)], graph=2).replay([(recording.regions[0], 1000)], graph=2)
        data = data_of(self.page(self.write("run.gprof", recording.gprof())))["sides"][0]["data"]
        self.assertEqual([(one["name"], one["is_graph"]) for one in data["series"]], [("decode batch=8", True), ("graph 2", True)])
        rows = {row["path"] for row in data["reports"]["graph"]["rows"]}
        self.assertEqual(rows, {"decode batch=8", "graph 2 of app"})
        self.assertEqual({(one["graph"], one["graph_name"], one["graph_row"]) for one in data["replays"]},
                         {(1, "decode batch=8", "decode batch=8"), (2, "graph 2", "graph 2 of app")})

    def test_kernels_are_drawn_as_long_as_they_were_busy(self):
        """Not longer than they lasted this time, and only where their times hold the gap behind them."""
        recording = model()
        first, second, region = recording.regions[2], recording.regions[3], recording.regions[1]
        recording.busy = {first: (600, 450, 63, "launch"), second: (2_150, -1, 7, ""), region: (2_750, -1, 7, "")}
        for ends, expected in (("next_begin", {0: {2: 600}, 1: {2: 600, 3: 2_150}}), ("completion", {0: {}, 1: {}})):
            with self.subTest(ends):
                recording.ends = ends
                data = data_of(self.page(self.write("run.gprof", recording.gprof())))["sides"][0]["data"]
                for one in data["replays"]:
                    self.assertEqual(dict(zip(one["drawn"][::2], one["drawn"][1::2])), expected[one["number"] % 2], one["number"])
        row = next(row for row in data["reports"]["region"]["rows"] if row["path"].endswith(first.shown))
        self.assertEqual([row[name] for name in ("busy_ns", "gap_ns", "gap_cause", "busy_replays")], [600, 450, "launch", 63])

    def test_it_needs_nothing_from_elsewhere(self):
        page = self.page(self.write("run.gprof", model().gprof()))
        self.assertIn("default-src 'none'", page)
        for what in (r"<link[^>]+href=\"(?!data:)", r"<script[^>]+src=", r"<img", r"@import", r"url\((?!data:)", r"\bfetch\(", r"XMLHttpRequest",
                     r"WebSocket", r"sendBeacon"):
            self.assertIsNone(re.search(what, page), what)

    # The charts are the stored ones, and have their licence.
    def test_the_charts_are_the_stored_ones(self):
        page = self.page(self.write("run.gprof", model().gprof()))
        for line in (ECHARTS / "SHA256SUMS").read_text().splitlines():
            digest, name = line.split()
            self.assertEqual(hashlib.sha256((ECHARTS / name).read_bytes()).hexdigest(), digest, name)
        self.assertIn((ECHARTS / "echarts.min.js").read_text(), page)
        self.assertIn((ECHARTS / "LICENSES.txt").read_text().replace("&", "&amp;").replace("<", "&lt;"), page)

    def test_names_are_never_markup(self):
        name = "</script><script>alert(1)</script><!-- & \"'"
        region = Region(name)
        page = self.page(self.write("run.gprof", Recording([region], program=name).replay([(region, 1000)]).replay([(region, 1000)]).gprof()))
        self.assertNotIn("<script>alert", page)
        self.assertEqual(data_of(page)["sides"][0]["data"]["reports"]["region"]["rows"][0]["name"], name)

    def test_losses_and_what_is_missing_are_said(self):
        recording = model()
        recording.losses, recording.remarks = {"overrun": 12}, ["3 launches ran untimed"]
        whole = self.write("a.gprof", recording.gprof())
        recording.pid += 1
        cut = self.write("b.gprof", recording.gprof()[:-300])
        data = data_of(self.page(whole, cut))["sides"][0]["data"]
        self.assertRegex(data["runs"][0]["losses"][0], "^12 replays lost: ")
        self.assertRegex(data["reports"]["region"]["runs"][1]["missing"], "cut off")


class Threads(Case):
    def spans(self, data):
        acts, threads, flat = data["host"]["acts"], data["host"]["threads"], data["host"]["spans"]
        return [(acts[flat[i]][2], acts[flat[i]][0], threads[flat[i + 1]][1], flat[i + 2], flat[i + 3], flat[i + 4], flat[i + 5])
                for i in range(0, len(flat), 6)]

    # What threads did while replays ran, and who launched them.
    def test_what_threads_did_while_replays_ran(self):
        recording = with_host(model(replays=30))
        data = data_of(self.page("--replays", "3", self.write("a.gprof", recording.gprof())))["sides"][0]["data"]
        spans = self.spans(data)
        begins = {(graph, count): begin for graph, count, _, _, begin, _, _ in recording.replays}
        launched = {one[5]: one for one in spans if one[1] == "launch" and one[5] >= 0}
        self.assertEqual(sorted(launched), [i for i, one in enumerate(data["replays"]) if one["exec"] != 0])
        for i, (what, _, thread, at, time, _, _) in launched.items():
            replay = data["replays"][i]
            began = begins[replay["graph"], replay["number"]]
            self.assertEqual((what, thread, at, time), ("cudaGraphLaunch", 7, began - 600 - recording.began, 300))
            self.assertEqual(replay["at_ns"] - at, 600)
        copies = [one for one in spans if one[1] == "copy"]
        self.assertEqual([one[6] for one in copies], [4096] * len(copies))
        self.assertEqual(len(copies), len(launched))  # of the other 27 replays there is nothing
        self.assertEqual(data["host"]["threads"], [[0, 7, "main"], [0, 8, ""]])
        self.assertEqual([one[2] for one in spans if one[1] == "step"], [7])
        self.assertEqual(data["left_out"]["host_spans"], 0)

    def test_they_are_bounded_and_it_says_so(self):
        recording = model(replays=4)
        *_, begin, end, _ = recording.replays[1]
        count = 60_000
        recording.spans = [HostSpan(7, "range", f"r{i % 10}", begin + i % 1000, begin + i % 1000 + 1) for i in range(count)]
        data = data_of(self.page(self.write("a.gprof", recording.gprof())))["sides"][0]["data"]
        shown = len(data["host"]["spans"]) // 6
        self.assertTrue(0 < shown < 50_001, shown)
        self.assertEqual(data["left_out"]["host_spans"], count - shown)

    def test_without_them_there_is_nothing(self):
        data = data_of(self.page(self.write("a.gprof", model().gprof())))["sides"][0]["data"]
        self.assertIsNone(data["host"])
        self.assertEqual(data["memory"], [])
        self.assertIsNone(data["clocks"])


class GraphMemory(Case):
    def test_it_is_that_of_the_report(self):
        path = self.write("a.gprof", with_graph_memory(model()).gprof())
        data = data_of(self.page(path))["sides"][0]["data"]
        expected = json.loads(self.run_command("report", "--json", path).stdout)["graph_memory"]
        self.assertEqual(data["reports"]["region"]["graph_memory"], expected)
        self.assertEqual(data["left_out"]["graph_memory"], 0)
        self.assertFalse(any(data["reports"][by]["graph_memory"] for by in data["reports"] if by != "region"))  # once is enough

    def test_those_that_took_most_stay(self):
        recording = model()
        recording.graph_memory = [MemoryStep("capture", graph, graph % 5_003) for graph in range(1, 5_004)]
        data = data_of(self.page(self.write("a.gprof", recording.gprof())))["sides"][0]["data"]
        kept = data["reports"]["region"]["graph_memory"]
        self.assertEqual(([row["total_bytes"] for row in kept], data["left_out"]["graph_memory"]), (list(range(5_002, 2, -1)), 3))


class Memory(Case):
    def test_what_was_allocated_when(self):
        recording = with_memory(model())
        host, device = data_of(self.page(self.write("a.gprof", recording.gprof())))["sides"][0]["data"]["memory"]
        self.assertEqual((host["device"], host["kinds"], host["states"]), (-1, ["host"], [[3_501_000, 5]]))
        self.assertEqual((device["device"], device["kinds"], device["events"]), (0, ["device", "pool"], 5))
        self.assertEqual(device["states"], [[1_000, 3512, 0], [1_001_000, 3512, 1000], [2_501_000, 512, 1000],
                                            [3_001_000, 589, 1000], [4_001_000, 77, 1000]])
        self.assertEqual((device["peak"], device["peak_bytes"]), ([1_001_000, 3512, 1000], 4512))
        self.assertEqual([(one["bytes"], one["kind"], one["address"], one["path"], one["step"]) for one in device["blocks"]["largest"]],
                         [(3000, "device", "0x1000", "load", -1), (1000, "pool", "0x2000", "decode/attention", 2)])
        self.assertEqual(device["blocks"]["unseen_bytes"], 512)

    def test_later_kind_existed_before(self):
        """A kind that comes later was there before."""
        recording = model()
        recording.memory = [Allocation(recording.began + 10, 100, 100, 1), Allocation(recording.began + 20, -100, 0, 1),
                            Allocation(recording.began + 30, -40, 60, 2, kind="pool")]
        memory, = data_of(self.page(self.write("a.gprof", recording.gprof())))["sides"][0]["data"]["memory"]
        self.assertEqual(memory["states"], [[10, 100, 100], [20, 0, 100], [30, 0, 60]])
        self.assertEqual((memory["peak"], memory["peak_bytes"]), ([10, 100, 100], 200))

    def test_threads_events_are_ordered(self):
        """Events of several threads come into their order."""
        recording = model()
        recording.memory = [Allocation(recording.began + 30, -100, 0, 1), Allocation(recording.began + 10, 100, 100, 1)]
        memory, = data_of(self.page(self.write("a.gprof", recording.gprof())))["sides"][0]["data"]["memory"]
        self.assertEqual(memory["states"], [[10, 100], [30, 0]])

    def test_many_events_keep_their_peak(self):
        """Many events are few points and the peak stays."""
        recording, events = model(), 10_000
        for i in range(events):
            size = 1000 if i == 3_137 else 10
            recording.memory += [Allocation(recording.began + 2 * i, size, size, 0x1000), Allocation(recording.began + 2 * i + 1, -size, 0, 0x1000)]
        page = self.page(self.write("a.gprof", recording.gprof()))
        memory, = data_of(page)["sides"][0]["data"]["memory"]
        self.assertEqual((memory["events"], memory["peak_bytes"], memory["peak"][0]), (2 * events, 1000, 2 * 3_137))
        self.assertLessEqual(len(memory["states"]), 2048)
        self.assertIn([2 * 3_137, 1000], memory["states"])
        self.assertEqual(memory["states"][-1], [2 * events - 1, 0])


class Clocks(Case):
    def write_job(self, job):
        return [self.write(f"rank{i}.gprof", one.gprof()) for i, one in enumerate(job.recordings)]

    # Ranks of several hosts are on one clock, that of merge.
    def test_hosts_share_the_clock_of_merge(self):
        clocks = [HostClock(), HostClock(2_000_000_000, 40_000)]
        paths = self.write_job(Job(4, hosts=2, clocks=clocks))
        data = data_of(self.page(*paths))["sides"][0]["data"]
        merged = json.loads(self.run_command("merge", "--json", *paths).stdout)
        self.assertTrue(data["clocks"]["job"])
        self.assertEqual([run["within_ns"] for run in data["clocks"]["runs"]], [rank["clock_uncertainty_ns"] for rank in merged["ranks"]])
        text = self.run_command("merge", *paths).stdout
        for line in data["clocks"]["lines"]:
            self.assertIn(line, text)
        # The same launch began within microseconds on all ranks; by their own clocks two of them are two seconds off.
        launches = [{bin[0]: bin[7] for bin in series["warm"]} for series in data["series"]]
        for i in range(1, 40):
            times = [launch[i] for launch in launches]
            self.assertLess(max(times) - min(times), 10_000)

    def test_processes_of_one_host_share_its_clock(self):
        began = BEGAN + 500_000
        paths = [self.write(f"{i}.gprof", model(pid=i + 1, began=began + i * 1_000_000).gprof()) for i in range(2)]
        clocks = data_of(self.page(*paths))["sides"][0]["data"]["clocks"]
        self.assertFalse(clocks["job"])
        self.assertEqual([run["began_ns"] for run in clocks["runs"]], [0, 1_000_000])
        self.assertEqual([run["within_ns"] for run in clocks["runs"]], [1000, 1000])

    # Processes of different hosts that are no job have no common clock.
    def test_hosts_without_a_job_have_none(self):
        paths = [self.write(f"{i}.gprof", model(pid=i + 1, host=f"h{i}").gprof()) for i in range(2)]
        self.assertIsNone(data_of(self.page(*paths))["sides"][0]["data"]["clocks"])


class Bounds(Case):
    def test_page_size_is_bounded(self):
        """The page does not grow with the recording."""
        regions = [Region(f"r{i}") for i in range(8)]
        sizes = []
        for replays in (2_000, 8_000):
            recording = Recording(regions)
            for i in range(replays):
                recording.replays.append((1, i, i == 0, -1, recording.now, recording.now + 20_000,
                                          [(region, recording.now + 1000 * j, 900 + i % 7) for j, region in enumerate(regions)]))
                recording.now += 30_000
            page = self.page(self.write("a.gprof", recording.gprof()))
            sizes.append(len(page))
            series, = data_of(page)["sides"][0]["data"]["series"]
            self.assertLessEqual(len(series["warm"]), 1024)
            self.assertEqual(sum(bin[2] for bin in series["warm"]), replays - 1)  # each replay is in a point
        self.assertLess(sizes[1], 1.1 * sizes[0])

    # A graph of many nodes has all in its timeline, and the longest in the table.
    def test_a_graph_of_many_nodes(self):
        layers = 150  # and of a thousand: html_browser_test.py
        regions = []
        for i in range(layers):
            layer = Region(f"layer {i}", source="src/model.cu:12")
            inside = [Region("gemm_kernel<128, 64, float>", layer, kind="kernel", place=j + 1) for j in range(99)]
            regions += [layer, *inside]
        recording = Recording(regions)
        records, now = [], recording.now
        for region in regions:
            if region.parent is None:
                records.append((region, now, 99_000))
            else:
                records.append((region, now, 990))
                now += 1000
        recording.replays.append((1, 0, False, -1, recording.now, now, records))
        page = self.page(self.write("a.gprof", recording.gprof()))
        data = data_of(page)["sides"][0]["data"]
        self.assertEqual(max(len(one["items"]) // 4 for one in data["replays"]), len(regions))
        self.assertGreater(data["reports"]["region"]["rows_left_out"], 0)  # and the page says so


class WhatIsWrong(Case):
    def refused(self, said, *words):
        self.assertRegex(self.run_command("html", *words, status=2).stderr, said)

    def test_unreadable_and_unwritable_are_said(self):
        """What cannot be read or written is said."""
        good = self.write("a.gprof", model().gprof())
        self.refused("name a recording; see graphprof html --help")
        self.refused(r"none\.gprof: No such file", "none.gprof")
        self.refused(r"notes\.txt: is not a recording", self.write("notes.txt", b"hello"))
        self.refused(r"no/such/page\.html.*No such file", good, "-o", "no/such/page.html")
        self.refused(r"no recording behind --", good, "--")
        self.refused(r"-o stands behind --, where files are; options come first", good, "--", good, "-o", "page.html")
        self.refused(r"--threshold x: must be a share", "--threshold", "x", good, "--", good)
        self.refused(r"--replays: Value 2 not in range", "--replays", "2", good)

    def test_damage_of_the_host_ends_reading(self):
        """A damaged span of a thread, or a damaged allocation, ends the reading."""
        whole = with_memory(with_host(model()))
        span, allocation = whole.spans[1], whole.memory[1]
        for thing, damage in (span, {"begin": -5_000, "end": -4_000}), (span, {"kind": "steal"}), (allocation, {"device": 1 << 40}), \
                (allocation, {"kind": "sea"}):
            with self.subTest(damage), mock.patch.multiple(thing, **damage), mock.patch.object(recordings, "HOST_KINDS", [*HOST_KINDS, "steal"]), \
                    mock.patch.object(recordings, "MEMORY_KINDS", [*MEMORY_KINDS, "sea"]):
                run, = data_of(self.page(self.write("a.gprof", whole.gprof())))["sides"][0]["data"]["reports"]["region"]["runs"]
                self.assertIn("the file is damaged: what comes before the damage is read", run["missing"])

    def test_where_the_page_goes(self):
        good = self.write("a.gprof", model().gprof())
        self.assertRegex(self.run_command("html", good).stderr, r"graphprof\.html written, \d+\.\d MB: open it in a browser")
        page = Path(self.folder, "graphprof.html").read_text()
        self.assertEqual(self.run_command("html", good, "-o", "-").stdout, page)


class Colors(unittest.TestCase):
    """A colour means one thing, also for those who see some colours alike, in the light and in the dark."""

    def themes(self):
        style = (ROOT / "tool/graphprof/html/page/style.css").read_text(encoding="utf-8")
        blocks = re.findall(r"^:root[^{]*\{(.*?)^\}", style, re.S | re.M)
        self.assertEqual(len(blocks), 2)
        return [dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in blocks]

    def test_those_of_data_differ(self):
        for theme in self.themes():
            for sees in SEES:
                for one, other in itertools.combinations(("region", "kernel", "copy", "critical", "slower", "faster"), 2):
                    with self.subTest(f"{one} and {other}", sees=sees, theme=theme["bg"]):
                        self.assertGreater(distance(theme[one], theme[other], sees), 24)

    def test_texts_can_be_read_on_them(self):
        for theme in self.themes():
            pairs = [(f"on-{on}", on) for on in ("region", "kernel", "copy", "other", "faster")]
            pairs += [("surface", "slower"), ("slower", "surface"), ("faster-text", "surface"), ("text", "surface"), ("muted", "surface"), ("muted", "bg"), ("surface", "text")]
            for text, on in pairs:
                with self.subTest(f"{text} on {on}", theme=theme["bg"]):
                    self.assertGreaterEqual(contrast(theme[text], theme[on]), 4.5)

    def test_the_measure(self):
        self.assertAlmostEqual(contrast("#000000", "#ffffff"), 21)
        self.assertAlmostEqual(distance("#000000", "#ffffff"), 100, places=0)
        self.assertGreater(distance("#cc0000", "#00aa00"), 100)
        self.assertLess(distance("#cc6677", "#8a8a70", "protanopia"), distance("#cc6677", "#8a8a70") / 2)


if __name__ == "__main__":
    GRAPHPROF = os.path.abspath(sys.argv.pop(1))
    unittest.main()
