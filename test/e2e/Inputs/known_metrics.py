# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# known_metrics.py GRAPHPROF PROGRAM LIBRARY PACKAGE: what `graphprof top` and Prometheus are told of programs whose schedules are
# known, compared with what the same process records. In a folder of its own.

import contextlib
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import time
import unittest
import urllib.request

from known_outputs import QUANTILES, Recorded, name_of
from known_schedules import GRAPHPROF, PROGRAM, PROGRAMS, average

EXPORTER = os.path.join(os.path.dirname(GRAPHPROF), "graphprof-exporter")
PATIENCE = 20


class Asking:
    """A connection to the process's socket; what is recorded while it is open is in the answers."""

    def __init__(self, folder, pid):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(os.path.join(folder, "graphprof", f"{pid}.sock"))
        self.file = self.socket.makefile("rb")

    def ask(self, command):
        self.socket.sendall(json.dumps({"command": command}).encode() + b"\n")
        return json.loads(self.file.readline())

    def close(self):
        self.file.close()
        self.socket.close()


class Metrics(unittest.TestCase):
    NAMES = ("one", "fork and join", "loop", "every third replay is slow", "a tail", "modes", "parts, and every second replay is slow",
             "a sample", "several graphs, and one of them is slow")

    def setUp(self):
        self.folder = os.path.join(os.getcwd(), "runtime")
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": self.folder, "GRAPHPROF_CONTROL": "1", "WAIT": "1"}
        self.url = None
        if os.path.exists(EXPORTER):
            exporter = subprocess.Popen([GRAPHPROF, "exporter", "--listen", "127.0.0.1:0"], env=self.environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            self.addCleanup(exporter.stdout.close)
            self.addCleanup(exporter.wait)
            self.addCleanup(exporter.terminate)
            self.url = exporter.stdout.readline().split()[-1]

    def test_every_program(self):
        for name in self.NAMES:
            for nodes in "0", "1":
                with self.subTest(name, nodes=nodes):
                    answer, scraped = self.told(PROGRAMS[name], nodes)
                    recorded = Recorded(PROGRAMS[name], "run.jsonl")
                    self.answer_is(answer, recorded)
                    if self.url:
                        self.scraped_is(scraped, answer)

    def told(self, program, nodes):
        environment = {**self.environment, **program.environment(), "GRAPHPROF_NODES": nodes, "GRAPHPROF_OUTPUT": "run.jsonl"}
        with subprocess.Popen([PROGRAM, str(program.replays), *program.words()], env=environment, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            with contextlib.closing(Asking(self.folder, process.pid)) as asking:
                asking.ask("metrics")
                end = time.monotonic() + PATIENCE
                while asking.ask("status")["watchers"] < (2 if self.url else 1):
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.01)
                process.stdin.write("\n")
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), "ready\n")
                asking.ask("flush")
                answer, scraped = asking.ask("metrics"), None
                if self.url:
                    with urllib.request.urlopen(self.url, timeout=PATIENCE) as reply:
                        scraped = [line for line in reply.read().decode().splitlines() if f'pid="{process.pid}"' in line]
            process.communicate("\n")
        return answer, scraped

    def durations_are(self, told, times):
        self.assertEqual((told["count"], told["sum_ns"]), (len(times), sum(times)))
        for key, q in QUANTILES.items():
            # Of the execution at that place or below it, in a bucket of 7.2 %: never between two.
            below = sorted(times)[int(q * (len(times) - 1))]
            self.assertAlmostEqual(told[key] / below, 1, delta=0.04, msg=key)

    def answer_is(self, answer, recorded):
        self.assertEqual({graph["graph"] for graph in answer["graphs"]}, set(recorded.lengths))
        for graph in answer["graphs"]:
            self.durations_are(graph, list(recorded.lengths[graph["graph"]].values()))
        places = {}  # the program has one place for all of its regions, whose names are no part of it
        for path in recorded.times:
            kernel = name_of(path) if recorded.kinds[path] == "kernel" else "{}"
            places.setdefault("/".join(["{}"] * path.count("/") + [kernel]), []).append(path)
        self.assertEqual({region["path"] for region in answer["regions"]}, set(places))
        for region in answer["regions"]:
            paths = places[region["path"]]
            self.durations_are(region, [time for path in paths for time in recorded.times[path]])
            self.assertAlmostEqual(region["median_ns"], average([statistics.median(recorded.times[path][-32:]) for path in paths]), delta=1)
            self.assertAlmostEqual(region["share_percent"], recorded.share(*paths, around=places[region["path"].partition("/")[0]]), delta=1e-3, msg=region["path"])

    def scraped_is(self, scraped, answer):
        """The same figures, in seconds."""
        found = {}
        for line in scraped:
            name, labels, value = re.fullmatch(r"(\w+)\{(.*)\} (\S+)", line).groups()
            labels = dict(re.findall(r'(\w+)="([^"]*)"', labels))
            found[(name, labels.get("region", labels.get("graph")), labels.get("quantile"))] = float(value)
        for kind, key, list_of in (("replay", "graph", "graphs"), ("region", "path", "regions")):
            for one in answer[list_of]:
                name, label = f"graphprof_{kind}_duration_seconds", str(one[key])
                self.assertEqual(found[name + "_count", label, None], one["count"])
                self.assertAlmostEqual(found[name + "_sum", label, None], one["sum_ns"] * 1e-9, delta=1e-12)
                for quantile_key, q in QUANTILES.items():
                    self.assertAlmostEqual(found[name, label, f"{q:g}"] * 1e9, one[quantile_key], delta=1)
        for one in answer["regions"]:
            self.assertAlmostEqual(found["graphprof_region_share_ratio", one["path"], None], one["share_percent"] / 100, delta=1e-9)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
