#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# control_test.py GRAPHPROF DRIVER PROGRAMS: the control socket of a running program, what is asked over it, and windows. The
# program (programs/obeying.cpp) does what it is told, so nothing here depends on time.

import contextlib
import csv
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

GRAPHPROF, DRIVER, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:4])
PATIENCE = 20  # seconds; no test needs them


def until(what, say="nothing came of it"):
    """What `what` returns, once that is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if result := what():
            return result
        time.sleep(0.01)
    raise AssertionError(say)


class Obeying:
    """A program that does what it is told."""

    def __init__(self, test, *options, run=True, program=os.path.join(PROGRAMS, "preload-obeying"), **environment):
        command = [program]
        command = [GRAPHPROF, "run", *options, "--", *command] if run else command
        self.process = subprocess.Popen(
            command, env=test.environment | environment, cwd=test.folder, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        test.addCleanup(self.end)
        self.hear("ready")

    @property
    def pid(self):
        return self.process.pid

    def hear(self, what):
        line = self.process.stdout.readline()
        assert what in line, f"{line!r} {self.process.stderr.read() if not line else ''}"
        return line

    def do(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            heard = self.hear("ready" if line == "exec" else "done")
        return heard

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self):
        """Its status, and what graphprof said."""
        if not self.process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        said = self.process.stderr.read() if not self.process.stderr.closed else ""
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        return status, said


class Asking:
    """A connection of the test's own."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else json.dumps(data).encode() + b"\n")

    def answer(self):
        return self.file.readline()

    def ask(self, **request):
        self.send(request)
        return json.loads(self.answer())

    def close(self):
        self.file.close()
        self.socket.close()


