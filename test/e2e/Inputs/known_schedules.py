# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What the program of known_times.cu does: schedules, and a table of programs that follow them.

import json
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

# GRAPHPROF PROGRAM LIBRARY PACKAGE: the command, the program, the program as a library, the Python package.
GRAPHPROF, PROGRAM, LIBRARY, PACKAGE = map(os.path.abspath, sys.argv[1:5])
GAP = 1000
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


class Schedule:
    """What the words of a graph do, in a replay in which each kernel takes `times` times `factor`: when each kernel begins and ends,
    and which kernels each execution of a region has."""

    def __init__(self, words, times=TIMES, factor=1):
        self.words, self.times = words, times
        self.kernels = []  # (name, begin, end, path)
        self.regions = {}  # by path: a list of executions, each a list of kernels
        behind, open_at = [[], [], []], []  # by stream: the kernels that the next one waits for
        for word in words.split():
            what, *others = word.split(":")
            if what == "region":
                open_at.append("/".join([*open_at[-1:], others[0]]))
                self.regions.setdefault(open_at[-1], []).append([])
            elif what == "end":
                open_at.pop()
            elif what == "fork":
                before, after = map(int, others)
                behind[after] = behind[after] + behind[before]
            else:
                stream = int(others[0])
                begin = max((self.kernels[k][2] + GAP for k in behind[stream]), default=0)
                behind[stream] = [len(self.kernels)]
                for path in open_at:
                    self.regions[path][-1].append(len(self.kernels))
                self.kernels.append((what, begin, begin + round(times[what] * factor), "/".join([*open_at[-1:], what])))
        self.length = max(end for _, _, end, _ in self.kernels)

    def executions(self):
        """By path of regions and kernels: begin and end of each execution."""
        found = {}
        for path, executions in self.regions.items():
            for kernels in executions:
                found.setdefault(path, []).append((min(self.kernels[k][1] for k in kernels), max(self.kernels[k][2] for k in kernels)))
        for _, begin, end, path in self.kernels:
            found.setdefault(path, []).append((begin, end))
        return found

    def extent(self, path):
        executions = self.executions()[path]
        return executions[0][0], executions[-1][1]

    def within(self, begin, end):
        """The least and the most that what begins and ends there may last: up to its own end, or to the begin of what follows."""
        return end - begin, min(end + GAP, self.length) - begin

    def own(self, path):
        return self.within(*self.extent(path))


class Program(NamedTuple):
    graphs: "tuple[str, ...]"  # the words of each
    replays: int = 12
    factors: "tuple[float, ...]" = (1,)  # how many times as long each launch takes, from the first on
    variables: "dict[str, str]" = {}
    times: "dict[str, int]" = TIMES

    def schedule(self, graph, replay):
        """Of that replay of the graph, from 0."""
        launch = replay * len(self.graphs) + graph
        return Schedule(self.graphs[graph], self.times, self.factors[launch % len(self.factors)])

    def words(self):
        return " graph ".join(self.graphs).split()

    def environment(self):
        return {**{name: str(ns) for name, ns in self.times.items()}, "GAP": str(GAP), "FACTORS": ",".join(map(str, self.factors)),
                **self.variables}


NESTED = (SCHEDULES["nested"],)
BRANCHES = (SCHEDULES["fork and join"],)
SECOND = SCHEDULES["diamond"].replace("head", "start").replace("tail", "stop")
PROGRAMS = {
    **{name: Program((words,)) for name, words in SCHEDULES.items()},
    "every third replay is slow": Program(NESTED, 13, (1, 1, 2)),
    "a tail": Program(NESTED, 120, tuple(10 if replay % 20 == 13 else 1 for replay in range(120))),
    "drift": Program(BRANCHES, 120, tuple(1 + replay / 120 for replay in range(120))),
    "modes": Program(BRANCHES, 120, tuple(1.08 if random.Random(replay // 8).random() < 0.5 else 1 for replay in range(120))),
    "parts": Program(NESTED, 80, variables={"GRAPHPROF_PARTS": "2"}),
    "parts, and every second replay is slow": Program(NESTED, 600, (1, 2), {"GRAPHPROF_PARTS": "2"}),
    "parts of branches": Program(BRANCHES, 300, (1, 1, 2), {"GRAPHPROF_PARTS": "3"}),
    "a sample": Program(NESTED, 600, (1, 1, 1, 2), {"GRAPHPROF_SAMPLE": "1/4"}),
    "a budget": Program(NESTED, 2000, (1, 2), {"GRAPHPROF_BUDGET": "1%"}),
    "several graphs": Program((SCHEDULES["chain"], SECOND)),
    "several graphs, and one of them is slow": Program((SCHEDULES["chain"], SECOND), 40, (1, 2)),
}


def run(program, output, python="", **variables):
    """Runs a program, or with `python` in a process of Python, which then writes what its package says of it into that file."""
    command = [sys.executable, Path(__file__).with_name("known_in_python.py"), LIBRARY, python] if python else [PROGRAM]
    environment = {**os.environ, "PYTHONPATH": PACKAGE, **program.environment(), **variables, "GRAPHPROF_OUTPUT": output}
    subprocess.run([*command, str(program.replays), *program.words()], env=environment, check=True, stderr=subprocess.DEVNULL)


def lines_of(path):
    return Path(path).read_text(encoding="utf-8").splitlines()


def records_of(path):
    """Of JSON lines."""
    return [json.loads(line) for line in lines_of(path)]


def graphprof(*words):
    return subprocess.run([GRAPHPROF, *words], check=True, capture_output=True, text=True).stdout


def rows_of(*words):
    return json.loads(graphprof("report", "--json", *words))["rows"]


def covered(times):
    """How long at least one of these was."""
    ns = reached = 0
    for begin, end in sorted(times):
        ns += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return ns


def quantile(values, q):
    """As numpy's, and graphprof's."""
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def average(numbers):
    return sum(numbers) / len(numbers)


def shown(ns):
    """As texts have it."""
    return f"{ns / 1e3:.3f}us" if ns < 999_999.5 else f"{ns / 1e6:.3f}ms"


def error_of(values):
    """The standard error of their mean."""
    return statistics.stdev(values) / len(values)**0.5 if len(values) > 1 else 0
