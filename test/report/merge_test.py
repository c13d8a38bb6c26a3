#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# graphprof merge: ranks, clocks, waiting and transferring, of made-up jobs in which the truth is known (jobs.py).
#
#     test/report/merge_test.py GRAPHPROF [unittest's arguments]

import csv
import gzip
import io
import json
import os
import random
import subprocess
import sys
import unittest

from folders import FolderCase
from jobs import ALL_REDUCE, BEGAN, HostClock, Job, OneWayJob
from recordings import Recording, Region

GRAPHPROF = None


class Case(FolderCase):
    def files(self, job, ranks=None):
        return [self.write(f"rank{rank}.gprof", job.recordings[rank].gprof())
                for rank in (range(len(job.recordings)) if ranks is None else ranks)]

    def run_command(self, *words):
        return subprocess.run([GRAPHPROF, *words], capture_output=True, text=True, cwd=self.folder,
                              env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)

    def merge(self, *words, status=0):
        result = self.run_command("merge", *words)
        self.assertEqual(result.returncode, status, result.stderr + result.stdout)
        return result

    def json(self, *words):
        return json.loads(self.merge("--json", *words).stdout)

    def refused(self, words, *texts):
        said = self.merge(*words, status=2).stderr
        for text in texts:
            self.assertIn(text, said)


def of_rank(rows, rank):
    return next(row for row in rows if row["rank"] == rank)