class Control(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.runtime = os.path.join(self.folder, "runtime")
        os.mkdir(self.runtime, 0o700)
        plain = {key: value for key, value in os.environ.items() if not key.startswith(("GRAPHPROF_", "LD_"))}
        self.environment = plain | {"LD_LIBRARY_PATH": DRIVER, "XDG_RUNTIME_DIR": self.runtime, "GRAPHPROF_OUTPUT": ""}

    def program(self, *options, **environment):
        return Obeying(self, *options, **environment)

    def graphprof(self, *arguments):
        return subprocess.run(
            [GRAPHPROF, *map(str, arguments)], env=self.environment, cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE
        )

    def done(self, *arguments):
        result = self.graphprof(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        return result.stdout

    def refused(self, status, text, *arguments):
        result = self.graphprof(*arguments)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertRegex(result.stderr, text)

    def socket_of(self, program):
        return os.path.join(self.runtime, "graphprof", f"{program.pid}.sock")

    def connect(self, program):
        asking = Asking(self.socket_of(program))
        self.addCleanup(asking.close)
        return asking

    def status(self, program):
        return json.loads(self.done("attach", program.pid, "status", "--json"))

    def rows(self, name="out.csv"):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return []
        with open(path, newline="") as file:
            return list(csv.DictReader(file))

    def replays(self, name="out.csv"):
        """The numbers of the launches that were recorded."""
        return sorted({int(row["replay"]) for row in self.rows(name)})


class Attach(Control):
    def test_ps_lists_what_can_be_reached(self):
        self.refused(1, "no process of yours can be reached; start it with graphprof run", "ps")
        program = self.program()
        other = self.program(RANK="3", WORLD_SIZE="4")
        program.do("launch 3")
        lines = self.done("ps").splitlines()
        self.assertEqual(lines[0].split(), ["PID", "RANK", "STATE", "LAUNCHES", "RECORDED", "LOST", "PROGRAM"])
        rows = {int(line.split()[0]): line.split()[1:] for line in lines[1:]}
        self.assertEqual(rows[program.pid], ["-", "idle", "3", "0", "0", "preload-obeying"])
        self.assertEqual(rows[other.pid], ["3", "idle", "0", "0", "0", "preload-obeying"])

    # A program is named by whoever wrote it: it forges no row and moves no cursor.
    def test_names_do_nothing_to_a_terminal(self):
        name = "\033[31mev\u202e\u200bil\n 1 0 forged\a"
        program = self.program(program=shutil.copy(os.path.join(PROGRAMS, "preload-obeying"), os.path.join(self.folder, name)))
        shown = "?[31mev??il? 1 0 forged?"
        self.assertRegex(self.done("ps"), rf"\A +PID[^\n]*\n +{program.pid} [^\n]* {re.escape(shown)}\n\Z")
        self.assertIn(f"{program.pid}, {shown} on ", self.done("attach", program.pid, "status"))

    def test_socket_without_run_needs_asking(self):
        """Without run only where it is asked for."""
        under_run = self.program("--no-control")
        self.refused(1, "it has no control socket: start it with graphprof run, or with GRAPHPROF_CONTROL=1", "attach", under_run.pid, "status")
        self.assertEqual(os.listdir(self.runtime), [])

    def test_status_says_what_is_recorded(self):
        program = self.program(GRAPHPROF_OUTPUT="out.csv")
        program.do("launch 2")
        self.done("attach", program.pid, "flush")
        status = self.status(program)
        self.assertEqual((status["launches"], status["replays"], status["recording"]), (2, 2, True))
        self.assertEqual((status["outputs"], status["program"], status["pid"]), (["out.csv"], "preload-obeying", program.pid))
        self.assertEqual(set(status["losses"].values()), {0})
        self.assertNotIn("budget", status)
        self.assertNotIn("window", status)
        text = self.done("attach", program.pid, "status")
        self.assertRegex(text, r"(?m)^recording +yes$")
        self.assertRegex(text, r"(?m)^lost +nothing$")
        # What was flushed is in the file while the program runs.
        self.assertEqual(self.replays(), [0, 1])

    def test_status_says_what_graphs_took(self):
        """Status says what graphs took of the device's memory, if that is measured."""
        program = self.program()
        program.do("launch 1")
        self.assertNotIn("graph_memory", self.status(program))
        program = self.program("--graph-memory", GRAPHPROF_OUTPUT="out.jsonl")
        program.do("launch 1")
        memory = self.status(program)["graph_memory"]
        self.assertEqual((memory["captures"], memory["execs"], memory["capture_bytes"], memory["graph_pool_bytes"]), (1, 1, 0, 0))
        # A graph of two copies, as the simulation has it.
        self.assertEqual((memory["instantiate_bytes"], memory["first_launch_bytes"]), ((1 << 20) + 2 * 1024, 2 * 4096))
        self.assertEqual(memory["total_bytes"], memory["instantiate_bytes"] + memory["first_launch_bytes"])
        first = memory["graphprof_bytes"]
        program.do("launch 1")  # now graphprof makes an exec of its own
        after = self.status(program)["graph_memory"]
        self.assertGreater(after.pop("graphprof_bytes"), first + (1 << 20))
        self.assertEqual(after | {"graphprof_bytes": first}, memory)
        self.assertRegex(self.done("attach", program.pid, "status"),
                         r"(?m)^graph memory    1.01 MiB of 1 captures and 1 execs: capture 0 B, instantiate 1.00 MiB, first launch 8.00 KiB, ")
        program.end()
        with open(os.path.join(self.folder, "out.jsonl")) as file:
            lines = [json.loads(line) for line in file]
        steps = [line for line in lines if line["type"] == "graph_memory"]
        self.assertEqual([(step["what"], step["bytes"]) for step in steps if step["what"] != "graphprof"],
                         [("capture", 0), ("instantiate", memory["instantiate_bytes"]), ("first launch", memory["first_launch_bytes"])])
        # The first launch is not recorded, and counted.
        self.assertEqual([line["replay"] for line in lines if line["type"] == "replay"], [1])
        self.assertEqual([line["count"] for line in lines if line["type"] == "loss" and line["kind"] == "notSampled"], [1])

    def test_stop_and_start(self):
        program = self.program(GRAPHPROF_OUTPUT="out.csv")
        program.do("launch 1")
        self.done("attach", program.pid, "stop")
        program.do("launch 2")
        self.assertEqual(self.status(program)["permitted"], False)
        self.refused(1, "recording is stopped; start it first", "attach", program.pid, "record", "-o", "x.csv")
        self.done("attach", program.pid, "start")
        program.do("launch 1")
        self.assertEqual(self.status(program)["launches"], 4)
        self.assertEqual(program.end(), (7, "graphprof: wrote out.csv\n"))
        self.assertEqual(self.replays(), [0, 3])

    def test_budget_is_set_and_removed(self):
        """A budget is set shown and taken away."""
        program = self.program(GRAPHPROF_OUTPUT="out.csv")
        self.done("attach", program.pid, "budget", "0.5%")
        program.do("launch 300")
        self.done("attach", program.pid, "flush")
        status = self.status(program)
        self.assertEqual(status["budget"]["price"], 0.005)
        self.assertEqual((status["launches"], status["replays"] + status["left_out"]), (300, 300))
        self.assertRegex(self.done("attach", program.pid, "status"), r"(?m)^budget +0.5 %, spent ")
        self.done("attach", program.pid, "budget", "none")
        self.assertNotIn("budget", self.status(program))
        for price in ("0.5 %", "-1%", "60%", "much"):
            self.refused(2, "budget needs a price up to 50%", "attach", program.pid, "budget", price)

    def test_mistakes(self):
        for arguments, text in (
            (["attach"], "a process and a command are needed"),
            (["attach", "self", "status"], "'self' is no process's number; see graphprof ps"),
            (["attach", "1", "statsu"], r"unknown command 'statsu' \(did you mean status\?\)"),
            (["attach", "1", "record"], "record needs -o OUTPUT"),
            (["attach", "1", "start", "now"], "start takes no 'now'"),
            (["attach", "1", "record", "--fro=3s"], r"unknown option --fro \(did you mean --for\?\)"),
            (["attach", "1", "record", "--for", "soon", "-o", "x.csv"], "--for soon: must be a time, such as 10s"),
            (["ps", "all"], "usage: graphprof ps"),
            (["top", "all"], "'all' is no process's number"),
        ):
            with self.subTest(arguments):
                self.refused(2, text, *arguments)
        self.refused(1, "there is no such process; see graphprof ps", "attach", 2**22 + 5, "status")


class Record(Control):
    # Begun by the socket, so that the launches certainly come behind it.
    def begin(self, program, output, seconds=3600):
        asking = self.connect(program)
        asking.send({"command": "record", "seconds": seconds, "output": os.path.join(self.folder, output)})
        until(lambda: self.status(program)["recordings"] == 1)
        return asking

    def test_what_is_launched_meanwhile(self):
        program = self.program()
        program.do("launch 2")
        asking = self.begin(program, "asked.csv")
        program.do("launch 3")
        asking.socket.shutdown(socket.SHUT_WR)  # as Ctrl-C does
        answer = json.loads(asking.answer())
        program.do("launch 2")
        self.assertEqual(answer, {"ok": True, "file": os.path.join(self.folder, "asked.csv"), "replays": 3})
        self.assertEqual(self.replays("asked.csv"), [2, 3, 4])
        self.assertFalse(self.status(program)["recording"])
        self.assertEqual(program.end(), (7, ""))

    def test_for_some_time(self):
        program = self.program()
        recording = subprocess.Popen(
            [GRAPHPROF, "attach", str(program.pid), "record", "--for", "300ms", "-o", "trace.json"],
            env=self.environment, cwd=self.folder, text=True, stdout=subprocess.PIPE,
        )  # fmt: skip
        until(lambda: self.status(program)["recordings"] == 1)
        program.do("launch 4")
        said, _ = recording.communicate(timeout=PATIENCE)
        self.assertEqual((recording.returncode, said), (0, f"wrote {self.folder}/trace.json: 4 replays\n"))
        with open(os.path.join(self.folder, "trace.json")) as file:
            names = [event.get("name") for event in json.load(file)["traceEvents"]]
        self.assertEqual(names.count("layer 0"), 4)

    def test_an_interrupt_ends_it(self):
        program = self.program()
        recording = subprocess.Popen(
            [GRAPHPROF, "attach", str(program.pid), "record", "--for=1h", "-o", "asked.csv"],
            env=self.environment, cwd=self.folder, text=True, stdout=subprocess.PIPE,
        )  # fmt: skip
        until(lambda: self.status(program)["recordings"] == 1)
        program.do("launch 2")
        recording.send_signal(signal.SIGINT)
        said, _ = recording.communicate(timeout=PATIENCE)
        self.assertEqual((recording.returncode, said), (0, f"wrote {self.folder}/asked.csv: 2 replays\n"))
        self.assertEqual(self.replays("asked.csv"), [0, 1])

    def test_beside_the_programs_own_outputs(self):
        program = self.program(GRAPHPROF_OUTPUT="out.csv", GRAPHPROF_WINDOW="cuda-profiler")
        asking = self.begin(program, "asked.csv")
        program.do("launch 1", "profiler 1", "launch 1", "profiler 0", "launch 1")
        asking.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(json.loads(asking.answer())["replays"], 3)
        program.end()
        self.assertEqual((self.replays("asked.csv"), self.replays("out.csv")), ([0, 1, 2], [1]))

    def test_one_who_dies_leaves_what_was_recorded(self):
        program = self.program()
        asking = self.begin(program, "asked.csv")
        program.do("launch 2")
        asking.close()
        until(lambda: self.status(program)["recordings"] == 0)
        self.assertEqual(self.replays("asked.csv"), [0, 1])

    def test_a_program_that_ends_meanwhile(self):
        program = self.program()
        asking = self.begin(program, "asked.csv")
        program.do("launch 2")
        self.assertEqual(program.end(), (7, ""))
        self.assertEqual(asking.answer(), b"")
        self.assertEqual(self.replays("asked.csv"), [0, 1])

    def test_nothing_and_mistakes(self):
        program = self.program()
        self.refused(1, "nothing was recorded in that time, so no file is written",
                     "attach", program.pid, "record", "--for", "1ms", "-o", "empty.json")  # fmt: skip
        self.assertFalse(os.path.exists(os.path.join(self.folder, "empty.json")))
        self.refused(1, r"'table' has no path", "attach", program.pid, "record", "-o", "table")
        self.refused(1, r"x\.abc': must be", "attach", program.pid, "record", "-o", "x.abc")

    def test_files_are_looked_at_before_anything_is_recorded(self):
        kept = (("notes.csv", b"mine", "would overwrite a file that is nothing that graphprof wrote there; name another file, or add --force"),
                ("run.csv", b"\x89GPF\r\n\x1a\n", "would overwrite a recording; name another file, or add --force"))
        for name, text, _ in kept:
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(text)
        program = self.program()
        ask = ("attach", program.pid, "record", "--for", "1h", "-o")
        self.refused(1, r"none/x\.csv': the folder \S+/none does not exist; make it first", *ask, "none/x.csv")
        for name, text, why in kept:
            self.refused(1, why, *ask, name)
            with open(os.path.join(self.folder, name), "rb") as file:
                self.assertEqual(file.read(), text)
        status = self.status(program)
        self.assertEqual((status["recordings"], status["recording"], set(status["losses"].values())), (0, False, {0}))
        recording = subprocess.Popen(
            [GRAPHPROF, "attach", str(program.pid), "record", "--force", "--for", "1h", "-o", "notes.csv"],
            env=self.environment, cwd=self.folder, text=True, stdout=subprocess.PIPE,
        )  # fmt: skip
        until(lambda: self.status(program)["recordings"] == 1)
        program.do("launch 2")
        recording.send_signal(signal.SIGINT)
        recording.communicate(timeout=PATIENCE)
        self.assertEqual(self.replays("notes.csv"), [0, 1])


class Where(Control):
    """A kernel of NCCL's does not end (stuck): the simulation holds it."""

    def stuck(self, kernels, *options, held="", **environment):
        program = self.program(*options, **{"GRAPHPROF_OUTPUT": "out.csv", "GRAPHPROF_EXIT_TIMEOUT": "0"} | environment)
        program.do(f"stuck {kernels} {held}".rstrip())
        return program

    # Stamps of long graphs are in the device's memory (StampLayout.h).
    def test_what_began_and_did_not_end(self):
        for kernels in (5, 80):
            with self.subTest(kernels):
                program = self.stuck(kernels)
                text = self.done("attach", program.pid, "where")
                self.assertRegex(text, rf"\Aprocess {program.pid}, preload-obeying on [^\n]+: 1 exec has replays in flight\n"
                                       r"graph 2, exec 2, replay 0, device 0, stream \d+: launched [^\n]+ ago, 20[^\n]+ UTC\n"
                                       r"  began \S+ ago, no end seen: kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL, in reduce\n"
                                       r"    NCCL's AllReduce: it ends when all ranks of its communicator have come\n"
                                       rf"    {kernels - 3} nodes behind it: kernel mill, ...\n"
                                       r"  ended last, \S+ ago: kernel mill\n"
                                       rf"  2 of {kernels} nodes seen to end\n\Z")  # fmt: skip
                (replay,) = json.loads(self.done("attach", program.pid, "where", "--json"))["replays"]
                (open_work,) = replay["open"]
                self.assertEqual((open_work["name"], open_work["within"], open_work["begun"]), ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", ["reduce"], True))
                self.assertEqual((replay["ended"], replay["stamped"]), (2, kernels))
                program.do("release")
                until(lambda: "no recorded replay is in flight\n" in self.done("attach", program.pid, "where"))
                self.assertEqual(program.end(), (7, "graphprof: wrote out.csv\n"))
                self.assertEqual([row["name"] for row in self.rows() if row["kind"] == "kernel"].count("mill"), kernels - 1)
                os.remove(os.path.join(self.folder, "out.csv"))

    def test_ranks_side_by_side(self):
        files = []
        for rank, held in (("0", ""), ("1", "mill")): # rank 1 stays in front of the collective
            program = self.stuck(5, held=held, RANK=rank, WORLD_SIZE="2", GRAPHPROF_OUTPUT=f"out{rank}.csv")
            files.append(os.path.join(self.folder, f"where-{rank}.json"))
            with open(files[-1], "w") as file:
                file.write(self.done("attach", program.pid, "where", "--json"))
        text = self.done("merge", *files)
        self.assertRegex(text, r"\nrank 0 waits in AllReduce, for up to \S+, replay 0: kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL, in reduce\n")
        self.assertRegex(text, r"\nrank 1, preload-obeying \(pid \d+\) on \S+: in kernel mill")
        self.assertTrue(text.endswith("\nrank 1 did not arrive, as far as the answers tell: look there first\n"), text)

    def test_later_launches_wait(self):
        program = self.stuck(5)
        program.do("stuck 4")
        text = self.done("attach", program.pid, "where")
        self.assertIn(": 2 execs have replays in flight\n", text)
        self.assertRegex(text, r"(?m)^graph 3, exec 3, replay 0, [^\n]+\n  it has not begun on the device$")

    def test_regions_without_nodes(self):
        program = self.stuck(5, "--no-nodes")
        text = self.done("attach", program.pid, "where")
        self.assertRegex(text, r"(?m)^  (began|may have begun, as what it waits for ended) \S+ ago[^\n]*: region reduce$")
        self.assertRegex(text, r"(?m)^  0 of 1 region seen to end$")

    def test_what_was_not_recorded_cannot_be_seen(self):
        program = self.program(GRAPHPROF_OUTPUT="")
        program.do("stuck 5")
        text = self.done("attach", program.pid, "where")
        self.assertRegex(text, r": no recorded replay is in flight\n1 launch was not recorded, so cannot be seen\n\Z")

    def test_events_tell_nothing(self):
        program = self.stuck(5, GRAPHPROF_CLOCK="event")
        text = self.done("attach", program.pid, "where")
        self.assertIn("\n  it is timed with events, which tell nothing before it has ended\n", text)

    def test_it_is_said_once_without_being_asked(self):
        program = self.stuck(5, "--stuck", "50ms")
        time.sleep(0.5)
        program.do("release")
        status, said = program.end()
        self.assertEqual(status, 7)
        self.assertEqual(said.count("graphprof: a replay has been in flight for longer than GRAPHPROF_STUCK: process "), 1, said)
        self.assertEqual(said.count("no end seen: kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL, in reduce\n"), 1, said)

    def test_nothing_is_said_of_what_ends_in_time(self):
        program = self.program("--stuck=1h", GRAPHPROF_OUTPUT="out.csv")
        program.do("launch 3")
        self.assertEqual(program.end(), (7, "graphprof: wrote out.csv\n"))

    def test_it_is_said_when_a_signal_ends_the_process(self):
        for kernels in (5, 80):
            with self.subTest(kernels):
                program = self.stuck(kernels)
                os.kill(program.pid, signal.SIGTERM)
                status, said = program.end()
                self.assertEqual(status, -signal.SIGTERM)
                self.assertEqual(said.count("graphprof: the process ends while replays are in flight: process "), 1, said)
                self.assertIn("no end seen: kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL, in reduce\n", said)

    def test_a_wrong_time_is_refused(self):
        program = self.program(GRAPHPROF_STUCK="soon")
        _, said = program.end()
        self.assertIn("GRAPHPROF_STUCK=soon: must be a time, such as 30s, 500ms or 2m; using none", said)


class Windows(Control):
    def recorded(self, window, *lines):
        program = self.program("--window", window, GRAPHPROF_OUTPUT="out.csv")
        program.do(*lines)
        status, said = program.end()
        self.assertEqual(status, 7)
        return self.replays(), said.replace("graphprof: wrote out.csv\n", "")

    def test_cuda_profiler(self):
        recorded = self.recorded("cuda-profiler", "launch 2", "profiler 1", "profiler 1", "launch 2", "profiler 0", "launch 2",
                                 "profiler 1", "launch 1")  # fmt: skip
        self.assertEqual(recorded, ([2, 3, 6], ""))

    def test_a_window_that_nothing_opens_is_said(self):
        replays, said = self.recorded("cuda-profiler", "launch 2", "push decode", "launch 1", "pop")
        self.assertEqual(replays, [])
        self.assertIn("GRAPHPROF_WINDOW: no window was opened, so nothing was recorded: the program did not call cudaProfilerStart", said)

    def test_an_nvtx_range_of_a_thread(self):
        recorded = self.recorded("nvtx=decode*", "push prefill", "launch 1", "push decode 1", "launch 1", "push decode 2", "pop",
                                 "launch 1", "pop", "launch 1", "pop", "launch 1")  # fmt: skip
        self.assertEqual(recorded, ([1, 2], ""))

    def test_nvtx_start_end_range(self):
        """An NVTX range that is started and ended."""
        recorded = self.recorded("nvtx=step", "begin other", "launch 1", "end", "begin step", "launch 2", "end", "end", "launch 1")
        self.assertEqual(recorded, ([1, 2], ""))

    def test_so_many_replays_after_so_many_launches(self):
        self.assertEqual(self.recorded("skip=3,replays=2", "launch 10"), ([3, 4], ""))
        os.remove(os.path.join(self.folder, "out.csv"))
        self.assertEqual(self.recorded("skip=3,replays=2,repeat=2", "launch 20"), ([3, 4, 8, 9], ""))
        os.remove(os.path.join(self.folder, "out.csv"))
        recorded = self.recorded("cuda-profiler,skip=1,replays=2", "launch 1", "profiler 1", "launch 4", "profiler 0", "profiler 1", "launch 2")
        self.assertEqual(recorded, ([2, 3, 6], ""))

    def test_seconds(self):
        program = self.program("--window", "after=0.05,seconds=0.1,repeat=2", GRAPHPROF_OUTPUT="out.csv")
        windows = lambda: self.status(program)["window"]  # noqa: E731
        until(lambda: windows()["windows"] == 2 and not windows()["open"])
        program.do("launch 3")
        program.end()
        self.assertEqual(self.replays(), [])

    def test_a_signal(self):
        program = self.program("--window", "signal=USR2", GRAPHPROF_OUTPUT="out.csv")
        is_open = lambda: self.status(program)["window"]["open"]  # noqa: E731
        program.do("launch 1")
        os.kill(program.pid, signal.SIGUSR2)
        until(is_open)
        program.do("launch 1")
        os.kill(program.pid, signal.SIGUSR2)
        until(lambda: not is_open())
        program.do("launch 1")
        self.assertEqual(program.end()[0], 7)
        self.assertEqual(self.replays(), [1])

    def test_by_attach(self):
        program = self.program("--window", "attach", GRAPHPROF_OUTPUT="out.csv")
        program.do("launch 1")
        self.done("attach", program.pid, "start")
        program.do("launch 1")
        self.done("attach", program.pid, "stop")
        program.do("launch 1")
        self.assertEqual(self.status(program)["window"], {"opener": "attach", "open": False, "windows": 1})
        self.assertTrue(self.status(program)["permitted"])
        program.end()
        self.assertEqual(self.replays(), [1])

    def test_the_default_table_is_of_the_windows(self):
        self.environment.pop("GRAPHPROF_OUTPUT")
        program = self.program("--window", "skip=2,replays=3")
        program.do("launch 9")
        self.assertIn("\n3 replays of 1 exec of 1 graph", program.end()[1])

    def test_mistakes(self):
        for window, text in (
            ("profiler", r"'profiler' must be one of cuda-profiler, nvtx, signal, attach, after, skip, replays, seconds, repeat"),
            ("replay=3", r"'replay=3' must be one of .* \(did you mean replays\?\)"),
            ("signal=KILL", "'signal=KILL' must be USR1 or USR2"),
            ("seconds=0", "'seconds=0' must be a number of seconds above 0"),
            ("skip=1,skip=2", "'skip' must be given once"),
            ("nvtx=a,cuda-profiler", "'cuda-profiler' must be the only one of"),
            ("nvtx", "'nvtx' must be nvtx=VALUE"),
            ("repeat=3", "'repeat' must come with seconds or replays"),
        ):
            with self.subTest(window):
                program = self.program(GRAPHPROF_WINDOW=window)
                status, said = program.end()
                self.assertEqual(status, 7)
                self.assertRegex(said, rf"graphprof: GRAPHPROF_WINDOW={re.escape(window)}: {text}.*; using no window: everything is recorded\n")
        program = self.program(GRAPHPROF_WINDOW="attach", GRAPHPROF_SCHEDULE="active=1")
        self.assertIn("must be without GRAPHPROF_SCHEDULE; using the schedule alone", program.end()[1])


class Harmless(Control):
    """Nothing that comes over the socket, and nothing that the program does, harms the program."""

    def assert_answers(self, program):
        self.assertEqual(self.connect(program).ask(command="status")["pid"], program.pid)

    def test_nobody_else_may_enter(self):
        program = self.program()
        folder = os.path.dirname(self.socket_of(program))
        self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
        self.assertEqual(stat.S_IMODE(os.stat(self.socket_of(program)).st_mode), 0o600)
        if os.geteuid() != 0:
            self.skipTest("only root can be another user")
        # Even if the files let them in.
        for path, mode in ((self.folder, 0o755), (self.runtime, 0o755), (folder, 0o755), (self.socket_of(program), 0o666)):
            os.chmod(path, mode)
        child = os.fork()
        if child == 0:  # the number of bytes that another user gets, or 101
            status = 101
            with contextlib.suppress(BaseException):
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
                asking = Asking(self.socket_of(program))
                status = 0
                asking.send({"command": "status"})
                status = len(asking.answer())
            os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        os.chmod(folder, 0o700)
        self.assert_answers(program)

    def test_open_folder_is_not_used(self):
        """A folder that others may enter is not used."""
        os.mkdir(os.path.join(self.runtime, "graphprof"))
        os.chmod(os.path.join(self.runtime, "graphprof"), 0o755)
        program = self.program()
        self.addCleanup(lambda: [os.remove(path) for path in made if os.path.exists(path)])
        made = [f"{folder}/{program.pid}.sock" for folder in (f"/run/user/{os.geteuid()}/graphprof", f"/tmp/graphprof-{os.geteuid()}")]
        self.assertEqual(os.listdir(os.path.join(self.runtime, "graphprof")), [])
        self.assertEqual(len([path for path in made if os.path.exists(path)]), 1, "the next folder")
        self.assertEqual(self.status(program)["pid"], program.pid)

    def test_garbage(self):
        program = self.program()
        deep = b"[" * 60_000 + b"\n"
        for garbage in (b"GET / HTTP/1.0\r\n\r\n", b"\0\xff\n", b"[]\n", b"17\n", b'"status"\n', deep, b"\n"):
            with self.subTest(garbage[:20]):
                asking = self.connect(program)
                asking.send(garbage)
                self.assertIn(b"a request is a JSON object on a line", asking.answer())
                self.assertEqual(asking.answer(), b"", "the connection ends")
        asking = self.connect(program)
        for request, text in (
            ({"command": "statsu"}, "unknown command 'statsu' (did you mean status?)"),
            ({"command": 3}, "unknown command ''"),
            ({"command": "record", "seconds": "1", "output": "x"}, "record needs 'seconds'"),
            ({"command": "record", "seconds": 1e300, "output": "x"}, "record needs 'seconds'"),
            ({"command": "budget", "price": "much"}, "budget needs 'price'"),
        ):
            self.assertIn(text, asking.ask(**request)["error"])
        endless = self.connect(program)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            endless.send(b"x" * 1_000_000)
            endless.answer()
        self.assert_answers(program)
        program.do("launch 1")
        self.assertEqual(program.end(), (7, ""))

    def test_floods_and_slow_readers(self):
        program = self.program()
        flooding = [self.connect(program) for _ in range(8)]
        for each in flooding:
            each.socket.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                for _ in range(10_000):
                    each.socket.send(b'{"command":"metrics"}\n' * 100)
        self.assert_answers(program)
        program.do("launch 5")
        self.assert_answers(program)
        self.assertEqual(program.end(), (7, ""))

    def test_too_many(self):
        program = self.program()
        held = [self.connect(program) for _ in range(16)]
        for each in held:
            self.assertTrue(each.ask(command="status")["ok"])
        self.assertIn(b"too many are connected", self.connect(program).answer())
        held.pop().close()
        until(lambda: self.graphprof("attach", program.pid, "status").returncode == 0)

    def test_the_file_goes_with_the_program(self):
        for last in (None, "leave"):
            program = self.program()
            self.assertTrue(os.path.exists(self.socket_of(program)))
            if last:
                program.tell(last)
            program.end()
            self.assertFalse(os.path.exists(self.socket_of(program)))

    # A program that is killed leaves a file, which ps removes.
    def test_ps_removes_a_dead_programs_file(self):
        program = self.program()
        program.tell("crash")
        program.end()
        self.assertTrue(os.path.exists(self.socket_of(program)))
        self.refused(1, "no process of yours can be reached", "ps")
        self.assertFalse(os.path.exists(self.socket_of(program)))

    def test_child_drops_its_parents_connections(self):
        """A child does not keep its parent's connections."""
        program = self.program()
        watching = self.connect(program)
        self.assertTrue(watching.ask(command="metrics")["ok"])
        child = int(program.do("fork").split()[0])
        self.addCleanup(lambda: os.kill(child, signal.SIGKILL))
        program.tell("crash")
        program.process.wait(PATIENCE)
        self.assertEqual(watching.answer(), b"")
        refused = self.graphprof("attach", program.pid, "status")
        self.assertEqual(refused.returncode, 1)
        self.assertFalse(os.path.exists(self.socket_of(program)))

    def test_a_program_that_replaces_itself(self):
        program = self.program()
        program.do("launch 2", "exec", "launch 1")
        self.assertEqual(self.status(program)["launches"], 1)

    def test_program_closes_unknown_descriptors(self):
        """A program that closes what it does not know."""
        program = self.program()
        before = self.connect(program)
        self.assertTrue(before.ask(command="status")["ok"])
        program.do("close")
        until(lambda: self.graphprof("attach", program.pid, "status").returncode == 0)
        program.do("launch 1")
        self.assertEqual(program.end(), (7, ""))


class Sums(Control):
    def test_they_are_kept_only_while_somebody_listens(self):
        program = self.program()
        program.do("launch 3")
        watching = self.connect(program)
        self.assertEqual(watching.ask(command="metrics")["regions"], [])
        program.do("launch 5")
        self.done("attach", program.pid, "flush")
        sums = watching.ask(command="metrics")
        self.assertEqual(sums["status"]["launches"], 8)
        self.assertEqual(sums["launches"], [{"graph": 1, "count": 8}])
        (graph,) = sums["graphs"]
        self.assertEqual((graph["graph"], graph["count"] + graph["cold"]), (1, 5))
        self.assertGreater(graph["p50_ns"], 0)
        self.assertGreaterEqual(graph["p95_ns"], graph["p50_ns"])
        # Both layers are one place; the copy in them is another.
        self.assertEqual([region["path"] for region in sums["regions"]], ["layer {}", "layer {}/Memcpy HtoD (Pageable -> Device)"])
        for region in sums["regions"]:
            self.assertEqual(region["count"] + region["cold"], 10)
            self.assertGreater(region["p99_ns"], 0)
            self.assertGreater(region["median_ns"], 0)
            self.assertAlmostEqual(region["share_percent"], 100, delta=0.1)
        watching.close()
        until(lambda: self.status(program)["watchers"] == 0)
        self.assertFalse(self.status(program)["recording"])
        program.do("launch 1")
        self.assertEqual(program.end(), (7, ""))

    def test_in_windows_they_are_of_the_windows(self):
        program = self.program("--window", "cuda-profiler")
        watching = self.connect(program)
        watching.ask(command="metrics")
        program.do("launch 3", "profiler 1", "launch 2", "profiler 0", "launch 3")
        self.done("attach", program.pid, "flush")
        (graph,) = watching.ask(command="metrics")["graphs"]
        self.assertEqual(graph["count"] + graph["cold"], 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
