#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# command_test.py GRAPHPROF DRIVER PROGRAMS: the command graphprof.

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import preload_test

GRAPHPROF, DRIVER, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:4])

OLD_DRIVER = """
int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { *version = 12020; return 0; }
int cuDeviceGetCount(int *count) { *count = 0; return 0; }
int cuGraphLaunch(void *exec, void *stream) { return exec == stream ? 0 : 1; }
"""
OF_OLD_DRIVER = """
#include <dlfcn.h>
int main(void) {
  int (*launch)(void *, void *) = (int (*)(void *, void *))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGraphLaunch");
  return launch(0, 0) == 0 && launch(&launch, 0) == 1 ? 9 : 1;
}
"""


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def graphprof(self, *arguments, **options):
        plain = {key: value for key, value in os.environ.items() if not key.startswith(("GRAPHPROF_", "LD_"))}
        environment = plain | {"LD_LIBRARY_PATH": DRIVER} | options.pop("environment", {})
        return subprocess.run(
            [GRAPHPROF, *arguments], env=environment, cwd=self.folder, capture_output=True, text=True, timeout=60, **options
        )

    def run_program(self, *arguments, **options):
        return self.graphprof("run", *arguments, **options)

    def program(self, name):
        return os.path.join(PROGRAMS, f"preload-{name}")

    def file(self, name, text, mode=0o755):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
        os.chmod(path, mode)
        return path

    # What is not run gets a line that names it, on stderr alone.
    def assert_refused(self, result, status, text):
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertRegex(result.stderr, rf"\Agraphprof run: .*{text}.*\n\Z")


