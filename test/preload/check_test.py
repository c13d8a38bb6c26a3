#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# check_test.py LIBRARIES DRIVER PROGRAMS: what GRAPHPROF_CHECK finds in programs as they are, and what it must not say.

import os
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARIES, DRIVER, PROGRAMS = (os.path.abspath(folder) for folder in sys.argv[1:4])
PRELOAD = os.path.join(LIBRARIES, "libgraphprof_preload.so")

# The driver over ctypes. call(name, ...) must succeed, refused(name, ...) must not; made(name, ...) is what a call returns by its
# first argument.
DRIVER_CALLS = """
import ctypes, threading
cu = ctypes.CDLL("libcuda.so.1")
size = ctypes.c_size_t
def call(name, *arguments):
    status = getattr(cu, name)(*arguments)
    if status: raise SystemExit(f"{name}: {status}")
def refused(name, *arguments):
    status = getattr(cu, name)(*arguments)
    if not status: raise SystemExit(f"{name}: accepted")
    print(name, status, flush=True)
def made(name, *arguments):
    value = ctypes.c_void_p()
    call(name, ctypes.byref(value), *arguments)
    return value
def captured(fill, mode=0):
    call("cuStreamBeginCapture_v2", stream, mode)
    fill()
    return made_of_end()
def made_of_end():
    graph = ctypes.c_void_p()
    call("cuStreamEndCapture", stream, ctypes.byref(graph))
    return graph
def instantiated(graph):
    return made("cuGraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
def copy(target, source):
    return lambda: call("cuMemcpyDtoDAsync_v2", target, source, size(8), stream)
def on_another_thread(work):
    def first():
        call("cuCtxSetCurrent", context)
        work()
    thread = threading.Thread(target=first)
    thread.start()
    thread.join()
call("cuInit", 0)
context = made("cuDevicePrimaryCtxRetain", 0)
call("cuCtxSetCurrent", context)
stream, other = made("cuStreamCreate", 1), made("cuStreamCreate", 1)
event = made("cuEventCreate", 0)
one, two = made("cuMemAlloc_v2", size(64)), made("cuMemAlloc_v2", size(64))
run = instantiated(captured(copy(one, two)))
"""

# A call that a capture does not survive.
BREAKING = DRIVER_CALLS + """
call("cuStreamBeginCapture_v2", stream, 0)
{call}
refused("cuStreamEndCapture", stream, ctypes.byref(ctypes.c_void_p()))
"""
# By name: the call, how it is named, and what is advised.
BREAKS = {
    "malloc": ('refused("cuMemAlloc_v2", ctypes.byref(ctypes.c_void_p()), size(64))', r"cuMemAlloc \(cudaMalloc\)", "Allocate before"),
    "free": ('refused("cuMemFree_v2", one)', r"cuMemFree \(cudaFree\)", "garbage collector"),
    "destroys an exec": ('refused("cuGraphExecDestroy", run)', r"cuGraphExecDestroy \(cudaGraphExecDestroy\)", "garbage collector"),
    "synchronizes": ('refused("cuStreamSynchronize", other)', r"cuStreamSynchronize \(cudaStreamSynchronize\)", "nothing to wait for"),
    "waits for the device": ('refused("cuCtxSynchronize")', r"cuCtxSynchronize \(cudaDeviceSynchronize\)", "nothing to wait for"),
    "asks an event": ('refused("cuEventQuery", event)', r"cuEventQuery \(cudaEventQuery\)", "nothing to wait for"),
    "asks a stream": ('refused("cuStreamQuery", other)', r"cuStreamQuery \(cudaStreamQuery\)", "nothing to wait for"),
    "instantiates": ('refused("cuGraphInstantiateWithFlags", ctypes.byref(ctypes.c_void_p()), made("cuGraphCreate", 0), '
                     "ctypes.c_ulonglong(0))", r"cuGraphInstantiateWithFlags \(cudaGraphInstantiate\)", "Move the call out"),
}
# CUDA accepts these during a capture (CaptureSafety.cu).
HARMLESS = DRIVER_CALLS + """
graph = made("cuGraphCreate", 0)
captured(lambda: [call("cuEventRecord", event, other), call("cuEventDestroy_v2", made("cuEventCreate", 0)),
                  call("cuStreamDestroy_v2", made("cuStreamCreate", 1)), call("cuGraphDestroy", graph), copy(one, two)()])
def relaxed():
    mode = ctypes.c_int(2)
    call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
    call("cuMemFree_v2", made("cuMemAlloc_v2", size(64)))
    call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
captured(lambda: [relaxed(), on_another_thread(relaxed)])
captured(lambda: on_another_thread(lambda: call("cuMemFree_v2", made("cuMemAlloc_v2", size(64)))), 1)
"""
UNJOINED = DRIVER_CALLS + """
call("cuStreamBeginCapture_v2", stream, 0)
call("cuEventRecord", event, stream)
call("cuStreamWaitEvent", other, event, 0)
call("cuMemcpyDtoDAsync_v2", one, two, size(8), other)
refused("cuStreamEndCapture", stream, ctypes.byref(ctypes.c_void_p()))
"""
# The second word is how the memset of the other stream is made.
MISSED_MEMSET = DRIVER_CALLS + """
def beside(): call("cuMemsetD8Async", one, 0, size(8), other)
def relaxed():
    mode = ctypes.c_int(2)
    call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
    beside()
    call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
captured(lambda: [call("cuMemsetD8Async", one, 0, size(8), stream), {how}()])
"""

