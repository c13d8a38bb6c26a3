#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What `graphprof merge` says that ranks wait, against delays that are put in. Two ranks with NCCL under `graphprof run`: each step
# is a graph of three layers with a GEMM, a kernel that spins for some time by the GPU's timer, and an all-reduce. The first layer
# brings the ranks together; in the second, the kernel of one rank spins longer by the delay. Needs two GPUs and PyTorch.
#
#     test/gpu/run/merge.py GRAPHPROF [REPLAYS]        the command as built or installed; two minutes. Status 1: a delay is not
#                                                      recovered within 2 us or what merge says it is known by
import json
import os
import statistics
import subprocess
import sys
import tempfile

DELAYS = [(0, 1), (5, 1), (50, 1), (250, 1), (1000, 1), (5, 0), (250, 0)]  # us, and the rank that is late
LAYERS, SPIN_US, COLD = 3, 20, 3
SPIN = r"""
extern "C" __global__ void spin(const long long *ns) {
  unsigned long long began, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(began));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (static_cast<long long>(now - began) < *ns);
}
"""


def rank_program(delay_us, late, replays):
    import torch
    import torch.distributed as distributed

    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    distributed.init_process_group("nccl", device_id=torch.device("cuda", local))
    rank = distributed.get_rank()
    spin = torch.cuda._compile_kernel(SPIN, "spin")
    torch.manual_seed(rank)
    weight = torch.randn(1024, 1024, device="cuda", dtype=torch.half) / 32
    x = torch.randn(64, 1024, device="cuda", dtype=torch.half)
    lengths = [torch.tensor([1000 * (SPIN_US + (delay_us if layer == 1 and rank == late else 0))], device="cuda") for layer in range(LAYERS)]

    def step(batch):
        for layer in range(LAYERS):
            with torch.cuda.nvtx.range(f"layer {layer}"):
                batch = torch.relu(batch @ weight)
                spin(grid=(1, 1, 1), block=(1, 1, 1), args=(lengths[layer],))
                distributed.all_reduce(batch)
        return batch * 0.5

    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.no_grad(), torch.cuda.stream(side):
        for _ in range(3):
            step(x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=side, capture_error_mode="thread_local"):
            step(x)
        distributed.barrier()
        for i in range(replays):
            graph.replay()
            if i % 10 == 9:
                torch.cuda.synchronize()
        torch.cuda.synchronize()
    del graph
    distributed.destroy_process_group()


def lengths_of_spins(graphprof, path, folder):
    """Median us of the kernel in each layer, as the rank's own recording has it."""
    lines = os.path.basename(path) + ".jsonl"
    subprocess.run([graphprof, "convert", path, lines], cwd=folder, check=True, capture_output=True)
    times = {}
    with open(os.path.join(folder, lines)) as file:
        for record in map(json.loads, file):
            if record.get("name") == "spin" and not record["cold"] and record["duration_ns"] is not None:
                times.setdefault(record["path"].split("/")[0], []).append(record["duration_ns"] / 1e3)
    return {layer: statistics.median(each) for layer, each in times.items()}


def figure(ns):
    return "--" if ns is None else f"{ns / 1e3:.2f}"


def check(graphprof, delay_us, late, replays):
    """Runs the job and prints a row. Returns what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        command = [graphprof, "run", "-o", "run.{rank}.gprof", "--", sys.executable, "-m", "torch.distributed.run", "--standalone",
                   "--nproc_per_node=2", os.path.abspath(__file__), "--rank", str(delay_us), str(late), str(replays)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240)
        if done.returncode != 0:
            return [f"{' '.join(command)}: status {done.returncode}: {done.stderr[-3000:]}"]
        files = [os.path.join(folder, f"run.{rank}.gprof") for rank in range(2)]
        merged = subprocess.run([graphprof, "merge", "--json", *files], capture_output=True, text=True)
        if merged.returncode != 0:
            return [f"graphprof merge: {merged.stderr}{done.stderr[-2000:]}"]
        document = json.loads(merged.stdout)
        rows = [row for row in document["collectives"] if row["path"].startswith("layer 1/")]
        if len(rows) != 1 or rows[0]["count"] < replays - COLD:
            text = subprocess.run([graphprof, "merge", "--all", *files], capture_output=True, text=True).stdout
            return [f"not {replays - COLD} or more executions of one collective in layer 1:\n{text}"]
        row, waiting_rank = rows[0], 1 - late
        shares = {share["rank"]: share for share in row["ranks"]}
        waiting, known = shares[waiting_rank]["waiting_p50_ns"], shares[waiting_rank]["uncertainty_ns"]
        spins = [lengths_of_spins(graphprof, path, folder).get("layer 1") for path in files]
        injected = 1e3 * (spins[late] - spins[waiting_rank]) if None not in spins else None
        ranks = {one["rank"]: one for one in document["ranks"]}
        print(f"| {delay_us} us, rank {late} | {figure(injected)} | {figure(waiting)} | {figure(shares[waiting_rank]['waiting_p95_ns'])} | "
              f"{figure(shares[late]['waiting_p50_ns'])} | {figure(known)} | {figure(row['transferring_p50_ns'])} | "
              f"{shares[late]['last_in']} of {row['count']} | {ranks[late]['slowest_in']} of {ranks[late]['steps']} | "
              f"{figure(ranks[late]['behind_p50_ns'])} |", flush=True)
        for remark in document["remarks"]:
            print(f"    {remark}", file=sys.stderr)
        for clock in document["clocks"]:
            print(f"    clock: {clock}", file=sys.stderr)
        allowed = max(2_000, known)
        if waiting is None:
            return [] if 1e3 * delay_us <= known + allowed else [f"{delay_us} us: no wait was found, though the clock is known within {known} ns"]
        return [] if abs(waiting - 1e3 * delay_us) <= allowed else [f"{delay_us} us on rank {late}: merge says {waiting} ns, within {known} ns"]


def main():
    if sys.argv[1:2] == ["--rank"]:
        rank_program(*(int(word) for word in sys.argv[2:]))
        return
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: test/gpu/run/merge.py GRAPHPROF [REPLAYS]")
    graphprof, replays = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 300
    print("Two ranks, an all-reduce behind a delay; times in us\n")
    print("| delay | in the recordings | waiting of the other, median | P95 | waiting of the late one | known within | transferring | "
          "late one last in | slowest in | behind |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    wrong = [each for delay_us, late in DELAYS for each in check(graphprof, delay_us, late, replays)]
    for each in wrong:
        print(f"WRONG: {each}", flush=True)
    sys.exit(1 if wrong else 0)


main()