class Run(Command):
    # Every node is in a table, and the status is the program's own.
    def test_every_node_is_in_the_table(self):
        result = self.run_program("--", self.program("linked"))
        self.assertEqual((result.returncode, result.stdout), (7, "what was copied\n"))
        self.assertRegex(result.stderr, r"\Agraphprof: time of each region\n")
        self.assertRegex(result.stderr, r"\nMemcpy HtoD \(Pageable -> Device\) +2 ")
        self.assertRegex(result.stderr, r"\n *3 replays of 1 exec of 1 graph")

    def test_children_too(self):
        for ending in ("fork", "exec", "forkexit"):
            self.assertIn("3 replays", self.run_program(self.program("finding"), "proc2", ending).stderr)

    def test_run_passes_the_programs_surroundings(self):
        """Input, output, arguments and environment are the program's."""
        script = 'cat; printf "%s|" "$@"; echo "$MINE"; exit 4'
        result = self.run_program(
            "--", "sh", "-c", script, "sh", "a b", "--nodes", "", input="from stdin\n", environment={"MINE": "set"}
        )
        self.assertEqual((result.returncode, result.stdout, result.stderr), (4, "from stdin\na b|--nodes||set\n", ""))

    def test_a_signal_is_the_programs(self):
        self.assertEqual(self.run_program("sh", "-c", "kill -TERM $$").returncode, -signal.SIGTERM)

    def test_it_becomes_the_program(self):
        process = subprocess.Popen([GRAPHPROF, "run", "sh", "-c", "echo $$"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(int(process.communicate()[0]), process.pid)

    def test_each_option_sets_its_variable(self):
        show = ["--", "sh", "-c", "env | grep ^GRAPHPROF_ | grep -v RUN | sort | tr '\\n' ' '"]
        for options, expected in (
            ([], "GRAPHPROF_CONTROL=1 GRAPHPROF_NODES=1 "),
            (["--no-nodes", "--no-control"], "GRAPHPROF_CONTROL=0 GRAPHPROF_NODES=0 "),
            (["-o", "table,x.json"], "GRAPHPROF_CONTROL=1 GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=table,x.json "),
            (["--memory", "--host-spans", "--clock=event"],
             "GRAPHPROF_CLOCK=event GRAPHPROF_CONTROL=1 GRAPHPROF_HOST_SPANS=1 GRAPHPROF_MEMORY=1 GRAPHPROF_NODES=1 "),
            (["--schedule", "wait=1,active=2", "--step", "launches"],
             "GRAPHPROF_CONTROL=1 GRAPHPROF_NODES=1 GRAPHPROF_SCHEDULE=wait=1,active=2 GRAPHPROF_STEP=launches "),
            (["--max-execs", "100"], "GRAPHPROF_CONTROL=1 GRAPHPROF_MAX_EXECS=100 GRAPHPROF_NODES=1 "),
            (["--window", "skip=3"], "GRAPHPROF_CONTROL=1 GRAPHPROF_NODES=1 GRAPHPROF_WINDOW=skip=3 "),
        ):
            with self.subTest(options):
                self.assertEqual(self.run_program(*options, *show).stdout, expected)
        kept = self.run_program(*show, environment={"GRAPHPROF_NODES": "0", "GRAPHPROF_MEMORY": "1"}).stdout
        self.assertEqual(kept, "GRAPHPROF_CONTROL=1 GRAPHPROF_MEMORY=1 GRAPHPROF_NODES=0 ")

    def ranges(self, *options, program_arguments=(), **environment):
        program = self.program("ranges")
        if not os.path.exists(program):
            self.skipTest("built without NVTX")
        result = self.run_program("--no-nodes", "-o", "out.csv,out.jsonl", "--host-spans", *options, "--", program, *program_arguments, environment=environment)
        self.assertEqual((result.returncode, result.stdout), (7, "what was copied\n"))
        rows = []
        if os.path.exists(os.path.join(self.folder, "out.csv")):
            with open(os.path.join(self.folder, "out.csv"), newline="") as file:
                rows = list(csv.DictReader(file))
        self.rows = rows
        regions = [(row["path"], row["depth"]) for row in rows if row["kind"] == "region" and row["replay"] == "1"]
        return regions, preload_test.without_files(result.stderr)

    # A push and pop range in a capture is a region of it: of every domain, by whatever kind of text, nested as they are.
    def test_nvtx_ranges_in_a_capture_are_regions(self):
        regions, said = self.ranges()
        self.assertEqual(
            regions,
            [
                ("layer {0}", "0"),
                ("layer {0}/copy in", "1"),
                ("layer {0}/registered", "1"),
                ("layer {0}/wid\u00e9", "1"),
                ("layer {0}/no \ufffd UTF-8", "1"),
            ],
        )
        self.assertEqual(said, "graphprof: NVTX: ignored a pop: this thread has no open range\n")

    # Of a range with a start and an end, and of a mark, too. What never ended is not shown, what ends twice once.
    def test_uncaptured_nvtx_ranges_are_host_ranges(self):
        """NVTX ranges outside of captures are the host's."""
        self.ranges()
        with open(os.path.join(self.folder, "out.jsonl")) as file:
            spans = [json.loads(line) for line in file]
        names = sorted((span["kind"], span["name"]) for span in spans if span.get("kind") in ("range", "mark"))
        self.assertEqual(
            names, [("mark", "marked"), ("mark", "registered"), ("range", "outside"), ("range", "registered"), ("range", "started")]
        )

    # Of the thread that pushed it, until it is popped. The text is no format, and a range without a name names nothing.
    def test_nvtx_ranges_name_graphs(self):
        self.ranges(program_arguments=["graphs"])
        self.assertEqual([(row["replay"], row["graph_name"]) for row in self.rows if row["path"] == "copy"],
                         [("0", "decode {batch}=8"), ("1", "once"), ("2", "decode {batch}=8")])

    def test_nvtx_ranges_that_are_never_popped(self):
        _, said = self.ranges(program_arguments=["unpopped"])
        self.assertEqual(said.count("NVTX: more than 10000 different names; further ranges are shown as [more than 10000 NVTX names]"), 1, said)

    def recapturing(self, way, *options, **environment):
        """The program's output, the names of its regions, and what was said."""
        program = self.program("recapturing")
        if not os.path.exists(program):
            self.skipTest("built without NVTX")
        plain = {key: value for key, value in os.environ.items() if not key.startswith(("GRAPHPROF_", "LD_"))}
        alone = subprocess.run([program, way], env=plain | {"LD_LIBRARY_PATH": DRIVER} | environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(alone.returncode, 7, alone.stdout)
        result = self.run_program(*options, "-o", "out.csv", "--", program, way, environment=environment)
        self.assertEqual((result.returncode, result.stdout), (7, alone.stdout), result.stderr)
        with open(os.path.join(self.folder, "out.csv"), newline="") as file:
            regions = [row["name"] for row in csv.DictReader(file) if row["kind"] == "region"]
        return alone.stdout, regions, result.stderr

    # CUDA refuses to capture a graph once more that holds nodes of graphprof's, and would leave it undefined.
    def test_graphs_that_are_captured_once_more(self):
        for way in "early", "late":
            with self.subTest(way):
                printed, regions, said = self.recapturing(way)
                self.assertEqual(printed, "the graph again, 2 nodes\nreleased\n")
                self.assertEqual(regions, [])
                self.assertIn("set GRAPHPROF_IN_PLACE=1", said)

    def test_memory_nodes_of_a_program_that_captures_no_graph_once_more(self):
        self.assertEqual(self.recapturing("never", "--in-place")[:2], ("released\n", ["memory", "memory"]))
        self.assertEqual(self.recapturing("late", CUDASIM_VERSION="13.2")[:2], ("released\n", ["memory", "memory"]))

    # Nobody tells when the list of a graphics API runs, so what is launched into it has no time.
    def test_graph_in_a_command_list(self):
        program = self.program("command_list")
        result = self.run_program("-o", "out.csv,table:table", "--", program)
        self.assertEqual((result.returncode, result.stdout), (7, "1\n2\n1\n"), result.stderr)
        with open(os.path.join(self.folder, "out.csv"), newline="") as file:
            timed = [(row["graph"], row["name"]) for row in csv.DictReader(file) if row["kind"] == "memset"]
        self.assertEqual(timed, [("1", "Memset (Device)")] * 2)
        with open(os.path.join(self.folder, "table")) as file:
            self.assertIn("1 launch untimed although recording", file.read())
        self.assertIn("a stream is captured into a command list of a graphics API", result.stderr)

    # The child is timed as any other process, unless ranges of its parent were recorded.
    def test_nvtx_ranges_of_parent_and_child(self):
        """NVTX ranges in a parent and in its child."""
        if not os.path.exists(self.program("ranges")):
            self.skipTest("built without NVTX")
        for options in [], ["--host-spans"]:
            with self.subTest(options):
                result = self.run_program(*options, "-o", "{pid}.jsonl", "--", self.program("ranges"), "fork")
                self.assertEqual((result.returncode, result.stdout), (7, "what was copied\n"), result.stderr)
                [name] = [name for name in os.listdir(self.folder) if name.endswith(".jsonl")]
                with open(os.path.join(self.folder, name)) as file:
                    text = file.read()
                os.remove(os.path.join(self.folder, name))
                self.assertEqual('"copy in"' in text, not options)

    # Another thread's work is in the ranges of the thread that began the capture, and in its own from where it joins the capture.
    def test_nvtx_ranges_of_a_joining_thread(self):
        """NVTX ranges of a thread that joins a capture."""
        self.assertEqual(
            self.ranges(program_arguments=["joined"]),
            ([("step", "0"), ("step/worker", "1"), ("step/worker/inner", "2"), ("step/worker/again", "2")], ""),
        )
        self.ranges("--nodes", program_arguments=["joined"])
        copies = [row["path"].rsplit("/", 1)[0] for row in self.rows if row["kind"] == "memcpy" and row["replay"] == "1"]
        self.assertEqual(copies, ["step", "step/worker", "step/worker/inner", "step/worker/again"])

    # Who adds in another thread's stream is seen by what it adds. A thread that adds nothing has no region, nor a range without work.
    def test_nvtx_ranges_in_another_threads_stream(self):
        self.assertEqual(self.ranges("--nodes", program_arguments=["lent"])[1], "")
        rows = [row for row in self.rows if row["replay"] == "1"]
        step = lambda *names: "/".join(("step",) + names)
        self.assertEqual(
            [row["path"].split("/Mem")[0] for row in rows],
            [
                step(),
                step(),
                step("backward"),
                step("backward", "first"),
                step("backward", "first"),
                step("backward", "first"),
                step("backward", "second"),
                step("backward", "second"),
                step("after"),
                step(),
            ],
        )
        times = {row["path"]: row["duration_ns"] and int(row["duration_ns"]) for row in rows if row["kind"] == "region"}
        self.assertEqual(times["step/after"], "")
        self.assertLess(times["step/backward/second"], times["step/backward/first"])
        self.assertLess(times["step/backward/first"], times["step/backward"])
        self.assertLess(times["step/backward"], times["step"])

    # Which of them added a node is not known, so neither has a time; what each did alone has one.
    def test_nvtx_ranges_of_two_adding_threads(self):
        """NVTX ranges of two threads that add at once."""
        _, said = self.ranges(program_arguments=["mixed"])
        self.assertIn("several threads added to the capture in ranges of their own at once", said)
        times = {row["path"]: row["duration_ns"] for row in self.rows if row["replay"] == "1"}
        self.assertEqual({path: bool(time) for path, time in times.items()}, {"step": True, "step/alone": True, "step/one": False, "step/other": False})

    # It lasts from the begin of the first copy in it to the end of the last, in whatever stream they are. Without any, it has no time.
    def test_nvtx_ranges_over_several_streams(self):
        self.assertEqual(self.ranges("--nodes", program_arguments=["streams"])[1], "")
        rows = [row for row in self.rows if row["replay"] == "1"]
        self.assertEqual([row["path"].split("/Mem")[0] for row in rows], ["side", "side", "both", "both/empty", "both", "both"])
        side, itsCopy, both, empty, short, long = [row["duration_ns"] and int(row["duration_ns"]) for row in rows]
        self.assertEqual(side, itsCopy)
        self.assertEqual(both, max(short, long))
        self.assertLess(0, min(short, long))
        self.assertEqual(empty, "")

    # A thread joins a capture with a stream, and then destroys the stream.
    # Nothing asks about its handle any more.
    def test_a_destroyed_stream_that_joined_a_capture(self):
        program = self.program("ranges")
        if not os.path.exists(program):
            self.skipTest("built without NVTX")
        result = self.run_program("-o", "out.csv", "--", program, "destroyed")
        self.assertEqual((result.returncode, result.stdout), (7, "901\n"))
        self.assertRegex(result.stderr, "a capture with regions failed")

    # It is a region of a capture from where it is pushed to where it is popped or the capture ends, in all streams of the capture.
    # A range that was open before is the host's alone.
    def test_nvtx_ranges_across_capture_edges(self):
        """NVTX ranges across the edges of a capture."""
        said = self.ranges("--nodes", program_arguments=["edges"])[1]
        self.assertEqual(said, "")
        self.assertEqual(
            [(row["kind"], row["path"].split("/")[0]) for row in self.rows],
            [
                ("memcpy", "Memcpy HtoD (Pageable -> Device)"),
                ("region", "both streams"),
                ("memcpy", "both streams"),
                ("memcpy", "both streams"),
                ("region", "behind"),
                ("memcpy", "behind"),
            ],
        )
        self.assertTrue(all(row["duration_ns"] for row in self.rows), self.rows)
        with open(os.path.join(self.folder, "out.jsonl")) as file:
            spans = [json.loads(line) for line in file]
        self.assertEqual([span["name"] for span in spans if span.get("kind") == "range"], ["before"])

    # What graphprof itself tells to NVTX's tools is not the program's.
    def test_scopes_are_no_ranges_of_the_program(self):
        self.run_program("-o", "out.jsonl", "--host-spans", self.program("instrumented"))
        with open(os.path.join(self.folder, "out.jsonl")) as file:
            named = [line["type"] for line in map(json.loads, file) if line.get("name") == "copies"]
        self.assertEqual(sorted(named), ["host_span", "record", "record", "record"])

    def test_nvtx_ranges_by_name_and_by_domain(self):
        self.assertEqual(self.ranges("--regions", "layer*,copy*")[0], [("layer {0}", "0"), ("layer {0}/copy in", "1")])
        self.assertEqual(self.ranges("--domain", "mine")[0], [("registered", "0")])

    def test_another_tool_has_nvtx(self):
        regions, said = self.ranges(NVTX_INJECTION64_PATH="/some/tool.so")
        self.assertEqual(regions, [])
        self.assertIn("NVTX_INJECTION64_PATH sends them to /some/tool.so", said)

    def test_help_names_each_variable(self):
        said = self.run_program("--help")
        self.assertEqual(said.returncode, 0)
        for variable in ("OUTPUT", "NODES", "SCHEDULE", "STEP", "CLOCK", "HOST_SPANS", "MEMORY", "REGIONS", "DOMAINS", "MAX_EXECS"):
            self.assertIn(f"(GRAPHPROF_{variable}", said.stdout)

    def test_what_is_preloaded_already_stays(self):
        said = self.run_program("--", "sh", "-c", "echo $LD_PRELOAD", environment={"LD_PRELOAD": "libm.so.6"}).stdout
        self.assertRegex(said, r"\A/\S*/libgraphprof_preload\.so:libm\.so\.6\n\Z")

    def test_cuda_without_a_graph_is_said_once(self):
        result = self.run_program(self.program("finding"), "nothing")
        self.assertEqual(result.returncode, 6)
        self.assertEqual(
            result.stderr,
            "graphprof: nothing was recorded: the program uses CUDA, but no launch of a CUDA graph was seen in it or in a child\n",
        )

    def test_launching_child_is_noticed(self):
        """A child that launched a graph counts as something that was seen."""
        result = self.run_program(self.program("finding"), "nothing", "child")
        self.assertEqual(result.returncode, 6)
        self.assertIn("3 replays", result.stderr)
        self.assertNotIn("nothing was recorded", result.stderr)
        inner = self.run_program("sh", "-c", f"{self.program('finding')} nothing; exit 5")
        self.assertEqual((inner.returncode, inner.stderr), (5, ""))

    def test_mistakes_on_the_command_line(self):
        for arguments, text in (
            ([], "no program"),
            (["--"], "no program"),
            (["--bogus", "true"], "unknown option --bogus; see graphprof run --help"),
            (["--ouput=table", "true"], r"unknown option --ouput=table \(did you mean --output\?\); see graphprof run --help"),
            (["--no-ndoes", "true"], r"unknown option --no-ndoes \(did you mean --no-nodes\?\)"),
            (["--output"], "--output"),
        ):
            with self.subTest(arguments):
                self.assert_refused(self.run_program(*arguments), 125, text)

    def test_help_says_each_default_in_words(self):
        said = self.run_program("--help").stdout
        self.assertNotIn("{", said)
        for text in ("marked (by the program; the default), launches, or launches:GRAPH", "auto, stamp or event; auto by default",
                     "--nodes,--no-nodes  ", "--max-execs N "):
            self.assertIn(text, said)

    def test_a_misspelt_command_is_recognized(self):
        said = self.graphprof("convret")
        self.assertEqual((said.returncode, said.stderr.splitlines()[0]), (2, "graphprof: unknown command 'convret' (did you mean convert?)"))

    def test_programs_that_are_not_there(self):
        self.assert_refused(self.run_program("no-such-program"), 127, "no-such-program: no such program in the folders of PATH")
        self.assert_refused(self.run_program("./nothing"), 127, "./nothing: no such program")
        self.assert_refused(self.run_program("./\033[31m\u202e\u200b\n"), 127, r"\./\?\[31m\?\?\?: no such program")
        self.file("script", "#!/no/such/interpreter\n")
        self.assert_refused(self.run_program("./script"), 127, "/no/such/interpreter")

    def test_programs_that_cannot_be_executed(self):
        self.assert_refused(self.run_program("/tmp"), 126, "/tmp cannot be executed")
        self.file("data", "#!/bin/sh\n", 0o644)
        self.assert_refused(self.run_program("./data"), 126, "lacks the permission")
        self.file("script", f"#!{self.folder}/data\n")
        self.assert_refused(self.run_program("./script"), 126, "is a script for \\S+/data, which cannot be executed")
        self.file("garbage", b"\0\1\2\3")
        self.assert_refused(self.run_program("./garbage"), 126, "neither an ELF file nor a script")

    # None loses what it recorded to another one: one after the other, side by side, and where the process that began
    # first uses CUDA last. Another run replaces the files.
    def test_a_family_of_processes(self):
        outputs = {"run": ".csv", "trace": ".json", "all": ".gprof", "table": ".txt"}
        named = "run.csv,trace.json,all.gprof,table:table.txt"
        linked = self.program("linked")
        late = self.file("late.py", preload_test.REPLAY + f"""
import subprocess
for child in range(2): subprocess.run({[linked]!r})
replay()
""")
        forked = self.file("forked.py", preload_test.REPLAY + """
import os
for child in range(2):
    made = os.fork()
    if made == 0:
        replay()
        sys.exit()
    os.waitpid(made, 0)
replay()
""")
        for command, processes in (
            (("sh", "-c", f"{linked}; {linked}; {linked} & {linked} & wait"), 4),
            (("sh", "-c", f"{linked}; exec {linked}"), 2),
            (("sh", "-c", f"{linked}; {GRAPHPROF} run {linked}"), 2),
            ((sys.executable, late), 3),
            ((sys.executable, forked), 3),
            ((linked,), 1),
            ((linked,), 1),
        ):
            with self.subTest(command):
                self.run_program("-o", named, "--", *command)
                for begin, end in outputs.items():
                    files = [name for name in os.listdir(self.folder) if name.startswith(begin) and name.endswith(end)]
                    self.assertEqual(len(files), processes, files)
                    if processes > 1:
                        for name in files:
                            os.remove(os.path.join(self.folder, name))

    # A relative path is one from where the process began, although libgraphprof is loaded later.
    def test_a_program_that_changes_its_folder(self):
        os.mkdir(os.path.join(self.folder, "other"))
        program = self.file("moves.py", preload_test.REPLAY + "import os\nos.chdir('other')\nreplay()\n")
        self.run_program("-o", "run.csv", "--", sys.executable, program)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "run.csv")))
        self.assertEqual(os.listdir(os.path.join(self.folder, "other")), [])

    def test_scripts(self):
        self.file("plain", "echo plain; exit 3\n")
        self.file("sh", "#!/bin/sh\necho sh; exit 3\n")
        for script in ("plain", "sh"):
            result = self.run_program(f"./{script}")
            self.assertEqual((result.returncode, result.stdout), (3, f"{script}\n"))

    # The same as execvp does: without an interpreter it is sh that reads the file.
    def test_scripts_without_an_interpreter(self):
        for text, status in (("", 0), ("#!\n exit 3", 3), ("#! \nexit 3\n", 3), ("exit 3\n\0\1", 3)):
            with self.subTest(text):
                path = self.file("script", text)
                self.assertEqual(subprocess.run(["env", path]).returncode, status)
                result = self.run_program(path)
                self.assertEqual((result.returncode, result.stderr), (status, ""))

    # An empty folder in PATH is the working directory.
    def test_path_with_an_empty_folder(self):
        self.file("mine", "#!/bin/sh\nexit 3\n")
        for path in ("/bin:", ":/bin", "/bin::/usr/bin", ""):
            with self.subTest(path):
                result = self.run_program("mine", environment={"PATH": path})
                self.assertEqual((result.returncode, result.stderr), (3, ""))
        self.assert_refused(self.run_program("mine", environment={"PATH": "/bin"}), 127, "no such program")

    def compiled(self, *flags, text="int main(void) { return 9; }\n", name="compiled"):
        source = self.file("main.c", text, 0o644)
        path = os.path.join(self.folder, name)
        done = subprocess.run(["cc", source, "-o", path, *flags], capture_output=True, text=True)
        return path if done.returncode == 0 else self.skipTest(f"cc cannot {' '.join(flags)}")

    def test_a_static_program(self):
        self.assert_refused(self.run_program(self.compiled("-static")), 125, "linked statically")

    # A program of musl is refused, and so is one whose loader is missing.
    def test_programs_of_musl_or_without_loader(self):
        musl = self.compiled("-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1")
        self.assert_refused(self.run_program(musl), 125, "musl")
        missing = self.compiled("-Wl,--dynamic-linker=/lib/no-such-loader.so")
        self.assert_refused(self.run_program(missing), 127, "/lib/no-such-loader.so")

    def test_a_program_that_holds_graphprof(self):
        program = self.compiled(text="void graphprof_seam_launch(void) {}\nint main(void) { return 9; }\n")
        self.assert_refused(self.run_program(program), 125, "holds graphprof itself")
        subprocess.run(["strip", program], check=True)
        self.assertEqual(self.run_program(program).returncode, 9)

    def test_another_interposing_library(self):
        """Another library that stands in for the same."""
        other = self.compiled("-shared", "-fPIC", text="void *cuGraphLaunch(void) { return 0; }\n")
        result = self.run_program("--", "true", environment={"LD_PRELOAD": f"libm.so.6 {other}"})
        self.assertEqual(result.returncode, 0)
        self.assertIn(f"{other} (cuGraphLaunch), which is preloaded too", result.stderr)

    def test_no_driver(self):
        result = self.run_program("--", "sh", "-c", "exit 3", environment={"LD_LIBRARY_PATH": ""})
        if result.stderr:  # not on a machine with a GPU
            self.assertRegex(result.stderr, r"\Agraphprof run: no CUDA driver here \(libcuda\.so\.1: .*Install NVIDIA's driver, or try "
                                            r"graphprof sim run, which needs no GPU\n\Z")
        self.assertEqual(result.returncode, 3)

    # The program does with it what it does without graphprof, which says once that it cannot.
    def test_a_driver_that_is_too_old(self):
        self.compiled("-shared", "-fPIC", text=OLD_DRIVER, name="libcuda.so.1")
        program = self.compiled(text=OF_OLD_DRIVER)
        old = {"LD_LIBRARY_PATH": self.folder}
        result = self.run_program(program, environment=old)
        self.assertEqual(result.returncode, 9)
        self.assertRegex(
            result.stderr, r"\Agraphprof: the CUDA driver lacks \w+ \(graphprof needs CUDA 12\.3 or later\): CUDA graphs are not timed.*\n\Z"
        )
        info = self.graphprof("info", environment=old)
        self.assertEqual(info.returncode, 1)
        self.assertRegex(info.stdout, r"driver +CUDA 12\.2: too old, graphprof needs 12\.3 or later\n")

    def test_programs_for_other_machines(self):
        with open("/bin/true", "rb") as file:
            program = bytearray(file.read())
        self.file("foreign", bytes(program[:18] + b"\x16\0" + program[20:]))  # EM_S390
        self.assert_refused(self.run_program("./foreign"), 125, "another processor")
        program[4] = 1  # ELFCLASS32
        self.file("narrow", bytes(program))
        self.assert_refused(self.run_program("./narrow"), 125, "32 bits")
        self.file("cut", bytes(program[:4]))
        self.assertIn(self.run_program("./cut").returncode, (125, 126))

    def test_a_program_with_address_sanitizer(self):
        program = self.compiled("-fsanitize=address")
        needs = subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout
        if "libasan" not in needs:
            self.skipTest("its runtime is linked statically")
        self.assert_refused(self.run_program(program), 125, "verify_asan_link_order=0")

    @unittest.skipUnless(os.geteuid() == 0, "only root makes a program of another user")
    def test_a_program_that_gives_rights(self):
        program = os.path.join(self.folder, "setuid")
        shutil.copy("/bin/true", program)
        os.chown(program, 12345, 12345)
        os.chmod(program, 0o4755)
        self.assert_refused(self.run_program(program), 125, "setuid")


