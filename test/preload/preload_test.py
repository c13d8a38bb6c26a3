#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# preload_test.py LIBRARIES DRIVER PROGRAMS: programs as they are, under libgraphprof_preload.so. Each of them replays a graph of
# two copies three times; its output and exit status are the same as without, and both nodes are in graphprof's output.

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

LIBRARIES, DRIVER, PROGRAMS = (os.path.abspath(folder) for folder in sys.argv[1:4])
PRELOAD = os.path.join(LIBRARIES, "libgraphprof_preload.so")
FAILED = range(90, 100)  # exit statuses of a program that lacks something, and that would be the same without graphprof
COPIES = ["Memcpy DtoD (Device -> Device)", "Memcpy HtoD (Pageable -> Device)"]

# By POSIX (IEEE Std 1003.1-2024, 2.4.3) and C (quick_exit): functions that a signal handler, and a forked child of a process with threads, may call.
SAFE_IN_HANDLERS = """
_Exit _Fork _exit abort accept access aio_error aio_return aio_suspend alarm bind cfgetispeed cfgetospeed cfsetispeed cfsetospeed
chdir chmod chown clock_gettime close connect creat dup dup2 dup3 execl execle execv execve faccessat fchdir fchmod fchmodat fchown
fchownat fcntl fdatasync fexecve ffs ffsl ffsll fork fstat fstatat fsync ftruncate futimens getegid geteuid getgid getgroups
getpeername getpgrp getpid getppid getsockname getsockopt getuid htonl htons kill killpg link linkat listen longjmp lseek lstat
memccpy memchr memcmp memcpy memmove memset mkdir mkdirat mkfifo mkfifoat mknod mknodat ntohl ntohs open openat pause pipe pipe2 poll
posix_trace_event ppoll pread pselect pthread_kill pthread_self pthread_sigmask pwrite quick_exit raise read readlink readlinkat recv
recvfrom recvmsg rename renameat rmdir select sem_post send sendmsg sendto setegid seteuid setgid setpgid setsid setsockopt setuid
shutdown sig2str sigaction sigaddset sigdelset sigemptyset sigfillset sigismember siglongjmp signal sigpause sigpending sigprocmask
sigqueue sigset sigsuspend sleep sockatmark socket socketpair stat stpcpy stpncpy str2sig strcat strchr strcmp strcpy strcspn strlen
strncat strncmp strncpy strnlen strpbrk strrchr strspn strstr strtok_r symlink symlinkat tcdrain tcflow tcflush tcgetattr tcgetpgrp
tcsendbreak tcsetattr tcsetpgrp time timer_getoverrun timer_gettime timer_settime times umask uname unlink unlinkat utime utimensat
utimes va_arg va_copy va_end va_start vfork wait waitpid wcpcpy wcpncpy wcscat wcschr wcscmp wcscpy wcscspn wcslen wcsncat wcsncmp
wcsncpy wcsnlen wcspbrk wcsrchr wcsspn wcsstr wcstok wmemchr wmemcmp wmemcpy wmemmove wmemset write
""".split()

# A graph of one copy, over ctypes.
REPLAY = """
import ctypes, sys
def replay():
    cu = ctypes.CDLL("libcuda.so.1")
    def call(name, *arguments):
        if getattr(cu, name)(*arguments): sys.exit(name)
    context, stream, graph, run, memory = (ctypes.c_void_p() for _ in range(5))
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuStreamCreate", ctypes.byref(stream), 0)
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(64))
    data = ctypes.create_string_buffer(64)
    call("cuStreamBeginCapture_v2", stream, 0)
    call("cuMemcpyHtoDAsync_v2", memory, data, ctypes.c_size_t(64), stream)
    call("cuStreamEndCapture", stream, ctypes.byref(graph))
    call("cuGraphInstantiateWithFlags", ctypes.byref(run), graph, ctypes.c_ulonglong(0))
    call("cuGraphLaunch", run, stream)
    call("cuStreamSynchronize", stream)
    print("replayed", flush=True)
"""
MULTIPROCESSING = """
import multiprocessing, os
def named():
    open("child.pid", "w").write(str(os.getpid()))
    replay()
# As importing PyTorch does.
def look():
    cu = ctypes.CDLL("libcuda.so.1")
    version, found = ctypes.c_int(), ctypes.c_void_p()
    for name in b"cuInit", b"cuGraphLaunch", b"cuMemAlloc":
        cu.cuGetProcAddress_v2(name, ctypes.byref(found), 13000, ctypes.c_ulonglong(0), None)
    if not cu.cuGraphLaunch or cu.cuDriverGetVersion(ctypes.byref(version)): sys.exit("look")
if __name__ == "__main__":
    method, parent = sys.argv[1:]
    if parent == "first": replay()
    if parent in ("looks", "looks-and-replays"): look()
    if parent == "inits" and ctypes.CDLL("libcuda.so.1").cuInit(0): sys.exit("cuInit")
    child = multiprocessing.get_context(method).Process(target=named)
    child.start()
    child.join()
    if parent == "looks-and-replays": replay()
    sys.exit(child.exitcode)
"""