# Launches a graph, does something, and launches it again.
LAUNCHING = DRIVER_CALLS + """
{kinds}
run = instantiated(captured({fill}))
call("cuGraphLaunch", run, stream)
call("cuStreamSynchronize", stream)
{between}
for _ in range(2): call("cuGraphLaunch", run, stream)
"""


# The simulation knows the parameters of this kernel: two addresses and a number.
KERNEL = """
library = made("cuLibraryLoadData", b"any", None, None, 0, None, None, 0)
kernel = made("cuKernelGetFunction", made("cuLibraryGetKernel", library, b"graphprof_gate"))
def launch(first, second, number):
    values = ctypes.c_uint64(first), ctypes.c_uint64(second), ctypes.c_uint32(number)
    parameters = (ctypes.c_void_p * 3)(*map(ctypes.addressof, values))
    call("cuLaunchKernel", kernel, 1, 1, 1, 32, 1, 1, 0, stream, parameters, None)
"""

# Lets the memset of the exec write `one`.
CHANGE = """
class Params(ctypes.Structure):
    _fields_ = [("target", ctypes.c_uint64), ("pitch", size), ("value", ctypes.c_uint), ("bytes", ctypes.c_uint), ("width", size), ("height", size)]
graph = captured(lambda: call("cuMemsetD8Async", two, 0, size(8), stream))
run = instantiated(graph)
node, count = ctypes.c_void_p(), size(1)
call("cuGraphGetNodes", graph, ctypes.byref(node), ctypes.byref(count))
call("cuGraphExecMemsetNodeSetParams", run, node, ctypes.byref(Params(one.value, 8, 0, 1, 8, 1)), context)
"""