class Delays(Case):
    """A delay on one rank is what the others wait: within 2 us, or what the report says it is known by."""

    def check(self, job, late, delayed, document):
        rows = {row["path"]: row for row in document["collectives"]}
        for layer in range(4):
            row = rows[f"layer {layer}/{ALL_REDUCE}"]
            for share in row["ranks"]:
                rank = share["rank"]
                known = max(2_000, share["uncertainty_ns"])
                self.assertLess(share["uncertainty_ns"], 4_000)
                waits = sorted(job.waiting[rank, step, layer] for step in range(1, 40))
                truth = waits[len(waits) // 2]
                where = f"layer {layer}, rank {rank}, {delayed} ns"
                if share["waiting_p50_ns"] is None:
                    self.assertLessEqual(truth, share["uncertainty_ns"] + known, where)
                else:
                    self.assertLess(abs(share["waiting_p50_ns"] - truth), known, where)
                if layer == 2 and delayed >= 50_000:
                    self.assertEqual(share["last_in"], 39 if rank == late else 0, where)
                self.assertLess(abs(share["transferring_p50_ns"] - 9_000), known, where)

    def test_inside_a_replay(self):
        for ranks, hosts in ((2, 1), (2, 2), (4, 2), (64, 4)):
            for delayed in (5_000, 50_000, 250_000, 1_000_000) if ranks < 64 else (5_000, 250_000):
                with self.subTest(f"{ranks} ranks on {hosts} hosts, {delayed} ns"):
                    late = ranks // 2
                    job = Job(ranks, hosts, delay=lambda rank, step, layer: delayed if (rank, layer) == (late, 2) else 0)
                    document = self.json(*self.files(job))
                    self.check(job, late, delayed, document)
                    self.assertEqual(len(document["clocks"]), hosts)
                    self.assertEqual(document["steps"][0]["slowest"], late)
                    one = of_rank(document["ranks"], late)
                    self.assertEqual(one["steps"], 39)
                    # By 5 us one of 64 ranks may be behind by chance, now and then.
                    self.assertGreaterEqual(one["slowest_in"], 39 if ranks < 64 or delayed > 5_000 else 36)
                    self.assertLess(abs(one["behind_p50_ns"] - delayed), 2_000)

    def test_of_the_host_before_a_launch(self):
        job = Job(4, 2, before_launch=lambda rank, step: 100_000 if rank == 3 and step % 3 == 0 else 0)
        document = self.json(*self.files(job))
        first = next(row for row in document["collectives"] if row["path"].startswith("layer 0/"))
        self.assertEqual(of_rank(first["ranks"], 3)["last_in"], 13)
        waits = sorted(job.waiting[0, step, 0] for step in range(1, 40))
        self.assertLess(abs(of_rank(first["ranks"], 0)["waiting_p95_ns"] - waits[int(0.95 * 38)]), 2_000)
        self.assertGreaterEqual(of_rank(document["ranks"], 3)["slowest_in"], 13)
        late = {step["step"] for step in document["steps"] if step["slowest"] == 3 and step["behind_ns"] > 90_000}
        self.assertEqual(late, set(range(3, 40, 3)))

    # A wait that is shorter than the uncertainty of the clocks gets no number.
    def test_waits_below_the_uncertainty_are_unknown(self):
        job = Job(2, 2, jitter=20_000, transfer=200_000, delay=lambda rank, step, layer: 15_000 if rank == 1 else 0)
        document = self.json(*self.files(job))
        for row in document["collectives"]:
            self.assertGreater(row["uncertainty_ns"], 20_000)
            self.assertIsNone(row["longest_wait_p50_ns"])
            self.assertGreater(row["last_unknown"], 20)
        text = self.merge(*self.files(job)).stdout
        self.assertRegex(text, rf"layer {{}}/{ALL_REDUCE} ×4 +156 +<\d")


    # A rank is named only where chance does not explain that it is the slowest, or the last.
    def test_nobody_is_named_by_chance(self):
        draw = random.Random(3)
        noise = Job(4, before_launch=lambda rank, step: draw.gauss(100_000, 20_000))
        rows = self.json(*self.files(noise))
        self.assertEqual([step["slowest"] for step in rows["steps"]], [None] * 39)
        text = self.merge(*self.files(noise)).stdout
        self.assertRegex(text, rf"layer 0/{ALL_REDUCE} +39 .*no rank more than others\n")
        # Each takes its turn: each step has its slowest rank, and the job has none.
        turns = Job(4, delay=lambda rank, step, layer: 40_000 if layer == 1 and step % 4 == rank else 0)
        self.assertEqual([step["slowest"] for step in self.json(*self.files(turns))["steps"]], [step % 4 for step in range(1, 40)])
        self.assertRegex(self.merge(*self.files(turns)).stdout, rf"layer 1/{ALL_REDUCE} +39 .*no rank more than others\n")


class Clocks(Case):
    def test_of_hosts_are_aligned_by_the_ends(self):
        clocks = [HostClock(), HostClock(3_600_000_000_000, 50_000, 5_000), HostClock(-20_000_000, -30_000, 0)]
        document = self.json(*self.files(Job(6, 3, clocks=clocks)))
        first, second, third = document["clocks"]
        self.assertEqual((first["ranks"], first["ahead_ns"], first["collectives"]), ([0, 1], 0, 0))
        self.assertLess(abs(second["ahead_ns"] - 3_600_000_000_000), 10_000)
        self.assertLess(abs(third["drift_ns_per_s"] + 30_000), 1_000)
        self.assertEqual(third["collectives"], 160)
        self.assertTrue(all(rank["clock_uncertainty_ns"] < 1_500 for rank in document["ranks"]))

    def test_wandering_clocks_are_followed(self):
        """Clocks that wander over a long time are followed."""
        job = Job(2, 2, steps=400, layers=2, clocks=[HostClock(), HostClock(0, 20_000, 30_000)],
                  delay=lambda rank, step, layer: 50_000 if rank == 0 and layer == 1 else 0)
        document = self.json(*self.files(job))
        row = next(row for row in document["collectives"] if row["path"].startswith("layer 1/"))
        self.assertLess(row["uncertainty_ns"], 3_000)
        self.assertLess(abs(of_rank(row["ranks"], 1)["waiting_p50_ns"] - 50_000), 2_000)

    def test_machines_of_one_name_differ(self):
        """Two machines of one name are told apart."""
        document = self.json(*self.files(Job(4, 2, names=["localhost"] * 4)))
        self.assertEqual(sorted(rank for clock in document["clocks"] for rank in clock["ranks"]), [0, 1, 2, 3])
        self.assertGreater(len(document["clocks"]), 1)
        self.assertTrue(any("is taken for another one" in remark for remark in document["remarks"]))
        self.assertLess(document["collectives"][0]["uncertainty_ns"], 3_000)

    def test_clocks_without_collective_stay_apart(self):
        """Clocks of hosts without a collective are not compared."""
        job = Job(2, 2)
        document = self.json("--collectives", "no such thing", *self.files(job))
        self.assertEqual([clock["known"] for clock in document["clocks"]], [True, False])
        self.assertEqual(document["collectives"], [])
        self.assertTrue(any("there is no collective" in remark for remark in document["remarks"]))
        self.assertEqual(len(document["steps"]), 39)  # each rank's own time needs no clock but its own
        self.assertIn("not known: no collective in common", self.merge("--collectives", "no such", *self.files(job)).stdout)


class Ranks(Case):
    def test_that_two_claim(self):
        job = Job(3)
        job.recordings[2].rank = 1
        self.refused(self.files(job), "both are rank 1", "rank1.gprof", "pid 101", "rank2.gprof", "pid 102", "--in-order")
        document = self.json("--in-order", *self.files(job))
        self.assertEqual([rank["rank"] for rank in document["ranks"]], [0, 1, 2])

    def test_that_are_missing(self):
        job = Job(5)
        self.assertIn("no recording of rank 1, 3: waiting is shown", self.merge(*self.files(job, (0, 2, 4))).stdout)
        self.refused(self.files(job, (2,)), "is the only rank", "graphprof report")

    def test_in_several_files_of_one_process(self):
        job = Job(2, steps=20)
        both, first, second = job.recordings[1], [], []
        whole = both.replays
        both.replays = whole[:12]
        first = self.write("1-first.gprof", both.gprof())
        both.replays = whole[10:]
        second = self.write("1-second.gprof", both.gprof())
        document = self.json(*self.files(job, (0,)), first, second)
        self.assertEqual([rank["replays"] for rank in document["ranks"]], [20, 20])
        self.assertEqual(document["not_compared"]["twice"], 2)
        self.assertTrue(any("in two files of a process" in remark for remark in document["remarks"]))

    def test_of_different_lengths(self):
        job = Job(2)
        del job.recordings[1].replays[-3:]
        del job.recordings[1].replays[10]
        document = self.json(*self.files(job))
        self.assertEqual(len(document["steps"]), 35)
        self.assertEqual(document["not_compared"]["replays"], 4)
        self.assertTrue(any("different numbers of replays: rank 1 36, rank 0 40" in remark for remark in document["remarks"]))
        # Behind what is missing, the step before is not known, so only the replay itself counts.
        self.assertTrue(all(step["slowest_ns"] > 10_000_000 for step in document["steps"] if step["step"] not in (11,)))
        self.assertLess(next(step for step in document["steps"] if step["step"] == 11)["slowest_ns"], 1_000_000)

    def test_only_some_ranks_talk(self):
        # Two pairs, each with an exec of its own shape and at its own pace.
        job, other = Job(2, seed=1), Job(2, seed=2, work=33_000)
        for i, recording in enumerate(other.recordings):
            recording.rank, recording.pid = 2 + i, 200 + i
        files = self.files(job) + [self.write(f"rank{2 + i}.gprof", recording.gprof()) for i, recording in enumerate(other.recordings)]
        document = self.json("--group", "0-1", "--group", "2,3", *files)
        self.assertEqual([row["count"] for row in document["collectives"]], [78] * 4)
        self.assertEqual(document["not_compared"]["impossible"], 0)
        self.refused(["--group", "0-1", "--group", "1,2", *files], "rank 1 is in another group")
        self.refused(["--group", "7", *files], "no recording is of rank 7")
        self.refused(["--group", "x", *files], "must be numbers of ranks")

    # Ranks whose regions have names of their own meet by collectives.
    def test_with_own_regions_meet_by_collectives(self):
        job = Job(2)
        for rank, recording in enumerate(job.recordings):
            extra = Region(f"only on rank {rank}")
            recording.regions.append(extra)
            for *_, records in recording.replays:
                records.append((extra, records[-1][1], 10))
        document = self.json(*self.files(job))
        self.assertEqual([row["count"] for row in document["collectives"]], [39] * 4)

    def test_of_which_one_captured_another_graph_first(self):
        job = Job(2)
        other = Region("warm-up")
        recording = job.recordings[1]
        recording.regions.append(other)
        for replay in recording.replays:
            replays = recording.replays
            replays[replays.index(replay)] = (2, *replay[1:])
        recording.replays.insert(0, (1, 0, False, -1, BEGAN, BEGAN + 10, [(other, BEGAN, 10)]))
        document = self.json(*self.files(job))
        self.assertEqual([row["count"] for row in document["collectives"]], [39] * 4)
        self.assertEqual(document["not_compared"]["replays_of_one_rank"], 1)


class Collectives(Case):
    def test_can_be_regions_by_name(self):
        job = Job(2)
        document = self.json("--collectives", "^layer [01]$", *self.files(job))
        self.assertEqual([row["path"] for row in document["collectives"]], ["layer 0", "layer 1"])
        self.refused(["--collectives", "(", *self.files(job)], "is not a regular expression")

    def test_partial_collectives_are_not_split(self):
        """Collectives that not all ranks wait in are not split."""
        job = Job(2, layers=1)
        for recording in job.recordings:
            recording.regions[2].name = "ncclDevKernel_Broadcast_RING_LL"
        document = self.json(*self.files(job))
        self.assertEqual(document["collectives"], [])
        self.assertEqual(document["not_compared"]["root_unknown"], 39)
        self.assertTrue(any(remark.startswith("39 broadcasts, reductions to one rank, or sends not split: which rank is the root is not "
                                              "known; --root") for remark in document["remarks"]))

    def test_of_unknown_kernels_are_counted(self):
        job = Job(2, layers=1)
        for recording in job.recordings:
            recording.regions[2].name = "ncclDevKernel_Generic"
        document = self.json(*self.files(job))
        self.assertTrue(any("80 records of NCCL's other kernels not split" in remark for remark in document["remarks"]))

    def test_collectives_have_nccls_kernel_names(self):
        """Collectives have the names that NCCL gives its kernels."""
        for name, splits in (("ncclKernel_AllReduce_RING_LL_Sum_float", True), ("ncclSymkDevKernel_AllGather_LL", True),
                             ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", True), ("ncclDevKernel_Reduce_Sum_f32_RING_LL", False),
                             ("ncclDevKernel_SendRecv", False), ("my_ncclDevKernel_AllReduce", False)):
            with self.subTest(name):
                job = Job(2, layers=1, steps=3)
                for recording in job.recordings:
                    recording.regions[2].name = name
                self.assertEqual(len(self.json(*self.files(job))["collectives"]), 1 if splits else 0)

    def test_of_which_one_rank_lost_a_part(self):
        job = Job(3)
        records = job.recordings[1].replays[5][6]
        del records[3:6]  # layer 1
        replays = job.recordings[2].replays
        graph, count, cold, step, begin, end, records = replays[7]
        records = [(region, start, None if region.name == ALL_REDUCE else ns) for region, start, ns in records]
        replays[7] = (graph, count, cold, step, begin, end, records)
        document = self.json(*self.files(job))
        self.assertEqual([row["count"] for row in document["collectives"]], [38, 37, 38, 38])
        self.assertEqual((document["not_compared"]["collectives"], document["not_compared"]["not_measured"]), (2, 12))

    def test_that_cannot_be_one_are_said(self):
        job = Job(2)
        for i, replay in enumerate(job.recordings[1].replays):
            if i % 10 == 1:
                job.recordings[1].replays[i] = (*replay[:6], [(region, start + 400_000, ns) for region, start, ns in replay[6]])
        document = self.json(*self.files(job))
        self.assertEqual(document["not_compared"]["impossible"], 16)
        self.assertIn("a rank ended before another began", self.merge(*self.files(job)).stdout)

    def test_outside_graphs(self):
        job = Job(2)
        for recording in job.recordings:
            eager = []
            for _, _, cold, step, _, _, records in recording.replays:
                for region, start, ns in records[0::3]:
                    eager.append((0, 0, False, step, start, start + ns, [(region, start, ns)]))
            recording.replays = eager
        document = self.json("--collectives", "^layer", *self.files(job))
        self.assertEqual([row["count"] for row in document["collectives"]], [40] * 4)


class Printed(Case):
    def test_without_steps_each_launch_is_one(self):
        document = self.json(*self.files(Job(2, numbered=False)))
        self.assertEqual(document["step_is"], "launch")
        self.assertEqual([step["launch"] for step in document["steps"]], list(range(1, 40)))

    def named(self, names, launches=5):
        """A file of each rank. names: of each rank, what its graphs of one region serve, in the order in which it captures them."""
        region = Region("step")
        files = []
        for rank, batches in enumerate(names):
            recording = Recording([region], program="serve", pid=100 + rank, rank=rank)
            recording.names = {graph: ("decode", [("batch", batch)]) for graph, batch in enumerate(batches, 1)}
            for _ in range(launches):
                for graph, batch in enumerate(batches, 1):
                    recording.replay([(region, 1000 * batch)], graph=graph)
            files.append(self.write(f"rank{rank}.gprof", recording.gprof()))
        return files

    def test_graphs_go_by_the_names_that_the_program_gave_them(self):
        """What has one name is one graph, though the ranks capture theirs in another order."""
        files = self.named([(8, 4), (4, 8)])
        steps = self.json(*files)["steps"]
        self.assertEqual(sorted((step["graph_name"], step["launch"]) for step in steps),
                         sorted((f"decode batch={batch}", launch) for batch in (4, 8) for launch in {step["launch"] for step in steps}))
        self.assertRegex(self.merge("--show", "steps", *files).stdout, r"\n\d+ of decode batch=[48] +rank 0 ")

    def test_a_name_of_one_rank_names_no_launch_of_all(self):
        document = self.json(*self.named([(1,), (2,)]))
        self.assertEqual({step["graph_name"] for step in document["steps"]}, {None})
        self.assertEqual(document["not_compared"]["replays_of_one_rank"], 0)

    def test_as_a_table(self):
        job = Job(12, 2, delay=lambda rank, step, layer: 90_000 if rank == 7 and layer == 3 else 0)
        text = self.merge("--top", "3", *self.files(job)).stdout
        self.assertRegex(text, r"clock of node1, ranks 6, 7, 8, 9, 10, 11: 12\.34\dms ahead of the first at its begin, gaining \d")
        self.assertRegex(text, r"\n +7  node1 +\S+ +\S+ +39 \(100%\)")
        self.assertIn("\n9 ranks more (--all)\n", text)
        self.assertIn("\n36 steps more (--all)\n", text)
        # Only layers that agree share a row.
        self.assertRegex(text, rf"layer 3/{ALL_REDUCE} +39 .*rank 7: 39 \(100%\)")
        self.assertRegex(text, rf"layer {{}}/{ALL_REDUCE} ×3 +117 ")
        self.assertIn("\n×N are N collectives that agree; --all shows each\n", text)
        self.assertIn("1 cold launch left out", text)
        text = self.merge("--all", "--show", "collectives", *self.files(job)).stdout
        self.assertRegex(text, rf"layer 3/{ALL_REDUCE} +39 .*rank 7: 39 \(100%\)")
        self.assertNotIn("time of each rank", text)

    def test_what_csv_is_of(self):
        job = Job(2, delay=lambda rank, step, layer: 90_000 if rank == 1 and layer == 3 else 0)
        files = self.files(job)
        rows = list(csv.DictReader(io.StringIO(self.merge("--csv", *files).stdout)))
        self.assertEqual([(row["path"], row["rank"]) for row in rows[-2:]], [(f"layer 3/{ALL_REDUCE}", "0"), (f"layer 3/{ALL_REDUCE}", "1")])
        rows = list(csv.DictReader(io.StringIO(self.merge("--csv", "--show", "ranks", *files).stdout)))
        self.assertEqual([row["slowest_in"] for row in rows], ["0", "39"])
        rows = list(csv.DictReader(io.StringIO(self.merge("--csv", "--show", "steps", *files).stdout)))
        self.assertEqual({row["slowest"] for row in rows}, {"1"})
        self.refused(["--csv", "--show", "steps,ranks", *files], "with --csv one of")
        self.refused(["--show", "rank", *files], "must be ranks, steps or collectives")
        self.refused(["--csv", "--json", *files], "exclude each other")

    def test_busy_times_are_carried_through(self):
        """Of a rank's own kernels in a step, added up, and of its collectives."""
        job = Job(2, steps=10, layers=2)
        for rank, recording in enumerate(job.recordings):
            for i, layer in enumerate((0, 3)):
                recording.busy[recording.regions[layer + 1]] = (18_000 + 1_000 * rank + 100 * i, 900, 21, "launch")
                recording.busy[recording.regions[layer + 2]] = (8_000 + 500 * rank, -1 if i else 700, 7, "launch" if i == 0 else "")
        paths = [self.write(f"rank{i}.gprof", recording.gprof()) for i, recording in enumerate(job.recordings)]
        document = json.loads(self.merge("--json", *paths).stdout)
        self.assertEqual([rank["busy_p50_ns"] for rank in document["ranks"]], [36_100, 38_100])
        self.assertEqual([rank["collectives"]["busy_ns"] for rank in document["ranks"]], [8_000, 8_500])
        first, second = sorted(document["collectives"], key=lambda one: one["path"])
        figures = lambda one: [one[name] for name in ("busy_ns", "gap_ns", "gap_cause", "busy_replays")]
        self.assertEqual(figures(first), [8_250, 700, "launch", 14])
        self.assertEqual(figures(second), [8_250, None, None, 14])
        self.assertEqual([figures(one) for one in first["ranks"]], [[8_000, 700, "launch", 7], [8_500, 700, "launch", 7]])
        text = self.merge(*paths).stdout
        self.assertRegex(text, r"Own time +P95 +Busy +Slowest in")
        self.assertRegex(text, r"Transferring +Busy +Gap +Uncertainty")
        trace = os.path.join(self.folder, "busy.json")
        self.merge("-o", trace, *paths)
        with open(trace, encoding="utf-8") as file:
            kernels = [event["args"] for event in json.load(file)["traceEvents"] if event.get("cat") == "kernel" and event["name"] == "work"]
        self.assertEqual({args["busy_us"] for args in kernels}, {18, 18.1, 19, 19.1})
        # Where it is not known of a kernel, it is not of the rank, and has no column if it is of none.
        for recording in job.recordings:
            del recording.busy[recording.regions[4]]
        paths = [self.write(f"part{i}.gprof", recording.gprof()) for i, recording in enumerate(job.recordings)]
        document = json.loads(self.merge("--json", *paths).stdout)
        self.assertEqual([rank["busy_p50_ns"] for rank in document["ranks"]], [None, None])
        for recording in job.recordings:
            recording.busy = {}
        paths = [self.write(f"none{i}.gprof", recording.gprof()) for i, recording in enumerate(job.recordings)]
        self.assertNotIn("Busy", self.merge(*paths).stdout)

    def test_as_one_trace(self):
        job = Job(4, 2, steps=5)
        result = self.merge("-o", "job.json.gz", *self.files(job))
        self.assertIn("wrote job.json.gz", result.stderr)
        with gzip.open(os.path.join(self.folder, "job.json.gz")) as file:
            trace = json.load(file)
        events = trace["traceEvents"]
        labels = {event["pid"]: event["args"]["labels"] for event in events if event["name"] == "process_labels"}
        self.assertEqual([labels[1000 * (rank + 1)] for rank in range(4)], [f"GPU 0, rank {rank}" for rank in range(4)])
        self.assertEqual(labels[4999], "CPU, rank 3")
        # On one clock: the ends of each collective are together, though the hosts' clocks are 12 ms apart.
        times = [sorted(event["ts"] + event["dur"] for event in events if event["name"] == ALL_REDUCE and event["pid"] == 1000 * (rank + 1))
                 for rank in range(4)]
        self.assertEqual([len(each) for each in times], [20] * 4)
        self.assertTrue(all(max(each) - min(each) < 4 for each in zip(*times)))
        arrows = [event["id"] for event in events if event["ph"] == "s"]
        self.assertEqual(len(set(arrows)), 4 * 5)
        self.assertEqual(len(arrows), 4 * 5)
        self.refused(["-o", "job.txt", *self.files(job)], "must be a path that ends with .json")
        self.refused(["-o", "no/such/folder.json", *self.files(job)], "no/such/folder.json")
        unknown = self.merge("--collectives", "none", "-o", "job.json", *self.files(job)).stderr
        self.assertIn("2 ranks are left out: no collective tells their clocks", unknown)

    def test_what_cannot_be_read(self):
        job = Job(2)
        files = self.files(job)
        self.refused([files[0], "nowhere.gprof"], "nowhere.gprof")
        alone = Job(2).recordings[1]
        alone.replays = [(1, 0, False, 0, BEGAN, BEGAN + 10, [(Region("other"), BEGAN, 10)])]
        alone.regions = [alone.replays[0][6][0][0]]
        self.refused([files[0], self.write("other.gprof", alone.gprof())], "no launch in common", "graphprof report --group-by rank")
        cut = self.write("cut.gprof", job.recordings[1].gprof()[:-1_000])
        result = self.merge("--json", files[0], cut)
        self.assertIn("cut.gprof", result.stderr)
        self.assertGreater(len(json.loads(result.stdout)["steps"]), 20)


BROADCAST, REDUCE, SEND = "ncclDevKernel_Broadcast_RING_LL", "ncclDevKernel_Reduce_Sum_f32_RING_LL", "ncclDevKernel_SendRecv"


class OneWay(Case):
    """Broadcasts, reductions to one rank, and sends: who waits for whom follows from begins and ends, or the user says it."""

    @staticmethod
    def scattered(late=30_000):
        """Each rank in its turn begins later than another ends."""
        return lambda rank, step: late * ((rank + step) % 3)

    def check(self, job, root, flow, *words):
        """One row, whose waits are the truth. Returns it."""
        document = self.json(*words, *self.files(job))
        self.assertEqual(len(document["collectives"]), 1, document["remarks"])
        row = document["collectives"][0]
        self.assertEqual((row["flow"], row["root"], row["count"]), (flow, root, 39))
        for share in row["ranks"]:
            rank = share["rank"]
            if (rank == root) != (flow == "to_root"):  # nothing is known of whether it waits
                self.assertEqual((share["count"], share["waiting_p50_ns"], share["transferring_p50_ns"]), (0, None, None))
                continue
            truth = sorted(job.waits[rank])[19]
            self.assertEqual((rank, share["waiting_p50_ns"]), (rank, truth if truth > share["uncertainty_ns"] else None))
            longest = max(job.waits[rank])
            self.assertEqual(share["waiting_max_ns"], longest if longest > share["uncertainty_ns"] else None)
            self.assertEqual(share["transferring_p50_ns"], 9_000)
        return row

    def unknown(self, job, key, *words):
        document = self.json(*words, *self.files(job))
        self.assertEqual(document["collectives"], [])
        self.assertGreater(document["not_compared"][key], 0)

    # The root of a broadcast is who never begins after another ended.
    def test_the_root_of_a_broadcast(self):
        for root in range(3):
            row = self.check(OneWayJob(BROADCAST, 3, root, "from", self.scattered()), root, "from_root")
            self.assertEqual(of_rank(row["ranks"], root)["last_in"], 26)  # it holds up others unless it is the first
        text = self.merge(*self.files(OneWayJob(BROADCAST, 3, 1, "from", self.scattered()))).stdout
        self.assertIn(BROADCAST + " from rank 1", text)

    # The root of a reduction is who never ends before another begins.
    def test_the_root_of_a_reduction(self):
        for root in range(3):
            self.check(OneWayJob(REDUCE, 3, root, "to", self.scattered()), root, "to_root")

    def test_sender_begins_before_receivers_end(self):
        """Who sends never begins after the other ended."""
        self.check(OneWayJob(SEND, 2, 1, "from", self.scattered()), 1, "pair")

    def test_user_names_an_unknown_root(self):
        """Without executions that tell the root, the user says who it is."""
        job = OneWayJob(BROADCAST, 3, 2, "from", lambda rank, step: 50_000 if rank == 2 else 1_000 * rank)
        self.unknown(job, "root_unknown")
        for said in "2", "Broadcast=2":
            row = self.check(job, 2, "from_root", "--root", said)
        self.assertEqual(row["longest_wait_p50_ns"], 50_000)
        self.unknown(job, "root_unknown", "--root", "other=2")
        self.refused(["--root", "x", *self.files(job)], "--root x: must be the number of a rank")
        self.refused(["--root", "(=1", *self.files(job)], "is not a regular expression")

    def test_contradicted_root_is_refused(self):
        """A root against which executions speak is refused."""
        job = OneWayJob(BROADCAST, 3, 1, "from", self.scattered())
        self.unknown(job, "root_contradicted", "--root", "0")

    def test_two_such_executions_are_not_enough(self):
        late = lambda rank, step: 30_000 if rank == 1 and step in (3, 7) else 0
        self.unknown(OneWayJob(SEND, 2, 0, "from", late), "root_unknown")
        late = lambda rank, step: 30_000 if rank == 1 and step in (3, 7, 9) else 0
        self.check(OneWayJob(SEND, 2, 0, "from", late), 0, "pair")

    def test_an_exchange_has_no_root(self):
        self.unknown(OneWayJob(SEND, 2, 0, "both", self.scattered()), "root_unknown")

    def test_sends_among_several_ranks_need_groups(self):
        job = OneWayJob(SEND, 3, 1, "from", self.scattered())
        self.unknown(job, "sends")
        document = self.json("--group", "1,2", *self.files(job))
        self.assertEqual([(row["root"], row["count"]) for row in document["collectives"]], [(1, 39)])

    # They are not in the figures of collectives in which all wait.
    def test_they_are_in_no_collectives_figures(self):
        document = self.json(*self.files(OneWayJob(BROADCAST, 3, 1, "from", self.scattered())))
        self.assertEqual({rank["collectives"]["count"] for rank in document["ranks"]}, {0})


if __name__ == "__main__":
    GRAPHPROF = os.path.abspath(sys.argv.pop(1))
    unittest.main()