# Makes its exec copy something else, by a function that no list has, and launches it again. Prints what each replay copied.
# With a second argument, a third replay is of an exec that was made after that call.
RENEWING = """
import ctypes, sys
how, anew = sys.argv[1], sys.argv[2:]
cu = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    if getattr(cu, name)(*arguments): sys.exit(name)
def renewing():
    if how == "dlsym": return cu.cuGraphExecRenew
    found = ctypes.c_void_p()
    call("cuGetProcAddress_v2", b"cuGraphExecRenew", ctypes.byref(found), 13000, ctypes.c_ulonglong(0), None)
    return ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(found.value)
context, stream, memory, graph, node = (ctypes.c_void_p() for _ in range(5))
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuStreamCreate", ctypes.byref(stream), 0)
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(8))
first, second = (ctypes.create_string_buffer(text, 8) for text in (b"first", b"second"))
call("cuStreamBeginCapture_v2", stream, 0)
call("cuMemcpyHtoDAsync_v2", memory, first, ctypes.c_size_t(8), stream)
call("cuStreamEndCapture", stream, ctypes.byref(graph))
call("cuGraphGetNodes", graph, ctypes.byref(node), ctypes.byref(ctypes.c_size_t(1)))
def made():
    run = ctypes.c_void_p()
    call("cuGraphInstantiateWithFlags", ctypes.byref(run), graph, ctypes.c_ulonglong(0))
    return run
def show(run):
    shown = ctypes.create_string_buffer(8)
    call("cuGraphLaunch", run, stream)
    call("cuStreamSynchronize", stream)
    call("cuMemcpyDtoH_v2", shown, memory, ctypes.c_size_t(8))
    print(shown.value.decode(), flush=True)
run = made()
show(run)
if renewing()(run, node, second): sys.exit("renew")
show(run)
if anew: show(made())
"""

# Replays, lets the driver lock the process, which makes all other threads wait in their calls, goes through a checkpoint, and
# replays again. What is read of the replays before the lock may be read then.
CHECKPOINT = REPLAY + """
import os
def replay_again():
    for _ in range(2):
        replay()
cu = ctypes.CDLL("libcuda.so.1")
def step(name):
    state = ctypes.c_int()
    if getattr(cu, "cuCheckpointProcess" + name)(os.getpid(), None): sys.exit(name)
    if cu.cuCheckpointProcessGetState(os.getpid(), ctypes.byref(state)): sys.exit("state")
    print(name, state.value, flush=True)
replay_again()
for name in "Lock", "Checkpoint", "Restore", "Unlock": step(name)
replay_again()
"""


# Makes a context current, and no more.
CONTEXT = """
import ctypes, sys
cu = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    if getattr(cu, name)(*arguments): sys.exit(name)
context = ctypes.c_void_p()
call("cuInit", 0)
if sys.argv[1] == "create": call("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
else:
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent" if sys.argv[1] == "set" else "cuCtxPushCurrent_v2", context)
"""


