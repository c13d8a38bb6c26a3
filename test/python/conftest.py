# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""What the tests share: a small graph on the simulated driver, over ctypes, and other processes."""

import ctypes
import os
import subprocess
import sys
from ctypes import byref, c_size_t, c_void_p

import pytest

PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")


class Driver:
    """The driver, with a context, a stream and some memory."""

    def __init__(self):
        self._cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        context = self.made("cuDevicePrimaryCtxRetain", 0)
        self.call("cuCtxSetCurrent", context)
        self.stream = self.made("cuStreamCreate", 1)
        self.memory = self.made("cuMemAlloc_v2", c_size_t(64))

    def call(self, name, *arguments):
        status = getattr(self._cuda, name)(*arguments)
        assert status == 0, f"{name}: {status}"

    def made(self, name, *arguments):
        result = c_void_p()
        self.call(name, byref(result), *arguments)
        return result

    def work(self, stream=None):
        """A memset."""
        self.call("cuMemsetD8Async", self.memory, 1, c_size_t(64), stream or self.stream)

    def begin_capture(self, stream=None):
        self.call("cuStreamBeginCapture_v2", stream or self.stream, 1)

    def end_capture(self, stream=None):
        graph = c_void_p()
        self.call("cuStreamEndCapture", stream or self.stream, byref(graph))
        return graph

    def captured(self, work):
        """An exec of what `work()` issues to the stream."""
        self.begin_capture()
        work()
        return self.made("cuGraphInstantiateWithFlags", self.end_capture(), ctypes.c_ulonglong(0))

    def replay(self, run, times=1):
        for _ in range(times):
            self.call("cuGraphLaunch", run, self.stream)
        self.synchronize()

    def synchronize(self):
        self.call("cuStreamSynchronize", self.stream)


@pytest.fixture(scope="session")
def driver():
    return Driver()


def run_python(source, *arguments, check=True, cwd=None, **environment):
    """A Python of its own, without this one's preload library; None takes a variable away."""
    plain = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    plain.update(environment)
    plain = {key: value for key, value in plain.items() if value is not None}
    result = subprocess.run([sys.executable, "-c", source, *arguments], env=plain, cwd=cwd, capture_output=True, text=True, timeout=60)
    if check:
        assert result.returncode == 0, result.stderr
    return result


@pytest.fixture
def said(monkeypatch):
    """What the package says on stderr, where each text comes once. The library does not write into a file that a program, such as
    pytest, has put in stderr's place."""
    from graphprof import _library

    texts = []
    monkeypatch.setattr(_library.capi, "say", lambda text: texts.append(text.decode()))
    return texts


@pytest.fixture
def python():
    return run_python


@pytest.fixture
def libraries():
    """The folder of libgraphprof.so."""
    return os.path.dirname(os.environ["LD_PRELOAD"])
