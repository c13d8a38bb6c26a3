#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# metrics_test.py GRAPHPROF DRIVER PROGRAMS: what shows running programs: graphprof exporter, to Prometheus, and graphprof top, in
# a terminal of tmux's.

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
import urllib.error
import urllib.parse
import urllib.request

from control_test import GRAPHPROF, PATIENCE, Control, until

EXPORTER = os.path.join(os.path.dirname(GRAPHPROF), "graphprof-exporter")
EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/prometheus")


@unittest.skipUnless(os.path.exists(EXPORTER), "graphprof was built without prometheus-cpp")
class Exporter(Control):
    def export(self, *options):
        exporter = subprocess.Popen(
            [GRAPHPROF, "exporter", "--listen", "127.0.0.1:0", *options],
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(exporter.stdout.close)
        self.addCleanup(exporter.stderr.close)
        self.addCleanup(exporter.wait)
        self.addCleanup(exporter.terminate)
        said = exporter.stdout.readline()
        self.assertRegex(said, r"^graphprof exporter: http://127\.0\.0\.1:\d+/metrics$")
        self.exporter = exporter
        return said.split()[-1]

    def get(self, url):
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return answer.read().decode()

    # A sample's value, by its name and some of its labels; None if there is none.
    def value(self, text, name, **labels):
        for line in text.splitlines():
            if line.startswith(name + "{") and all(f'{label}="{value}"' in line for label, value in labels.items()):
                return float(line.rpartition(" ")[2])
        return None

    def recorded(self, url, program, replays):
        """Launches so many graphs while the exporter listens."""
        until(lambda: (status := self.status(program))["watchers"] == 1 and status["recording"])
        program.do(f"launch {replays}")
        self.done("attach", program.pid, "flush")
        return self.get(url)

    def test_regions_graphs_and_losses(self):
        url = self.export()
        program = self.program(RANK="2", WORLD_SIZE="8")
        text = self.recorded(url, program, 5)
        mine = {"pid": program.pid, "process": "preload-obeying", "rank": 2}
        for name, labels, expected in (
            ("graphprof_launches_total", {"graph": 1}, 5),
            ("graphprof_recorded_replays_total", {"graph": 1, "device": 0}, 5),
            ("graphprof_replay_duration_seconds_count", {"graph": 1}, 4),
            ("graphprof_cold_replays_total", {"graph": 1}, 1),
            ("graphprof_region_duration_seconds_count", {"region": "layer {}", "kind": "region"}, 8),
            ("graphprof_left_out_names", {}, 0),
            ("graphprof_lost_total", {"reason": "overrun"}, 0),
            ("graphprof_left_out_total", {"what": "records"}, 0),
            ("graphprof_recording", {}, 1),
        ):
            with self.subTest(name):
                self.assertEqual(self.value(text, name, **mine, **labels), expected)
        self.assertAlmostEqual(self.value(text, "graphprof_region_share_ratio", region="layer {}", **mine), 1, delta=0.01)
        self.assertEqual(float(re.search(r"(?m)^graphprof_exporter_processes (\S+)$", text)[1]), 1)
        # The mean is that of executions alike, so each quantile is within 4 % of it.
        of = lambda name, **labels: self.value(text, f"graphprof_region_duration_seconds{name}", region="layer {}", **mine, **labels)
        for quantile in ("0.5", "0.95", "0.99"):
            self.assertAlmostEqual(of("", quantile=quantile) / (of("_sum") / of("_count")), 1, delta=0.05)
        self.assertLess(sum(f'pid="{program.pid}"' in line for line in text.splitlines()), 2000)
        # One that ended is gone, and nobody is lost for it.
        program.end()
        text = until(lambda: (text := self.get(url)) if "preload-obeying" not in (text := self.get(url)) else None)
        self.assertEqual(float(re.search(r"(?m)^graphprof_exporter_unanswered_total (\S+)$", text)[1]), 0)

    def test_graphs_with_names_go_by_them(self):
        """Replays by what they serve, launches by what their graph does."""
        url = self.export()
        program = self.program()
        until(lambda: self.status(program)["watchers"] == 1 and self.status(program)["recording"])
        program.do("launch 3", 'push graph: decode "batch"=8', "launch 2", "pop")
        self.done("attach", program.pid, "flush")
        text = self.get(url)
        value = lambda name, **labels: self.value(text, name, pid=program.pid, **labels)
        if value("graphprof_recorded_replays_total", graph=1) == 5:
            self.skipTest("built without NVTX")
        named = {"graph": 'decode \\"batch\\"=8'}
        self.assertEqual(value("graphprof_recorded_replays_total", **named), 2)
        self.assertEqual(value("graphprof_replay_duration_seconds_count", **named), 2)
        self.assertEqual(value("graphprof_recorded_replays_total", graph=1), 3)
        self.assertEqual(value("graphprof_launches_total", graph=1), 5)

    def test_names_beyond_the_bound_are_said(self):
        url = self.export("--max-series", "100")
        program = self.program()
        until(lambda: self.status(program)["watchers"] == 1)
        program.do("launch 3", "kernels 20")
        self.done("attach", program.pid, "flush")
        text = self.get(url)
        value = lambda name, **labels: self.value(text, name, pid=program.pid, **labels)
        self.assertLessEqual(sum(f'pid="{program.pid}"' in line for line in text.splitlines()), 100)
        self.assertGreater(value("graphprof_left_out_names"), 0)
        left_out = value("graphprof_left_out_total", what="records") + value("graphprof_left_out_total", what="replays")
        self.assertGreater(left_out, 0)
        self.assertIsNotNone(value("graphprof_region_duration_seconds_count"), "the first ones have series")
        self.exporter.terminate()
        self.assertRegex(
            self.exporter.stderr.read(), rf"^graphprof exporter: \d+ of the names of {program.pid} have no metrics of their own and are counted"
        )

    def test_busy_times_are_summaries(self):
        """Of executions of which they are known. Before that, and of what is no kernel, there are none."""
        url = self.export()
        program = self.program(GRAPHPROF_PARTS="2")
        text = self.recorded(url, program, 2)
        self.assertNotIn("graphprof_region_busy_seconds", text)
        program.do("kernels 200")
        self.done("attach", program.pid, "flush")
        text = self.get(url)
        of = lambda name, **labels: self.value(text, f"graphprof_region_{name}", pid=program.pid, **labels)
        count = of("busy_seconds_count", kind="kernel")
        self.assertGreater(count, 50)
        self.assertLess(count, of("duration_seconds_count", kind="kernel"))
        duration = of("duration_seconds_sum", kind="kernel") / of("duration_seconds_count", kind="kernel")
        self.assertAlmostEqual(of("busy_seconds_sum", kind="kernel") / count, duration, delta=2e-9)  # here no gap is behind it
        gaps = of("gap_seconds_count", kind="kernel")
        self.assertTrue(0 < gaps < count, "nothing begins behind the last one")
        self.assertGreaterEqual(of("gap_seconds_sum", kind="kernel"), 0)
        self.assertIsNone(of("busy_seconds_count", kind="memcpy"))
        self.assertRegex(text, r"(?m)^# TYPE graphprof_region_busy_seconds summary$")
        if shutil.which("promtool"):
            checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual([line for line in checked.stderr.splitlines() if "exposer_" not in line], [])

    def test_nobody_listens_once_it_has_ended(self):
        self.export()
        program = self.program()
        until(lambda: self.status(program)["recording"])
        self.exporter.send_signal(signal.SIGTERM)
        self.assertEqual(self.exporter.wait(PATIENCE), 0)
        until(lambda: not self.status(program)["recording"])

    def test_a_process_that_does_not_answer(self):
        url = self.export()
        program, stopped = self.program(), self.program()
        until(lambda: self.status(program)["watchers"] == 1 and self.status(stopped)["watchers"] == 1)
        os.kill(stopped.pid, signal.SIGSTOP)
        try:
            # On a busy machine the other one may be late once, too.
            text = until(lambda: text if self.value(text := self.get(url), "graphprof_recording", pid=program.pid) is not None else None)
        finally:
            os.kill(stopped.pid, signal.SIGCONT)
        self.assertIsNone(self.value(text, "graphprof_recording", pid=stopped.pid))
        self.assertGreaterEqual(float(re.search(r"(?m)^graphprof_exporter_unanswered_total (\S+)$", text)[1]), 1)

    def test_mistakes(self):
        self.refused(2, r"unknown option --lisen \(did you mean --listen\?\)", "exporter", "--lisen")
        self.refused(2, "--max-series 99: must be a number of at least 100", "exporter", "--max-series", "99")
        self.refused(2, "--listen 9844: must be an address and a port", "exporter", "--listen", "9844")
        taken = self.export().split("/")[2]
        self.refused(1, f"cannot listen on {taken} .*; choose another port with --listen", "exporter", "--listen", taken)

    @unittest.skipUnless(shutil.which("promtool") and shutil.which("prometheus"), "Prometheus is not installed")
    def test_prometheus(self):
        url = self.export()
        program = self.program()
        text = self.recorded(url, program, 7)
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=PATIENCE)
        # The library's own metrics of its server are not ours.
        complaints = [line for line in checked.stderr.splitlines() if "exposer_" not in line]
        self.assertEqual((complaints, checked.stdout), ([], ""))
        rules = os.path.join(EXAMPLE, "alerts.yml")
        checked = subprocess.run(["promtool", "check", "rules", rules], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        with open(os.path.join(self.folder, "prometheus.yml"), "w") as file:
            json.dump(
                {
                    "global": {"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"},
                    "rule_files": [rules],
                    "scrape_configs": [{"job_name": "graphprof", "static_configs": [{"targets": [url.split("/")[2]]}]}],
                },
                file,
            )
        with open(os.path.join(self.folder, "prometheus.log"), "w+") as log:
            server = subprocess.Popen(
                ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.listen-address=127.0.0.1:0"],
                cwd=self.folder, stdout=log, stderr=log,
            )  # fmt: skip
            self.addCleanup(server.wait)
            self.addCleanup(server.terminate)

            def address():
                with open(log.name) as read:
                    return re.search(r'msg="Listening on" address=(127\.0\.0\.1:[1-9]\d*)', read.read())

            where = until(address)[1]

            def asked(query):
                try:
                    return json.loads(self.get(f"http://{where}/api/v1/query?" + urllib.parse.urlencode({"query": query})))["data"]["result"]
                except urllib.error.HTTPError:  # it is not ready yet
                    return []

            result = until(lambda: asked(f'graphprof_recorded_replays_total{{pid="{program.pid}"}}'))
            self.assertEqual(float(result[0]["value"][1]), 7)
            # Each panel of the dashboard is of metrics that there are; those of busy times only where these are known.
            kernels = self.program(GRAPHPROF_PARTS="2")
            until(lambda: self.status(kernels)["recording"])
            kernels.do("kernels 200")
            with open(os.path.join(EXAMPLE, "dashboard.json")) as file:
                dashboard = json.load(file)
            names = {name for panel in dashboard["panels"] for target in panel["targets"] for name in re.findall(r"graphprof_\w+", target["expr"])}
            self.assertGreater(len(names), 4)
            for name in names:
                # A scrape that came too late leaves nothing to be asked for until the next one.
                until(lambda name=name: asked(f'{{__name__="{name}"}}'), f"{name}: no such metric")


@unittest.skipUnless(shutil.which("tmux"), "tmux is not installed")
class Top(Control):
    def tmux(self, *arguments):
        return subprocess.run(
            ["tmux", "-S", os.path.join(self.folder, "tmux"), "-f", "/dev/null", *arguments],
            env=self.environment | {"TERM": "xterm"}, cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
        ).stdout  # fmt: skip

    def top(self, *arguments):
        shown = self.graphprof("top", *arguments)
        if "built without ncurses" in shown.stderr:
            self.skipTest("graphprof was built without ncurses")
        command = " ".join([GRAPHPROF, "top", *map(str, arguments)])
        self.tmux("new-session", "-d", "-x", "120", "-y", "20", f"{command}; echo status $?; cat")
        self.addCleanup(self.tmux, "kill-server")

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def shows(self, pattern):
        try:
            return until(lambda: re.search(pattern, self.screen(), re.M))
        except AssertionError:
            self.fail(f"no {pattern} in\n{self.screen()}")

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def test_graphs_with_names_have_rows(self):
        program = self.program()
        self.top(program.pid)
        self.shows(rf"^{program.pid} preload-obeying, recording")
        program.do("push graph: decode batch=8", "launch 4", "pop")
        self.shows(r"^ *100\.00% +\d+\.\d+us .* replay +decode batch=8$")
        self.keys("/", "b", "a", "t", "Enter")
        until(lambda: not re.search(r"layer \{\}$", self.screen(), re.M))
        self.shows(r"replay +decode batch=8$")
        self.keys("q")
        self.shows("^status 0$")

    def test_regions_by_share(self):
        program = self.program()
        self.top(program.pid)
        self.shows(rf"^{program.pid} preload-obeying, recording")
        program.do("launch 4")
        self.shows(r"^launches 4 \(\S+/s\), recorded 4 \(\S+/s\)")
        self.shows(r"^lost nothing")
        self.shows(r"^ *100\.00% +1\.00\dus .* region +layer \{\}$")
        self.shows(r"^ *100\.00% +1\.00\dus .* memcpy +layer \{\}/Memcpy HtoD \(Pageable -> Device\)$")
        for word in ("median", "rate", "trend", "name", "share"):
            self.keys("s")
            self.shows(f"^sorted by {word}$")
        self.keys("/", "M", "e", "m", "Enter")
        self.shows("^sorted by share, filter: Mem$")
        until(lambda: not re.search(r"layer \{\}$", self.screen(), re.M))
        self.keys("Space")
        self.shows("^sorted by share, filter: Mem, frozen$")
        self.keys("q")
        self.shows("^status 0$")

    def test_busy_times_have_columns_once_they_are_known(self):
        program = self.program(GRAPHPROF_PARTS="2")
        self.top(program.pid)
        self.shows(rf"^{program.pid} preload-obeying, recording")
        program.do("launch 4")
        self.shows(r"^ +SHARE +MEDIAN +TREND +P95 +EACH S ")
        program.do("kernels 200")
        self.shows(r"^ +SHARE +MEDIAN +TREND +P95 +BUSY +GAP +EACH S ")
        self.shows(r"^ *\S+% +\S+us +\S+ +\S+us +\d\.\d+us +\d\.\d+us .* kernel +mill$")
        self.shows(r"^ *\S+% +\S+us +\S+ +\S+us +- +- .* region +layer \{\}$")
        self.keys("q")
        self.shows("^status 0$")

    def test_record(self):
        program = self.program()
        self.top()
        # Without a PID it may show a program of another test's first; "p" goes to the next.
        self.shows(r"^\d+ ")
        while not (shown := self.screen().partition(" ")[0]) == str(program.pid):
            self.keys("p")
            until(lambda shown=shown: self.screen().partition(" ")[0] not in ("", shown))
        self.keys("r")
        self.shows(r"; recording 10 s into ")
        until(lambda: self.status(program)["recordings"] == 1)
        program.do("launch 3")
        self.keys("q")  # ends it, and waits for the file
        self.shows("^status 0$")
        with open(os.path.join(self.folder, f"graphprof-{program.pid}-1.json")) as file:
            self.assertIn("layer 1", file.read())

    def test_a_program_that_ends(self):
        program = self.program()
        self.top(program.pid)
        self.shows(rf"^{program.pid} preload-obeying, recording")
        program.end()
        self.shows(rf"^{program.pid} .*: there is no such process; see graphprof ps")
        self.keys("q")
        self.shows("^status 0$")

    def test_without_a_terminal(self):
        program = self.program()
        result = self.graphprof("top", program.pid)
        if "built without ncurses" in result.stderr:
            self.skipTest("graphprof was built without ncurses")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("needs a terminal; for a script there is graphprof attach PID status --json", result.stderr)
        self.refused(1, "there is no such process", "top", 2**22 + 5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