# Captures a stream, and launches a kernel there, another one in a stream of its own, and one in a stream that joined the capture;
# copies in the legacy stream; then captures a stream that the legacy stream would wait for, and launches a kernel into that.
STRAYING = """
import ctypes
cu = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    if getattr(cu, name)(*arguments): raise SystemExit(name)
def made(name, *arguments):
    value = ctypes.c_void_p()
    call(name, ctypes.byref(value), *arguments)
    return value
call("cuInit", 0)
call("cuCtxSetCurrent", made("cuDevicePrimaryCtxRetain", 0))
library = made("cuLibraryLoadData", b"any", None, None, 0, None, None, 0)
kernel, stray = (made("cuKernelGetFunction", made("cuLibraryGetKernel", library, name)) for name in (b"mill", b"stray"))
captured, other, joined = (made("cuStreamCreate", 1) for _ in range(3))
event, memory = made("cuEventCreate", 0), made("cuMemAlloc_v2", ctypes.c_size_t(64))
def launch(function, stream):
    call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, stream, None, None)
launch(kernel, other)
call("cuStreamBeginCapture_v2", captured, 2)
launch(kernel, captured)
for _ in range(2): launch(stray, other)
call("cuEventRecord", event, captured)
call("cuStreamWaitEvent", joined, event, 0)
launch(kernel, joined)
call("cuEventRecord", event, joined)
call("cuStreamWaitEvent", captured, event, 0)
cu.cuMemcpyDtoDAsync_v2(memory, memory, ctypes.c_size_t(8), None)
graph = ctypes.c_void_p()
call("cuStreamEndCapture", captured, ctypes.byref(graph))
launch(stray, other)
blocking = made("cuStreamCreate", 0)
call("cuStreamBeginCapture_v2", blocking, 0)
refused = cu.cuLaunchKernel(stray, 1, 1, 1, 32, 1, 1, 0, None, None, None)
if not refused or not cu.cuStreamEndCapture(blocking, ctypes.byref(graph)): raise SystemExit("CUDA accepts it")
"""


def without_files(said):
    """What was said besides the line that names the files."""
    return re.sub(r"(?m)^graphprof: wrote .*\n", "", said)


