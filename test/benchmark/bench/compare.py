#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The same operations of PyTorch's, timed by graphprof's benchmarks and by what people use instead, in one process:

    compare.py BRIDGE.so [--json FILE]      (run builds the bridge)

flashinfer: its algorithm as it describes it, in PyTorch; triton: do_bench and do_bench_cudagraph; torch: torch.utils.benchmark;
nvbench: its way to time one launch, in the bridge. Truth: CUPTI's kernel times, and `ncu` for what is one kernel. With --under-ncu
WORKLOAD it only runs that workload a few times, which is what it has ncu look at."""

import argparse
import csv
import ctypes
import io
import json
import math
import shutil
import statistics
import subprocess
import sys

import torch
from torch.utils import benchmark


class Workload:
    """Tensors, and what is done with them without allocating."""

    def __init__(self, name, tensors, call):
        self.name, self.tensors, self.call = name, tensors, call


def half(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.float16)


def workloads(bridge=None):
    for name, programmatic in ("chain", 0), ("chain, programmatic", 1):
        if bridge:
            yield Workload(f"{name}, 8 kernels", [torch.zeros(132 * 256, device="cuda")], lambda x, how=programmatic: bridge.library.chain(
                ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), ctypes.c_void_p(x.data_ptr()), how))
    yield Workload("add, 64 KiB", [torch.randn(16384, device="cuda")], lambda x: x.add_(1.0))
    yield Workload("copy, 4 MiB", [torch.empty(1 << 20, device="cuda"), torch.randn(1 << 20, device="cuda")], lambda x, y: x.copy_(y))
    yield Workload("copy, 128 MiB", [torch.empty(1 << 25, device="cuda"), torch.randn(1 << 25, device="cuda")], lambda x, y: x.copy_(y))
    yield Workload("GEMM, 512", [half(512, 512), half(512, 512), half(512, 512)], lambda x, y, z: torch.mm(y, z, out=x))
    yield Workload("GEMM, 4096", [half(4096, 4096), half(4096, 4096), half(4096, 4096)], lambda x, y, z: torch.mm(y, z, out=x))

    def attention(out, q, k, v, scores):
        torch.bmm(q, k.transpose(1, 2), out=scores)
        torch.softmax(scores, -1, out=scores)
        torch.bmm(scores, v, out=out)

    yield Workload("attention, 3 kernels", [half(32, 1024, 128) for _ in range(4)] + [half(32, 1024, 1024)], attention)


# Operations of one kernel, which ncu can time. (PyTorch copies with a memcpy, which ncu does not time.)
SINGLE = {"add, 64 KiB", "GEMM, 512", "GEMM, 4096"}


def flashinfer(work, cold, iterations=10, dry_ms=25, repeat_ms=100):
    """bench_gpu_time_with_cudagraph: rotation, three warm-up calls, an estimate of five replays."""
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    size = sum(t.numel() * t.element_size() for t in work.tensors)
    copies = 1 if not cold or size == 0 or size >= 5 * l2 else max(2, math.ceil(5 * l2 / size) + 1)
    sets = [work.tensors] + [[t.clone() for t in work.tensors] for _ in range(copies - 1)]
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            work.call(*work.tensors)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(iterations):
            work.call(*sets[i % copies])
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    begin.record()
    for _ in range(5):
        graph.replay()
    end.record()
    torch.cuda.synchronize()
    estimate = begin.elapsed_time(end) / 5
    for _ in range(max(1, int(dry_ms / estimate))):
        graph.replay()
    count = max(1, int(repeat_ms / estimate))
    begins = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
    ends = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
    for first, last in zip(begins, ends):
        first.record()
        graph.replay()
        last.record()
    torch.cuda.synchronize()
    return statistics.median(first.elapsed_time(last) / iterations for first, last in zip(begins, ends))


def cupti(work, cold):
    """The times of the kernels of one call, summed, without the gaps between them: the median."""
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    flushed = torch.ones(2 * l2 // 4, device="cuda")
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]) as profiler:
        for _ in range(60):
            if cold:
                flushed.sum()
            torch.cuda.synchronize()
            with torch.profiler.record_function("call"):
                work.call(*work.tensors)
            torch.cuda.synchronize()
    times = [event.device_time for event in profiler.events() if event.name == "call" and event.device_type == torch.autograd.DeviceType.CPU]
    return statistics.median(times[10:]) / 1e3


def ncu(name, cold):
    if not shutil.which("ncu"):
        return None
    command = ["ncu", "--csv", "--clock-control", "none", "--cache-control", "all" if cold else "none", "--metrics", "gpu__time_duration.sum",
               "--profile-from-start", "off", sys.executable, __file__, "-", "--under-ncu", name]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=180)
    lines = [line for line in ran.stdout.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    scale = {"ns": 1e-6, "nsecond": 1e-6, "us": 1e-3, "usecond": 1e-3, "ms": 1, "msecond": 1}
    times = [float(row["Metric Value"].replace(",", "")) * scale[row["Metric Unit"]] for row in rows]
    if not times:
        print(f"  ncu: nothing: {(ran.stderr or ran.stdout)[-300:]}", file=sys.stderr)
        return None
    return statistics.median(times)


class Bridge:
    class Summary(ctypes.Structure):
        _fields_ = [(name, ctypes.c_double) for name in ("median", "low", "high", "mhz")] + [
            (name, ctypes.c_int) for name in ("samples", "discarded", "copies", "graphs", "nodes", "timer", "method", "warnings")]

    Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
    GRAPH, EAGER, STAMPS = 0, 1, 2
    WARM, ROTATION, FLUSH = -1, 1, 2

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.nvbenchWay.restype = ctypes.c_double

    def callback(self, work):
        known = {}

        def tensors(pointers):
            if pointers not in known:
                known[pointers] = [self.tensor_at(pointer, like) for pointer, like in zip(pointers, work.tensors)]
            return known[pointers]

        def call(stream, pointers):
            with torch.cuda.stream(torch.cuda.ExternalStream(stream)):
                work.call(*tensors(tuple(pointers[i] for i in range(len(work.tensors)))))

        return self.Callback(call)

    @staticmethod
    def tensor_at(pointer, like):
        if pointer == like.data_ptr():
            return like

        class At:
            __cuda_array_interface__ = {"shape": tuple(like.shape), "typestr": {torch.float32: "<f4", torch.float16: "<f2"}[like.dtype],
                                        "data": (pointer, False), "version": 2}

        return torch.as_tensor(At(), device="cuda")

    def pointers(self, work):
        count = len(work.tensors)
        return (ctypes.c_void_p * count)(*[t.data_ptr() for t in work.tensors]), (ctypes.c_size_t * count)(
            *[t.numel() * t.element_size() for t in work.tensors])

    def ours(self, work, timer, method, iterations=10, ms=100):
        pointers, sizes = self.pointers(work)
        summary, error = self.Summary(), ctypes.create_string_buffer(1000)
        callback = self.callback(work)
        if self.library.graphprofBench(callback, len(work.tensors), pointers, sizes, timer, method, iterations, ms, ctypes.byref(summary),
                                       error, ctypes.c_size_t(1000)):
            print(f"  {error.value.decode()}", file=sys.stderr)
            return None
        return summary

    def nvbench(self, work, cold):
        return self.library.nvbenchWay(self.callback(work), self.pointers(work)[0], int(cold), 200)


def others(work, cold):
    """By name what others say, ms."""
    found = {"flashinfer": flashinfer(work, cold)}
    try:
        from triton import testing

        if cold:
            found["triton do_bench"] = testing.do_bench(lambda: work.call(*work.tensors), return_mode="median")
        else:
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                found["triton do_bench_cudagraph"] = testing.do_bench_cudagraph(lambda: work.call(*work.tensors), return_mode="median")
    except ImportError:
        print("  triton is not here", file=sys.stderr)
    if not cold:
        timer = benchmark.Timer("work.call(*work.tensors)", globals={"work": work})
        found["torch.utils.benchmark"] = timer.blocked_autorange(min_run_time=0.3).median * 1e3
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bridge")
    parser.add_argument("--json")
    parser.add_argument("--under-ncu")
    arguments = parser.parse_args()
    if arguments.under_ncu:
        work = next(each for each in workloads() if each.name == arguments.under_ncu)
        for _ in range(20):
            work.call(*work.tensors)
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStart()
        for _ in range(15):
            work.call(*work.tensors)
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()
        return
    bridge, rows = Bridge(arguments.bridge), []
    for work in workloads(bridge):
        for cold in (True, False):
            row, clocks = {"workload": work.name, "cold": cold}, {}
            single = work.name in SINGLE
            row["cupti"] = cupti(work, cold)
            row["ncu"] = ncu(work.name, cold) if single else None
            row.update(others(work, cold))
            row["nvbench's way"] = bridge.nvbench(work, cold)
            ways = {"graph": (Bridge.GRAPH, Bridge.ROTATION if cold else Bridge.WARM),
                    "stamps": (Bridge.STAMPS, Bridge.ROTATION if cold else Bridge.WARM),
                    "eager": (Bridge.EAGER, Bridge.ROTATION if cold else Bridge.WARM)}
            if cold:
                ways["flush, stamps"] = (Bridge.STAMPS, Bridge.FLUSH)
            for name, way in ways.items():
                summary = bridge.ours(work, *way)
                row[f"graphprof, {name}"] = summary.median if summary else None
                if summary:
                    clocks[f"graphprof, {name}"] = summary.mhz
                if name == "graph" and summary:
                    row["copies"], row["graphs"] = summary.copies, summary.graphs
            row["mhz"] = clocks
            rows.append(row)
            told = f", ncu {row['ncu'] * 1e3:.2f}" if row["ncu"] else ""
            print(f"{work.name}, {'cold' if cold else 'warm'}: CUPTI {row['cupti'] * 1e3:.2f} us{told}; "
                  f"{row.get('copies')} copies, {row.get('graphs')} graphs")
            for name, value in row.items():
                if isinstance(value, float) and name not in ("ncu", "cupti"):
                    print(f"    {name:28} {value * 1e3:9.2f} us"
                          + (f"  {clocks[name]:5.0f} MHz" if name in clocks else ""))
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"device": torch.cuda.get_device_name(0), "torch": torch.__version__, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