class Others(Command):
    def test_info(self):
        with_driver = self.graphprof("info", environment={"CUDA_INJECTION64_PATH": "/some/tool.so"})
        self.assertEqual((with_driver.returncode, with_driver.stderr), (0, ""))
        self.assertRegex(with_driver.stdout, r"driver +CUDA 13\.5\n")
        self.assertRegex(with_driver.stdout, r"device 0 +cudasim .* compute capability 9\.0")
        self.assertRegex(with_driver.stdout, r"timer +steps of 1 ns\n")
        self.assertRegex(with_driver.stdout, r"edges +launch completion, read \d+ ns behind a kernel's begin; completion, \d+ ns behind its end")
        completion = self.graphprof("info", environment={"GRAPHPROF_EDGES": "completion"}).stdout
        self.assertRegex(completion, r"edges +completion: GRAPHPROF_EDGES=completion\n")
        self.assertRegex(with_driver.stdout, r"CUDA_INJECTION64_PATH +/some/tool\.so\n")
        without = self.graphprof("info", environment={"LD_LIBRARY_PATH": ""})
        if "driver          none" in without.stdout:  # not on a machine with a GPU
            self.assertEqual(without.returncode, 1)
            self.assertIn("install NVIDIA's driver, or name its folder in LD_LIBRARY_PATH; without a GPU: graphprof sim\n", without.stdout)
        self.assertEqual(self.graphprof("info", "more").returncode, 2)

    def test_jupyter_is_the_python_packages(self):
        package = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../python")
        made = self.graphprof("jupyter", "install", "--prefix", self.folder, environment={"PYTHONPATH": package})
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        with open(os.path.join(self.folder, "share/jupyter/kernels/graphprof/kernel.json")) as file:
            self.assertEqual(json.load(file)["argv"][:2], [os.path.realpath(GRAPHPROF), "run"])
        without = self.graphprof("jupyter", "install", environment={"PYTHONPATH": self.folder})
        if without.returncode:  # not where the package is installed
            self.assertIn("this python3 has no package graphprof, which makes the kernel; install it (pip install graphprof)", without.stderr)
        self.assertIn("graphprof jupyter install", self.graphprof("--help").stdout)
        self.assertIn("usage: graphprof jupyter install", self.graphprof("jupyter", "--help").stdout)

    def test_convert_is_graphprof_convert(self):
        self.run_program("-o", "run.gprof", self.program("linked"))
        result = self.graphprof("convert", "run.gprof", "table")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("3 replays of 1 exec of 1 graph", result.stdout)
        wrong = self.graphprof("convert")
        self.assertEqual(wrong.returncode, 2)
        self.assertRegex(wrong.stderr, r"\Agraphprof convert: usage: graphprof convert FILE")

    def test_commands_that_are_not_there(self):
        for arguments in ((), ("frob",)):
            self.assertEqual(self.graphprof(*arguments).returncode, 2)
        self.assertRegex(self.graphprof("--version").stdout, r"\Agraphprof \d+\.\d+\.\d+\n\Z")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