class Check(unittest.TestCase):
    def run_program(self, command, check="1"):
        plain = {key: value for key, value in os.environ.items() if not key.startswith(("GRAPHPROF_", "LD_"))}
        plain["LD_LIBRARY_PATH"] = DRIVER
        with tempfile.TemporaryDirectory() as folder:
            without = subprocess.run(command, env=plain, cwd=folder, capture_output=True, text=True, timeout=60)
            plain |= {"LD_PRELOAD": PRELOAD, "GRAPHPROF_OUTPUT": "", "GRAPHPROF_CHECK": check}
            done = subprocess.run(command, env=plain, cwd=folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (without.returncode, without.stdout), done.stderr)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def findings(self, command):
        """What is found; nothing may be said where it is not asked for."""
        self.assertNotIn("graphprof: check", self.run_program(command, "0").stderr)
        said = self.run_program(command).stderr
        return re.findall(r"(?m)^graphprof: check: (.*)$", said), re.findall(r"(?m)^graphprof: (checked .*)$", said)

    def of(self, source):
        return self.findings([sys.executable, "-c", source])

    def test_a_call_that_makes_a_capture_invalid(self):
        for name, (call, named, advice) in BREAKS.items():
            with self.subTest(name):
                found, counted = self.of(BREAKING.replace("{call}", call))
                self.assertEqual(len(found), 1, found)
                self.assertRegex(found[0], f"^{named} makes this thread's capture invalid")
                self.assertIn(advice, found[0])
                self.assertRegex(found[0], r"; .*in \w+ \(libffi")
                self.assertEqual(counted, ["checked 2 captures: 1 finding, in 1 call"])

    def test_a_call_of_another_thread_that_makes_a_capture_invalid(self):
        call, named, _ = BREAKS["malloc"]
        found, _ = self.of(BREAKING.replace("{call}", f"on_another_thread(lambda: {call})"))
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], f"^{named} is refused because another thread captures")
        self.assertIn("cudaStreamCaptureModeThreadLocal", found[0])

    def test_what_captures_survive_is_not_said(self):
        self.assertEqual(self.of(HARMLESS), ([], ["checked 4 captures: nothing found"]))

    def test_a_stream_that_is_not_joined(self):
        found, _ = self.of(UNJOINED)
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], r"^cuStreamEndCapture \(cudaStreamEndCapture\) fails, so there is no graph\. A stream that waits")

    def test_a_memset_that_is_missed(self):
        found, _ = self.of(MISSED_MEMSET.replace("{how}", "beside"))
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], "^a copy or memset is not in the graph")

    def test_work_beside_a_capture_that_is_meant_so(self):
        self.assertEqual(self.of(MISSED_MEMSET.replace("{how}", "relaxed"))[0], [])

    def test_memory_that_was_freed_before_a_launch(self):
        launching = LAUNCHING.replace("{kinds}", "")
        copying = launching.replace("{fill}", "copy(one, two)")
        freed = 'call("cuMemFree_v2", two)'
        for name, source, said in (
            ("a copy", copying.replace("{between}", freed), "a copy, source"),
            ("a memset", launching.replace("{fill}", 'lambda: call("cuMemsetD8Async", two, 0, size(8), stream)')
             .replace("{between}", freed), "a memset"),
            ("a kernel", LAUNCHING.replace("{kinds}", KERNEL).replace("{fill}", "lambda: launch(one.value, two.value + 16, 7)")
             .replace("{between}", freed), "kernel graphprof_gate, parameter 2"),
        ):
            with self.subTest(name):
                found, counted = self.of(source)
                self.assertEqual(len(found), 1, found)
                self.assertRegex(found[0], f"^a graph is launched whose memory was freed: {said}. .*; freed .*in ffi_call .*; launched .*in ffi_call ")
                self.assertRegex(counted[0], "1 finding, in 2 calls$")

    def test_memory_that_is_there_at_a_launch(self):
        copying = LAUNCHING.replace("{kinds}", "").replace("{fill}", "copy(one, two)")
        self.assertEqual(self.of(LAUNCHING.replace("{kinds}", KERNEL).replace("{fill}", "lambda: launch(one.value, 5, 7)")
                                 .replace("{between}", 'call("cuMemFree_v2", two)'))[0], [])
        changed = LAUNCHING.replace("{kinds}", "").replace("{fill}", 'lambda: call("cuMemsetD8Async", two, 0, size(8), stream)')
        self.assertEqual(self.of(changed.replace("{between}", CHANGE + 'call("cuMemFree_v2", two)'))[0], [])
        for name, between in {
            "nothing was freed": "",
            "something else was freed": 'call("cuMemFree_v2", made("cuMemAlloc_v2", size(64)))',
            "the graph is captured again": 'call("cuMemFree_v2", two)\nrun = instantiated(captured(copy(one, one)))',
            "the exec is updated": 'call("cuMemFree_v2", two)\n'
                                   'call("cuGraphExecUpdate_v2", run, captured(copy(one, one)), ctypes.create_string_buffer(64))',
        }.items():
            with self.subTest(name):
                self.assertEqual(self.of(copying.replace("{between}", between))[0], [])

    def test_host_functions_that_call_cuda(self):
        checked = os.path.join(PROGRAMS, "preload-checked")
        for how in "graph", "stream":
            with self.subTest(how):
                found, _ = self.findings([checked, how, "calling"])
                self.assertEqual(len(found), 1, found)
                self.assertRegex(found[0], r"^a host function calls cuStreamQuery \(cudaStreamQuery\), which CUDA forbids")
                self.assertRegex(found[0], r"the host function is in asks \(preload-checked\)")
                self.assertEqual(self.findings([checked, how, "quiet"])[0], [])
        self.assertEqual(self.findings([checked, "plain", "calling"])[0], [])

    def test_the_place_in_the_source_where_it_is_instrumented(self):
        for name, ends in ("preload-checked", r"\+0x[0-9a-f]+|\)"), ("preload-checked-instrumented", r", in region step \(.*checked\.cpp:\d+\)"):
            with self.subTest(name):
                found, _ = self.findings([os.path.join(PROGRAMS, name), "region", "x"])
                self.assertEqual(len(found), 1, found)
                self.assertRegex(found[0], rf"^cuMemAlloc \(cudaMalloc\) makes .*(?:{ends})$")
        self.assertNotIn("region", self.findings([os.path.join(PROGRAMS, "preload-checked"), "region", "x"])[0][0])


unittest.main(argv=sys.argv[:1] + sys.argv[4:])
