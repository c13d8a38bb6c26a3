#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# graphprof report --critical-path: the critical path, the slack of nodes and regions, and what is predicted, of recordings whose
# times are known. The arithmetic by itself is tested in test/runtime/output/statistics/CriticalPathTest.cpp.
#
#     test/report/critical_test.py GRAPHPROF [unittest's arguments]

import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import unittest

from folders import FolderCase
from recordings import Graph, Node, Recording, Region

GRAPHPROF = None
US = 1000


def fork_join(replays=5, lanes=(10, 30, 20, 30), blocks=33, resident=1056, **others):
    """A kernel, four lanes of two kernels each, a kernel. Each begins 1 us after what it waits for has ended. Times in us; each
    lane's two kernels take half of its time each."""
    first, last = Region("first", kind="kernel"), Region("last", kind="kernel")
    regions, kernels = [first], []
    for i in range(len(lanes)):
        lane = Region(f"lane {i}", source="src/lanes.cu:10", values=[("0", i)])
        pair = [Region("step", lane, kind="kernel", place=1), Region("step", lane, kind="kernel", place=2)]
        regions += [lane, *pair]
        kernels.append((lane, *pair))
    regions.append(last)
    begin = Node(first, blocks=blocks, resident=resident)
    nodes = [begin]
    ends = []
    for lane, one, other in kernels:
        nodes.append(Node(one, [begin], blocks=blocks, resident=resident))
        nodes.append(Node(other, [nodes[-1]], blocks=blocks, resident=resident))
        ends.append(nodes[-1])
    nodes.append(Node(last, ends, blocks=blocks, resident=resident))
    recording = Recording(regions, **others)
    recording.graphs = [Graph(nodes, regions)]
    for replay in range(replays):
        times = [(first, 0, 5 * US)]
        at = 6 * US
        for (lane, one, other), length in zip(kernels, lanes):
            half = length * US // 2
            times += [(lane, at, 2 * half + US), (one, at, half), (other, at + half + US, half)]
        join = at + max(lanes) * US + US + US
        times.append((last, join, 4 * US))
        recording.replay_at(times, cold=replay == 0)
    return recording


class Case(FolderCase):
    def report(self, *words, status=0):
        result = subprocess.run([GRAPHPROF, "report", "--critical-path", *words], capture_output=True, text=True, cwd=self.folder,
                                env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)
        self.assertEqual(result.returncode, status, result.stderr + result.stdout)
        return result

    def graphs(self, recording, *words):
        path = self.write("run.gprof", recording.gprof())
        return json.loads(self.report("--json", path, *words).stdout)["graphs"]

    def graph(self, recording, *words):
        graphs = self.graphs(recording, *words)
        self.assertEqual(len(graphs), 1)
        return graphs[0]

    def rows(self, recording, *words):
        return {row["path"]: row for row in self.graph(recording, *words)["rows"]}