class Preload(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_program(self, command, **environment):
        plain = {key: value for key, value in os.environ.items() if not key.startswith(("GRAPHPROF_", "LD_"))}
        plain |= {"LD_LIBRARY_PATH": DRIVER} | environment
        return subprocess.run(command, env=plain, cwd=self.folder, capture_output=True, text=True, timeout=60)

    def command(self, name, *arguments):
        return [os.path.join(PROGRAMS, f"preload-{name}"), *arguments]

    # Runs it without and with graphprof, which must not change it; returns what graphprof said.
    def preloaded(self, command, preload=PRELOAD, **environment):
        without = self.run_program(command, **{key: value for key, value in environment.items() if key[:9] != "GRAPHPROF"})
        environment = {"GRAPHPROF_NODES": "1", "GRAPHPROF_OUTPUT": "out.csv"} | environment
        result = self.run_program(command, LD_PRELOAD=preload, **environment)
        self.assertNotIn(without.returncode, FAILED, without.stdout)
        self.assertEqual((result.returncode, result.stdout), (without.returncode, without.stdout), result.stderr)
        return without_files(result.stderr)

    def rows(self, name="out.csv"):
        with open(os.path.join(self.folder, name), newline="") as file:
            return list(csv.DictReader(file))

    # One row a node and replay: a call that was told twice would make more.
    def assert_times_copies(self, replays=3, name="out.csv"):
        names = sorted(row["name"] for row in self.rows(name))
        self.assertEqual(names, sorted(COPIES * replays))

    def test_a_context_is_prepared_when_it_becomes_current(self):
        """Later, at a capture or a launch, a kernel may run that waits for the graph, and what loads or allocates waits for it.
        Only where nobody can start a recording from outside, nothing is loaded."""
        preload = f"{PRELOAD}:{os.path.join(PROGRAMS, 'libpreload_interposer.so')}"
        for way in ("set", "push", "create"):
            for output, control, loaded in ("out.csv", "0", r"[1-9]\d*"), ("", "1", r"[1-9]\d*"), ("", "0", "0"):
                with self.subTest(way, output=output, control=control):
                    done = self.run_program([sys.executable, "-c", CONTEXT, way], LD_PRELOAD=preload, GRAPHPROF_OUTPUT=output,
                                            GRAPHPROF_CONTROL=control, COUNT_LOADS="1")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertRegex(done.stderr, rf"counted cuLibraryGetKernel {loaded}\n")

    def test_what_a_capture_misses_is_said_once(self):
        for check, said in (("1", 3), ("0", 0)):
            with self.subTest(check=check):
                done = self.run_program([sys.executable, "-c", STRAYING], LD_PRELOAD=PRELOAD, GRAPHPROF_OUTPUT="", GRAPHPROF_CHECK=check)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count("check: "), said, done.stderr)
                self.assertEqual(done.stderr.count("graphprof: checked 2 captures: 3 findings, in 4 calls\n"), int(check), done.stderr)
                if said:
                    self.assertRegex(done.stderr, r"check: stray is not in the graph that this thread captures .*; .*in .* \(libffi")
                    self.assertRegex(done.stderr, r"check: a copy or memset is not in the graph that this thread captures")
                    self.assertRegex(done.stderr, r"check: stray goes to a stream that cannot be used during this thread's capture")

    def test_each_way_to_the_driver(self):
        for way in ("dlsym", "default", "proc", "proc2", "perthread"):
            with self.subTest(way):
                self.assertEqual(self.preloaded(self.command("finding", way)), "")
                self.assert_times_copies()

    def test_linked(self):
        self.assertEqual(self.preloaded(self.command("linked")), "")
        self.assert_times_copies()

    # A driver that gives out other addresses than those of its symbols.
    # By the version that was asked for, then.
    def test_a_driver_whose_symbols_are_elsewhere(self):
        self.assertEqual(self.preloaded(self.command("finding", "proc2"), CUDASIM_ALIASES="1"), "")
        self.assert_times_copies()

    # Another library that interposes dlsym and the driver's functions, before ours and behind it: its counts are those without us.
    def test_another_interposer(self):
        other = os.path.join(PROGRAMS, "libpreload_interposer.so")
        for order in f"{other}:{PRELOAD}", f"{PRELOAD}:{other}":
            for way in "dlsym", "default", "proc2", "perthread":
                with self.subTest(way, order=order):
                    command = self.command("finding", way)
                    alone = self.run_program(command, LD_PRELOAD=other)
                    self.assertIn("counted cuGraphLaunch 3", alone.stderr)
                    said = self.preloaded(command, preload=order)
                    self.assertEqual(said, alone.stderr)
                    self.assert_times_copies()

    def test_drivers_of_each_version(self):
        for version in "12.3", "12.4", "12.8", "13.0", "13.2", "13.3":
            with self.subTest(version):
                self.assertEqual(self.preloaded(self.command("finding", "dlsym"), CUDASIM_VERSION=version), "")
                self.assert_times_copies()

    # The program runs as without, and hears why.
    def test_a_driver_that_is_too_old(self):
        said = self.preloaded(self.command("finding", "dlsym"), CUDASIM_VERSION="12.2")
        self.assertRegex(said, r"the CUDA driver lacks cu\w+ \(graphprof needs CUDA 12\.3 or later\)")
        self.assertEqual([row for row in self.rows() if row["kind"] != "loss"], [])

    # The harvest thread waits in the driver, if at all, and nobody waits for it.
    def test_checkpoint_and_restore(self):
        for clock in "stamp", "event":
            with self.subTest(clock):
                self.assertEqual(self.preloaded([sys.executable, "-c", CHECKPOINT], GRAPHPROF_CLOCK=clock), "")
                self.assertEqual([row["name"] for row in self.rows()], COPIES[1:] * 4)

    # What it changed is not known, so what was made before it runs as the program made it.
    def test_unlisted_graph_function(self):
        """A function of graphs that no list has."""
        for how in ("dlsym", "proc"):
            with self.subTest(how):
                said = self.preloaded([sys.executable, "-c", RENEWING, how])
                self.assertIn("a function of graphs that this graphprof does not know", said)
                self.assertIn("cuGraphExecRenew", said)
                self.assertEqual([row["kind"] for row in self.rows()], ["memcpy", "loss"])
                self.assertIn("1 graph change not repeated", self.rows()[1]["name"])

    # Graphs are timed again after a function that no list has.
    def test_timed_again_after_an_unknown_function(self):
        self.preloaded([sys.executable, "-c", RENEWING, "proc", "anew"])
        self.assertEqual([row["kind"] for row in self.rows()], ["memcpy", "memcpy", "loss"])

    # A forked child may call only what is safe in signal handlers, and nothing that graphprof does in it may need a lock.
    def test_children_end_while_another_thread_holds_the_loaders_lock(self):
        for arguments in (), ("cuda",):
            with self.subTest(arguments):
                self.preloaded(self.command("forking", *arguments))

    # All of them that graphprof stands in front of are tried there.
    def test_functions_that_are_safe_in_signal_handlers(self):
        listed = subprocess.run(["nm", "--dynamic", "--defined-only", "--format=posix", PRELOAD], stdout=subprocess.PIPE, text=True, check=True)
        exported = {line.split()[0].split("@")[0] for line in listed.stdout.splitlines()}
        self.assertIn("dlsym", exported)
        tried = self.run_program(self.command("forking", "list")).stdout.split()
        self.assertEqual(sorted(tried), sorted(exported & set(SAFE_IN_HANDLERS)))

    # What the program's own call runs is the program's: it throws, ends its thread and computes as it does without.
    def test_host_functions_that_leave_the_launch(self):
        for what in "nothing", "throw", "exit", "cancel", "round":
            for kind in "stamp", "event":
                with self.subTest(what, clock=kind):
                    said = self.preloaded(self.command("unwinding", what), GRAPHPROF_CLOCK=kind)
                    self.assertEqual("left a launch by an exception" in said, what in ("throw", "exit", "cancel"), said)

    # It costs where times are placed, not the program, its replays or its end.
    def test_a_clock_that_stands_still_or_goes_back(self):
        clock = os.path.join(PROGRAMS, "libpreload_clock.so")
        for way in "still", "back":
            for kind in "stamp", "event":
                with self.subTest(way, clock=kind):
                    self.preloaded(self.command("finding", "dlsym"), preload=f"{PRELOAD}:{clock}", FAKE_CLOCK=way, GRAPHPROF_CLOCK=kind)
                    self.assert_times_copies()

    def test_static_cudart(self):
        self.assertEqual(self.preloaded(self.command("runtime")), "")
        self.assert_times_copies()

    def test_shared_cudart(self):
        self.assertEqual(self.preloaded(self.command("shared")), "")
        self.assert_times_copies()

    def test_two_libraries_that_ask_for_different_versions(self):
        self.assertEqual(self.preloaded(self.command("finding", "both")), "")
        self.assert_times_copies(replays=6)

    def test_a_library_that_is_loaded_later(self):
        self.assertEqual(self.preloaded(self.command("later")), "")
        self.assert_times_copies()

    # Its calls are not seen, and it runs as without.
    def test_a_library_with_symbols_of_its_own(self):
        self.assertEqual(self.preloaded(self.command("deepbind")), "")
        self.assertEqual(os.listdir(self.folder), [])

    def test_an_instrumented_program_counts_each_call_once(self):
        alone = self.run_program(self.command("instrumented"), GRAPHPROF_OUTPUT="alone.csv", GRAPHPROF_NODES="1")
        self.assertEqual((alone.returncode, without_files(alone.stderr)), (7, ""))
        self.assertEqual(self.preloaded(self.command("instrumented")), "")
        both, one = ([row["name"] for row in self.rows(name)] for name in ("out.csv", "alone.csv"))
        self.assertEqual(both, one)
        self.assertEqual(both.count("copies"), 3)

    def test_allocations_are_counted_once(self):
        for program in ("runtime", "instrumented"):
            self.preloaded(self.command(program), GRAPHPROF_OUTPUT="table:table.txt")
            with open(os.path.join(self.folder, "table.txt")) as file:
                self.assertIn("allocated 2 times, 128 B", file.read())

    def test_python_over_ctypes(self):
        self.assertEqual(self.preloaded([sys.executable, "-c", REPLAY + "replay()"]), "")
        self.assertEqual([row["name"] for row in self.rows()], COPIES[1:])

    # Its children leave by _exit. Those of spawn and forkserver are other programs, whose parent may have replayed before.
    def test_pythons_multiprocessing(self):
        script = os.path.join(self.folder, "work.py")
        with open(script, "w") as file:
            file.write(REPLAY + MULTIPROCESSING)
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                self.assertEqual(self.preloaded([sys.executable, script, method, "later"]), "")
                self.assertEqual([row["name"] for row in self.rows()], COPIES[1:])
        for method in ("spawn", "forkserver"):
            with self.subTest(method, parent="replays"):
                os.remove(os.path.join(self.folder, "out.csv"))
                self.assertEqual(self.preloaded([sys.executable, script, method, "first"], GRAPHPROF_OUTPUT="{pid}.csv"), "")
                files = [name for name in os.listdir(self.folder) if name.endswith(".csv")]
                self.assertEqual(len(files), 2, files)
                for name in files:
                    self.assertEqual([row["name"] for row in self.rows(name)], COPIES[1:])
                    os.rename(os.path.join(self.folder, name), os.path.join(self.folder, "out.csv"))

    # CUDA works in a child that was forked before its parent has begun to use CUDA, whatever the parent has looked up.
    def test_multiprocessing_after_parents_look_up(self):
        """Python's multiprocessing where the parent looked for the driver."""
        script = os.path.join(self.folder, "work.py")
        with open(script, "w") as file:
            file.write(REPLAY + MULTIPROCESSING)
        for method in ("fork", "spawn", "forkserver"):
            for parent, processes in ("looks", 1), ("looks-and-replays", 2), ("inits", 1):
                with self.subTest(method, parent=parent):
                    said = self.preloaded([sys.executable, script, method, parent], GRAPHPROF_OUTPUT="{pid}.csv")
                    files = [name for name in os.listdir(self.folder) if name.endswith(".csv")]
                    self.assertEqual(said, "")
                    # CUDA's rule: not in a child that is forked later.
                    if (method, parent) == ("fork", "inits"):
                        self.assertEqual(files, [])
                        continue
                    self.assertEqual(len(files), processes, files)
                    with open(os.path.join(self.folder, "child.pid")) as file:
                        self.assertIn(f"{file.read()}.csv", files)
                    for name in files:
                        self.assertEqual([row["name"] for row in self.rows(name)], COPIES[1:])
                        os.remove(os.path.join(self.folder, name))

    def test_children(self):
        for ending in ("fork", "forkexit", "exec", "after", "_exit", "quick_exit"):
            with self.subTest(ending):
                self.preloaded(self.command("finding", "proc2", ending))
                self.assert_times_copies()

    # Its exit() runs the handlers of its parent, whose threads it does not have.
    def test_a_child_of_the_system_call_clone(self):
        self.assertEqual(self.preloaded(self.command("finding", "proc2", "clone")), "")
        self.assert_times_copies()
        self.assertEqual(os.listdir(self.folder), ["out.csv"])

    # Nothing runs at its end, and graphprof's threads are left.
    def test_a_main_thread_that_ends_by_the_system_call_exit(self):
        self.assertEqual(self.preloaded(self.command("finding", "proc2", "mainexit"), GRAPHPROF_OUTPUT="out.csv,table:table.txt"), "")
        self.assert_times_copies()
        self.assertTrue(os.path.exists(os.path.join(self.folder, "table.txt")))

    # Each program writes all that it has, tables and traces, too.
    def test_a_program_that_becomes_another(self):
        for call in "execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe", "fexecve", "execveat":
            with self.subTest(call):
                run = f"1:{time.time_ns()}"  # that began before both
                said = self.preloaded(self.command("finding", "proc2", call), GRAPHPROF_OUTPUT="out.csv,table:table.txt,out.json", GRAPHPROF_RUN=run)
                self.assertEqual(said.count("belongs to another process"), 3, said)
                for kind, files in (".csv", 2), (".txt", 2), (".json", 2):
                    found = [name for name in os.listdir(self.folder) if name.endswith(kind)]
                    self.assertEqual(len(found), files, found)
                    for name in found:
                        if kind == ".csv":
                            self.assert_times_copies(name=name)
                        os.remove(os.path.join(self.folder, name))

    # A program that looks for another one tries several.
    def test_a_program_that_cannot_become_another(self):
        self.assertEqual(self.preloaded(self.command("finding", "proc2", "missing")), "")
        self.assert_times_copies(replays=6)
        with open(os.path.join(self.folder, "refused"), "w") as file:
            file.write("\0")
        os.chmod(file.name, 0o755)
        said = self.preloaded(self.command("finding", "proc2", "refused"))
        self.assertEqual(said, "graphprof: nothing more is recorded: the outputs were closed for an exec, which failed\n")
        self.assert_times_copies()

    # The file is lost and said to be; the program's end is not ten seconds later.
    def test_a_database_without_locks(self):
        began = time.monotonic()
        said = self.preloaded(self.command("finding", "proc2", "nolocks"), GRAPHPROF_OUTPUT="out.db,out.csv")
        self.assertLess(time.monotonic() - began, 6)
        self.assert_times_copies(replays=6)
        self.assertIn("out.db", said)

    # Options are those with which the program began.
    def test_a_program_that_clears_its_environment(self):
        self.assertEqual(self.preloaded(self.command("finding", "proc2", "clearenv")), "")
        self.assert_times_copies()

    # Such a child has its parent's memory: what it ends must not be its parent's.
    def test_a_child_that_shares_its_parents_memory(self):
        self.preloaded(self.command("finding", "proc2", "vfork"))
        self.assert_times_copies(replays=6)

    def test_missing_driver_stays_missing(self):
        """A program that finds no driver finds none."""
        self.assertEqual(self.preloaded(self.command("absent"), LD_LIBRARY_PATH=""), "")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "out.csv")))

    def test_a_program_without_cuda(self):
        self.assertEqual(self.preloaded(["/bin/sh", "-c", "echo hello; exit 3"]), "")
        self.assertEqual(os.listdir(self.folder), [])

    # A process that `graphprof run` started, so that it says at its end that nothing was recorded.
    def run_by_run(self, *arguments, wrap=(), preload=PRELOAD):
        command = ["sh", "-c", 'export GRAPHPROF_RUN=$$; exec env LD_PRELOAD="$0" "$@"', preload, *self.command(*arguments)]
        return self.run_program([*wrap, *command], GRAPHPROF_OUTPUT="")

    def test_what_it_says_goes_to_standard_error(self):
        result = self.run_by_run("finding", "nothing")
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertIn("graphprof: nothing was recorded", result.stderr)

    # Neither a signal nor a wait for a reader that does not come.
    def test_standard_error_that_nobody_reads(self):
        script = """
import os, subprocess, sys
read, write = os.pipe()
if sys.argv[1] == "full":
    os.set_blocking(write, False)
    try:
        while True: os.write(write, b"x" * 4096)
    except BlockingIOError: os.set_blocking(write, True)
else: os.close(read)
print(subprocess.run(sys.argv[2:], stderr=write, timeout=50).returncode)
"""
        for kind in "full", "closed":
            with self.subTest(kind):
                result = self.run_by_run("finding", "nothing", wrap=[sys.executable, "-c", script, kind])
                self.assertEqual(result.stdout, "6\n", result.stderr)

    def test_file_as_standard_error(self):
        """A file in the place of standard error."""
        result = self.run_by_run("own", "stderr", "data")
        self.assertEqual(result.returncode, 6, result.stderr)
        with open(os.path.join(self.folder, "data")) as file:
            self.assertEqual(file.read(), "data\n")

    # Nothing is read from them, and it is not said that nothing was recorded: nobody knows.
    def test_sockets_in_the_place_of_its_descriptors(self):
        result = self.run_by_run("own", "sockets")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (6, "3 bytes: ABC\n", ""))

    # The threads of graphprof do not call the program's operators new and delete. With events they would call the simulated driver,
    # which does; a real driver has its own.
    def test_operators_new_for_one_thread(self):
        self.assertEqual(self.preloaded(self.command("own", "new"), GRAPHPROF_OUTPUT="out.csv,out.json", GRAPHPROF_CLOCK="stamp"), "")
        self.assert_times_copies()

    def test_off(self):
        self.assertEqual(self.preloaded(self.command("finding", "proc2"), GRAPHPROF_ENABLED="0"), "")
        self.assertEqual(os.listdir(self.folder), [])

    # The program runs as if nothing were there, and one line says so.
    def test_without_the_library_beside_it(self):
        alone = os.path.join(self.folder, "libgraphprof_preload.so")
        shutil.copy(PRELOAD, alone)
        said = self.preloaded(self.command("finding", "proc2"), preload=alone)
        self.assertRegex(said, r"\Agraphprof: CUDA graphs are not timed: .*libgraphprof\.so.*\n\Z")
        self.assertEqual(os.listdir(self.folder), ["libgraphprof_preload.so"])

    def test_it_is_linked_with_libc_only(self):
        said = subprocess.run(["readelf", "-d", PRELOAD], capture_output=True, text=True, check=True).stdout
        needed = [line.split("[")[1].rstrip("]") for line in said.splitlines() if "(NEEDED)" in line]
        self.assertTrue({"libc.so.6"} <= set(needed) <= {"libc.so.6", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}, needed)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
