# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""What the Python package costs, for docs/performance.md. Needs a GPU and PyTorch:

    python3 -m graphprof -o '' test/benchmark/python/costs.py

Prints, each as the median of many: the import; a region outside of graphs, beside torch.profiler.record_function under
torch.profiler; a region at capture; a module's call without annotate(), annotated, and after remove()."""

import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch

import graphprof

ROUNDS, CALLS = 31, 200


def median_us(call, calls=CALLS):
    """Of one call, over rounds of many."""
    rounds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(calls):
            call()
        rounds.append((time.perf_counter_ns() - begin) / calls / 1000)
        torch.cuda.synchronize()
    return statistics.median(rounds)


def import_ms(module):
    """In a new process, with what Python compiled kept from the one before, as where a package is installed."""
    source = f"import time; b = time.perf_counter(); import {module}; print(1000 * (time.perf_counter() - b))"
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": compiled}
        times = [float(subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=True).stdout)
                 for _ in range(12)]
    return statistics.median(times[1:])


def region():
    with graphprof.region("layer {}", 3):
        pass


def record_function():
    with torch.profiler.record_function("layer 3"):
        pass


def at_capture(work, regions):
    """Microseconds that a region adds to a kernel of a capture."""
    x = torch.zeros(1, device="cuda")

    def capture(with_region):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            begin = time.perf_counter_ns()
            for _ in range(regions):
                if with_region:
                    with graphprof.region("layer {}", 3):
                        work(x)
                else:
                    work(x)
            took = time.perf_counter_ns() - begin
        return took / regions / 1000

    capture(True), capture(False)
    pairs = [(capture(True), capture(False)) for _ in range(ROUNDS)]
    return statistics.median(a - b for a, b in pairs)


torch.zeros(1, device="cuda")
print(f"import graphprof: {import_ms('graphprof'):.1f} ms")
print(f"a region at capture: {at_capture(lambda x: x.add_(1), 200):.2f} us")
print(f"a region that nothing records: {median_us(region):.2f} us")
with graphprof.profile():
    print(f"an eager region, recorded: {median_us(region):.2f} us")
print(f"record_function, not recorded: {median_us(record_function):.2f} us")
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]):
    print(f"record_function, recorded by torch.profiler: {median_us(record_function):.2f} us")

module, x = torch.nn.Identity(), torch.zeros(1)
print(f"a module's call: {median_us(lambda: module(x)):.3f} us")
with graphprof.annotate(module):
    print(f"the same, annotated: {median_us(lambda: module(x)):.3f} us")
print(f"the same, after remove(): {median_us(lambda: module(x)):.3f} us")