class ForkJoin(Case):
    def test_path_and_slack_are_exact(self):
        graph = self.graph(fork_join())
        rows = {row["path"]: row for row in graph["rows"]}
        self.assertEqual((graph["nodes"], graph["edges"], graph["replays"], graph["cold_replays"]), (10, 12, 4, 1))
        self.assertEqual(graph["replay_ns"], (5 + 1 + 31 + 1 + 4) * US)
        for path, slack in (("first", 0), ("lane 0", 20), ("lane 0/step", 20), ("lane 0/step #2", 20), ("lane 1", 0), ("lane 2", 10),
                            ("lane 2/step", 10), ("lane 3", 0), ("last", 0)):
            self.assertEqual((path, rows[path]["slack_ns"], rows[path]["no_slack"]), (path, slack * US, None))
        # Of two equal lanes one is on the path.
        self.assertEqual([rows[f"lane {i}"]["on_path"] for i in range(4)], [0, 4, 0, 0])
        self.assertAlmostEqual(rows["lane 1"]["percent_of_path"], 100 * 30 / 42)
        self.assertAlmostEqual(graph["work_percent"], 100 * 39 / 42)
        self.assertAlmostEqual(graph["gap_percent"], 100 * 3 / 42)

    # A node says what it waited for, and how long.
    def test_a_node_says_its_wait(self):
        rows = self.rows(fork_join())
        self.assertEqual((rows["last"]["waited_for"], rows["last"]["gap_ns"]), ("lane 1/step #2", US))
        self.assertEqual((rows["first"]["waited_for"], rows["first"]["gap_ns"]), (None, 0))
        self.assertEqual(rows["lane 2/step #2"]["waited_for"], "lane 2/step")

    def test_overlap_of_branches(self):
        graph = self.graph(fork_join(lanes=(10, 20)))
        # Two at once: 5 us, and of the second kernels 5 us less the gap between those of the first lane.
        self.assertAlmostEqual(graph["beside_percent"], 100 * (5 + 4) / 32)
        self.assertAlmostEqual(graph["running_percent"], 100 * (5 + 21 + 4) / 32)

    def test_what_if(self):
        words = ["--what-if", "lane 1=-20%", "--what-if", "lane [13]=-50%", "--what-if", "lane 0=+300%", "--what-if", "nothing=-10%"]
        asked = self.graph(fork_join(), *words)["what_if"]
        self.assertEqual([one["predicted_ns"] for one in asked], [42 * US, (42 - 10) * US, (42 + 10) * US, None])
        self.assertEqual([one["nodes"] for one in asked], [2, 4, 2, 0])
        text = self.report(self.write("run.gprof", fork_join().gprof()), *words).stdout
        self.assertIn("what if lane [13]=-50%: 32.000us instead of 42.000us in the median, -23.8 % (4 nodes, 4 replays)", text)
        self.assertIn("what if nothing=-10%: no node of this graph matches", text)

    def test_by_kernel(self):
        rows = self.rows(fork_join(), "--group-by", "kernel")
        self.assertEqual({path: row["slack_ns"] for path, row in rows.items()}, {"first": 0, "step": 0, "last": 0})
        self.assertAlmostEqual(rows["step"]["percent_of_path"], 100 * 30 / 42)

    def test_converted_recordings_say_the_same(self):
        recording = fork_join()
        binary = self.write("run.gprof", recording.gprof())
        expected = json.loads(self.report("--json", binary).stdout)["graphs"]
        for name in "run.db", "again.gprof":
            result = subprocess.run([GRAPHPROF, "convert", binary, name], capture_output=True, text=True, cwd=self.folder, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
        again = os.path.join(self.folder, "again.gprof")
        self.assertEqual(json.loads(self.report("--json", again).stdout)["graphs"], expected)
        with sqlite3.connect(os.path.join(self.folder, "run.db")) as database:
            self.assertEqual(database.execute("PRAGMA user_version").fetchone(), (1,))
            waiting = database.execute("SELECT n.name FROM graph_edges e JOIN graph_nodes n ON n.run = e.run AND n.graph = e.graph AND "
                                       "n.node = e.after WHERE e.node = 9").fetchall()
        self.assertEqual(waiting, [("step",)] * 4)

    def test_text(self):
        path = self.write("run.gprof", fork_join().gprof())
        text = self.report(path).stdout
        self.assertIn("critical path of graph 1 of app: 10 nodes, 12 edges, 4 replays, 42.000us in the median", text)
        self.assertRegex(text, r"lane 2 +4 +0 +0\.00% +-- +10\.000us")
        self.assertIn("the critical path is 92.9 % work and 7.1 % waiting until a node began", text)
        self.assertIn("**graphprof: critical path of graph 1 of app: 10 nodes", self.report("--markdown", path).stdout)
        self.assertRegex(self.report("--csv", path).stdout, r"\Aprogram,graph,path,(.*\n)+app,1,lane 2,lane 2,region,4,0,0,,10000\.0,")
        self.assertIn("1 row not shown (--all)", self.report("--top", "13", path).stdout)
        self.assertEqual(list(self.rows(fork_join(), "--sort", "slack", "--filter", "lane .$")), ["lane 1", "lane 3", "lane 2", "lane 0"])


class Competing(Case):
    # Lanes that do not fit side by side have no slack.
    def test_competing_lanes_have_no_slack(self):
        graph = self.graph(fork_join(blocks=264), "--what-if", "lane 1=-20%", "--what-if", "last=-50%")
        rows = {row["path"]: row for row in graph["rows"]}
        self.assertEqual(graph["competing_replays"], 4)
        for lane in range(4):
            self.assertEqual((rows[f"lane {lane}"]["slack_ns"], rows[f"lane {lane}"]["no_slack"]), (None, "competes"))
        self.assertEqual(rows["first"]["slack_ns"], 0)  # nothing runs beside it, whatever comes later
        self.assertEqual([one["predicted_ns"] for one in graph["what_if"]], [None, 40 * US])
        text = self.report(self.write("run.gprof", fork_join(blocks=264).gprof())).stdout
        self.assertIn("in 4 replays, branches ran beside each other that share multiprocessors, a link or the host, or may", text)

    def test_unknown_grids_count_as_competing(self):
        self.assertEqual(self.rows(fork_join(resident=0))["lane 0"]["no_slack"], "competes")

    # Grids that leave multiprocessors to each other fit, whatever they fill.
    def test_grids_on_different_multiprocessors_fit(self):
        self.assertEqual(self.rows(fork_join(blocks=33, resident=132))["lane 0"]["slack_ns"], 20 * US)
        self.assertEqual(self.rows(fork_join(blocks=34, resident=132))["lane 0"]["no_slack"], "competes")

    def test_copies_of_one_direction_share_a_link(self):
        def copies(second):
            one, other = Region("Memcpy HtoD (Pinned -> Device)", kind="memcpy"), Region(second, kind="memcpy", place=1)
            recording = Recording([one, other])
            recording.graphs = [Graph([Node(one, kind="memcpy"), Node(other, kind="memcpy")], [one, other])]
            for _ in range(3):
                recording.replay_at([(one, 0, 10 * US), (other, 0, 4 * US)])
            return {row["path"]: (row["slack_ns"], row["no_slack"]) for row in self.graph(recording)["rows"]}
        self.assertEqual(copies("Memcpy DtoH (Device -> Pinned)")["Memcpy DtoH (Device -> Pinned)"], (6 * US, None))
        self.assertEqual(copies("Memcpy HtoD (Pageable -> Device)")["Memcpy HtoD (Pageable -> Device)"], (None, "competes"))


class Table(Case):
    """The table that a program ends with, which graphprof convert writes too, has the same figures."""

    def table(self, path, *outputs):
        result = subprocess.run([GRAPHPROF, "convert", path, *outputs], capture_output=True, text=True, cwd=self.folder, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def cells(self, text):
        """By name: a row's words behind it, by heading."""
        lines = text.splitlines()
        rules = [i for i, line in enumerate(lines) if line.startswith("---")]
        ends = [match.end() for match in re.finditer("-+", lines[rules[0]])]
        cut = [slice(begin, end) for begin, end in zip([0, *ends], ends)]
        names = [lines[rules[1] - 1][part].strip() for part in cut]
        return [dict(zip(names, (line[part].strip() for part in cut))) for line in lines[rules[1] + 1:rules[2]]]

    def test_each_row_says_what_report_says(self):
        for recording in fork_join(), fork_join(blocks=264), fork_join(lanes=(10, 33, 20, 7), replays=40):
            path = self.write("run.gprof", recording.gprof())
            self.table(path, "table:table.txt")
            with open(os.path.join(self.folder, "table.txt"), encoding="utf-8") as file:
                shown = self.cells(file.read())
            report = self.cells(self.report("--all", path).stdout)
            self.assertEqual(shown.pop()["Region"], "(outside all regions)")
            self.assertEqual([(row["Region"], row["% of path"], row["Slack"]) for row in shown],
                             [(row["Region or node"].split("/")[-1], row["% of path"], row["Slack"]) for row in report])
            everything = {row["path"]: row for row in self.graph(recording)["rows"]}
            rows = json.loads(subprocess.run([GRAPHPROF, "report", "--json", path], capture_output=True, text=True, check=True).stdout)["rows"]
            for row in rows[:-1]:
                for key in "percent_of_path", "slack_ns", "no_slack":
                    self.assertEqual(row[key], everything[row["path"]][key], (row["path"], key))

    # A row of several regions has the least slack of their nodes, and all of their share.
    def test_a_row_of_several_regions(self):
        path = self.write("run.gprof", fork_join(lanes=(10, 20)).gprof())
        rows = {row["Region"]: row for row in self.cells(self.table(path, "table"))}
        self.assertEqual((rows["lane {} ×2"]["Slack"], rows["lane {} ×2"]["% of path"]), ("0.000us", "62.50%"))
        self.assertEqual((rows["step ×4"]["Slack"], rows["step ×4"]["% of path"]), ("0.000us", "62.50%"))
        self.assertEqual((rows["last"]["Slack"], rows["last"]["% of path"]), ("0.000us", "12.50%"))

    def groups(self, recording, by):
        path = self.write("run.gprof", recording.gprof())
        printed = subprocess.run([GRAPHPROF, "report", "--json", "--group-by", by, path], capture_output=True, text=True, check=True).stdout
        return {row["name"]: (row["slack_ns"], row["no_slack"], row["percent_of_path"]) for row in json.loads(printed)["rows"]}

    # So has one of a place in the source, or of the kernels of one name.
    def test_rows_of_places_and_kernels(self):
        uneven = fork_join(lanes=(10, 20))
        self.assertEqual(self.groups(uneven, "site"), {"lane {}": (0, None, 62.5)})
        self.assertEqual(self.groups(uneven, "kernel"), {"first": (0, None, 15.625), "step": (0, None, 62.5), "last": (0, None, 12.5)})
        self.assertEqual(self.groups(fork_join(blocks=264), "site"), {"lane {}": (None, "competes", 100 * 30 / 42)})
        self.assertEqual(set(self.groups(uneven, "graph").values()), {(None, None, None)})

    # A place that calls itself counts a node once.
    def test_a_place_inside_itself(self):
        first = Region("first", kind="kernel")
        outer = Region("again", source="src/again.cu:3")
        inner = Region("again", outer, source="src/again.cu:3")
        one, other = Region("one", inner, kind="kernel"), Region("other", kind="kernel")
        recording = Recording([first, outer, inner, one, other])
        begin = Node(first, blocks=1, resident=132)
        recording.graphs = [Graph([begin, Node(one, [begin], blocks=1, resident=132), Node(other, [begin], blocks=1, resident=132)],
                                  [first, outer, inner, one, other])]
        recording.replay_at([(first, 0, 2 * US), (outer, 3 * US, 5 * US), (inner, 3 * US, 5 * US), (one, 3 * US, 5 * US), (other, 3 * US, US)])
        self.assertEqual(self.groups(recording, "site"), {"again": (0, None, 62.5)})

    def test_csv_and_markdown_have_them(self):
        path = self.write("run.gprof", fork_join(lanes=(10, 20), blocks=264).gprof())
        printed = subprocess.run([GRAPHPROF, "report", "--csv", path], capture_output=True, text=True, check=True).stdout
        rows = {row["path"]: row for row in csv.DictReader(io.StringIO(printed))}
        self.assertEqual([rows["first"][key] for key in ("percent_of_path", "slack_ns", "no_slack")], ["15.625", "0.0", ""])
        self.assertEqual([rows["lane 0"][key] for key in ("percent_of_path", "slack_ns", "no_slack")], ["0", "", "competes"])
        printed = subprocess.run([GRAPHPROF, "report", "--markdown", path], capture_output=True, text=True, check=True).stdout
        lines = [line.split(" | ") for line in printed.splitlines() if line.startswith("| ")]
        self.assertEqual(len({len(line) for line in lines}), 1)
        self.assertEqual(lines[0][-2:], ["% of path", "Slack |"])
        self.assertIn(["15.62%", "0.000us |"], [line[-2:] for line in lines if "first" in line[0]])

    # On a narrow screen these columns go before those that are needed more.
    def test_a_narrow_screen_leaves_them_out(self):
        path = self.write("run.gprof", fork_join(lanes=(10, 20)).gprof())
        for width, shows in (112, True), (76, False):
            text = subprocess.run([GRAPHPROF, "report", path], capture_output=True, text=True, check=True, cwd=self.folder,
                                  env={**os.environ, "COLUMNS": str(width), "LC_ALL": "C.UTF-8"}).stdout
            table = text[text.index("-----"):text.rindex("-----")].splitlines()
            self.assertLessEqual(max(map(len, table)), width)
            self.assertEqual(("Slack" in table[1], "% of replay" in table[1]), (shows, True))

    # Of many replays the first count, and a line says so.
    def test_of_many_replays_the_first_count(self):
        recording = fork_join(replays=257)  # one is cold
        self.assertNotIn("are of the first", self.table(self.write("run.gprof", recording.gprof()), "table"))
        text = self.table(self.write("more.gprof", fork_join(replays=258).gprof()), "table")
        self.assertIn("% of path and Slack are of the first 256 warm replays of each graph\n", text)

    def test_columns_need_branches_or_edges(self):
        """Without branches or edges there are no such columns."""
        one, other = Region("one", kind="kernel"), Region("other", kind="kernel")
        chain = Recording([one, other])
        nodes = [Node(one)]
        nodes.append(Node(other, [nodes[0]]))
        chain.graphs = [Graph(nodes, [one, other])]
        chain.replay_at([(one, 0, US), (other, 2 * US, US)])
        edgeless = fork_join()
        edgeless.graphs = []
        for recording in chain, edgeless:
            text = self.table(self.write("run.gprof", recording.gprof()), "table")
            self.assertNotIn("% of path", text)
            self.assertNotIn("Slack", text)


class Picture(Case):
    """graphprof convert draws what a binary file holds, as the program that wrote it would have."""

    def test_regions_nodes_times_and_slack(self):
        path = self.write("run.gprof", fork_join().gprof())
        subprocess.run([GRAPHPROF, "convert", path, "run.dot", "graph:run.json"], check=True, cwd=self.folder)
        with open(os.path.join(self.folder, "run.dot"), encoding="utf-8") as file:
            dot = file.read()
        self.assertIn('label="graph 1: 5 replays, 42.000us in the median"', dot)
        self.assertIn('label="lane 2\\n21.000us · 50.0%"', dot)
        self.assertIn('[label="step\\n10.000us · 23.8%\\nslack: 10.000us"', dot)
        self.assertIn('[label="last\\n4.000us · 9.5%", fillcolor="#fdeddd", penwidth=3]', dot)
        self.assertEqual(dot.count(" -> "), 12)
        with open(os.path.join(self.folder, "run.json"), encoding="utf-8") as file:
            graph = json.load(file)["graphs"][0]
        rows = {row["path"]: row for row in self.graph(fork_join())["rows"]}
        names = [region["name"] for region in graph["regions"]]
        self.assertEqual(names, ["first"] + [name for i in range(4) for name in (f"lane {i}", "step", "step")] + ["last"])
        for node in graph["nodes"]:
            around = f"{names[node['region']]}/" if "region" in node else ""
            place = graph["regions"][node["timed"]].get("place", 1)
            path = around + node["name"] + (f" #{place}" if place > 1 else "")
            self.assertEqual((path, node["slack_ns"]), (path, rows[path]["slack_ns"]))

    def test_without_nodes_it_says_what_to_do(self):
        recording = fork_join()
        recording.graphs = []
        result = subprocess.run([GRAPHPROF, "convert", self.write("run.gprof", recording.gprof()), "run.dot"], capture_output=True,
                                text=True, check=False, cwd=self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("run.dot: is empty: it shows the nodes of graphs, which are recorded with GRAPHPROF_NODES=1", result.stderr)


class Other(Case):
    def test_a_graph_of_one_node(self):
        only = Region("only", kind="kernel")
        recording = Recording([only])
        recording.graphs = [Graph([Node(only)], [only])]
        recording.replay_at([(only, 0, 7 * US)])
        row = self.rows(recording)["only"]
        self.assertEqual((row["slack_ns"], row["percent_of_path"], row["on_path"]), (0, 100, 1))

    def test_a_programmatic_edge(self):
        """The second begins before the first ends: what it does until then costs nothing."""
        one, other, beside, last = (Region(name, kind="kernel") for name in ("one", "other", "beside", "last"))
        nodes = [Node(one)]
        nodes.append(Node(other, [nodes[0]], early=[nodes[0]]))
        nodes += [Node(beside), Node(last, [nodes[1]])]
        nodes[3].after.append(nodes[2])
        recording = Recording([one, other, beside, last])
        recording.graphs = [Graph(nodes, [one, other, beside, last])]
        recording.replay_at([(one, 0, 10 * US), (other, 8 * US, 7 * US), (beside, 0, 12 * US), (last, 16 * US, 4 * US)])
        graph = self.graph(recording, "--what-if", "other=-20%")
        rows = {row["path"]: row for row in graph["rows"]}
        self.assertEqual([rows[name]["slack_ns"] for name in ("one", "other", "beside", "last")], [0, 0, 3 * US, 0])
        self.assertEqual((rows["other"]["path_ns"], rows["other"]["gap_ns"], rows["one"]["path_ns"]), (5 * US, 0, 10 * US))
        self.assertEqual(graph["what_if"][0]["predicted_ns"], 19 * US)

    def test_unmeasured_nodes_have_no_number(self):
        """Nodes that were not measured have no number."""
        recording = fork_join(replays=1)
        graph, number, _, step, begin, end, records = recording.replays[0]
        records = [(region, at, None if region.path == "lane 2/step #2" else duration) for region, at, duration in records]
        recording.replays = [(graph, i, False, step, begin, end, records) for i in range(3)]
        rows = self.rows(recording)
        for path in "lane 0", "lane 2", "lane 2/step #2", "lane 2/step":
            self.assertEqual((path, rows[path]["slack_ns"], rows[path]["no_slack"]), (path, None, "not measured"))
        self.assertEqual(rows["last"]["slack_ns"], 0)

    def test_parts_of_a_graph_are_left_out(self):
        recording = fork_join()
        graph, number, cold, step, begin, end, records = recording.replays[-1]
        recording.replays[-1] = (graph, number, cold, step, begin, end, records[:4])
        found = self.graph(recording)
        self.assertEqual((found["replays"], found["part_replays"]), (3, 1))

    def test_a_child_graph_is_its_timed_nodes(self):
        before, child, inner, other, beside, last = (Region(name, kind=kind) for name, kind in (
            ("before", "kernel"), ("child", "graph"), ("inner", "kernel"), ("other", "kernel"), ("beside", "kernel"), ("last", "kernel")))
        nodes = [Node(before)]
        nodes += [Node(child, [nodes[0]], kind="child graph"), Node(beside, [nodes[0]])]
        nodes += [Node(last, [nodes[1], nodes[2]]), Node(inner, inside=nodes[1])]
        nodes.append(Node(other, [nodes[4]], inside=nodes[1]))
        order = [before, child, inner, other, beside, last]
        recording = Recording(order)
        recording.graphs = [Graph(nodes, order)]
        recording.replay_at([(before, 0, US), (child, US, 9 * US), (inner, US, 4 * US), (other, 6 * US, 4 * US), (beside, US, 12 * US),
                             (last, 14 * US, US)])
        rows = self.rows(recording)
        self.assertNotIn("child", rows)
        self.assertEqual([rows[name]["slack_ns"] for name in ("before", "inner", "other", "beside", "last")],
                         [0, 3 * US, 3 * US, 0, 0])
        self.assertEqual(rows["inner"]["waited_for"], "before")

    def test_graphs_that_are_alike_are_one(self):
        recording = fork_join()
        recording.graphs.append(Graph([], [], number=2, like=1))
        recording.replays += [(2, *replay[1:]) for replay in recording.replays]
        graph = self.graph(recording)
        self.assertEqual((graph["alike"], graph["replays"]), (2, 8))

    def test_without_edges_it_says_what_to_do(self):
        recording = fork_join()
        recording.graphs = [Graph([], [], counts=(4, 4))]
        result = self.report(self.write("run.gprof", recording.gprof()), status=2)
        self.assertIn("no recording holds the edges of a graph; record with GRAPHPROF_NODES=1", result.stderr)
        recording.graphs = []  # as where no replay was recorded whole
        result = self.report(self.write("run.gprof", recording.gprof()), status=2)
        self.assertIn("no replay was recorded whole, only in parts; record with GRAPHPROF_PARTS=1", result.stderr)

    def test_wrong_options(self):
        path = self.write("run.gprof", fork_join().gprof())
        for words, why in ((["--what-if", "lane"], "must be a regular expression, =, and a change"),
                           (["--what-if", "(=-20%"], "( is not a regular expression"),
                           (["--what-if", "x=-120%"], "must be a regular expression, =, and a change"),
                           (["--group-by", "step"], "must be region or kernel with --critical-path"),
                           (["--sort", "total"], "must be one of percent, slack, name, order with --critical-path")):
            self.assertIn(why, self.report(path, *words, status=2).stderr)
        result = subprocess.run([GRAPHPROF, "report", "--what-if", "x=-1%", path], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, "--what-if needs --critical-path" in result.stderr), (2, True))

    def test_damaged_structures_are_refused_or_left_out(self):
        recording = fork_join()
        recording.graphs[0].nodes[1].after = [recording.graphs[0].nodes[2]]  # a cycle
        result = self.report(self.write("cycle.gprof", recording.gprof()))
        self.assertIn("its edges make a cycle, which no graph has: the recording is damaged", result.stdout)
        whole = fork_join().gprof()
        for cut in range(len(whole) - 900, len(whole), 37):  # never a crash
            result = subprocess.run([GRAPHPROF, "report", "--critical-path", self.write("cut.gprof", whole[:cut])], capture_output=True,
                                    text=True, check=False)
            self.assertIn(result.returncode, (0, 2))


if __name__ == "__main__":
    GRAPHPROF = sys.argv.pop(1)
    unittest.main()
