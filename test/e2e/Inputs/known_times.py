# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# known_times.py GRAPHPROF PROGRAM: runs the program of known_times.cu with schedules that are known, and compares each output with
# them. In a folder of its own.

import json
import os
import subprocess
import sys
import unittest

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

    def own(self, path):
        """The least and the most that a region may last: up to its own end, or to the begin of what follows that."""
        kernels = [self.kernels[k] for k in self.regions[path]]
        end = max(end for _, _, end in kernels)
        return end - min(begin for _, begin, _ in kernels), min(end + GAP, self.length) - min(begin for _, begin, _ in kernels)


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


def run(schedule, **variables):
    environment = {**os.environ, **{name: str(time) for name, time in schedule.times.items()}, "GAP": str(GAP), **variables}
    subprocess.run([PROGRAM, str(REPLAYS), *schedule.words.split()], env=environment, check=True, stderr=subprocess.DEVNULL)


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
                    replays = [json.loads(line) for line in open("run.jsonl", encoding="utf-8")]
                    spans = {one["end_ns"] - one["begin_ns"] for one in replays if one["type"] == "replay" and not one["cold"]}
                    self.assertEqual(spans, {schedule.length})
                    graph = json.loads(graphprof("report", "--json", "--group-by", "graph", "run.gprof"))["rows"][0]
                    self.assertEqual((graph["min_ns"], graph["max_ns"]), (schedule.length, schedule.length))
                    text = f"{schedule.length / 1000:.3f}us each in the median"
                    self.assertIn(text, open("run.table", encoding="utf-8").read())
                    self.assertIn(text, graphprof("report", "run.gprof"))
                    if nodes == "1":
                        path = json.loads(graphprof("report", "--critical-path", "--json", "run.gprof"))["graphs"][0]
                        self.assertEqual(path["replay_ns"], schedule.length)
                    rows = {row["path"]: row for row in json.loads(graphprof("report", "--json", "run.gprof"))["rows"]}
                    for region in schedule.regions:
                        if name != "loop":
                            least, most = schedule.own(region)
                            self.assertTrue(least <= rows[region]["mean_ns"] <= most, (region, rows[region]["mean_ns"], least, most))


if __name__ == "__main__":
    GRAPHPROF, PROGRAM = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main()
