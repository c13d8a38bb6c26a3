# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Makes up the recordings of a job: ranks on hosts with clocks of their own, layers of work and an all-reduce, which all ranks leave
# at nearly the same time. What each rank waited in truth is known.
import dataclasses
import math
import random

from recordings import Recording, Region

ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f16_RING_LL"
BEGAN = 1_700_000_000_000_000_000


@dataclasses.dataclass
class HostClock:
    """How a host's clock reads: ahead by `ahead` ns, gaining `drift` ns in a second and, slowly to and fro, `wander` ns."""
    ahead: int = 0
    drift: float = 0
    wander: float = 0

    def at(self, ns):
        """At a true time, in ns since BEGAN."""
        return BEGAN + self.ahead + round(ns + self.drift * ns / 1e9 + self.wander * math.sin(ns / 5e8))


CLOCKS = [HostClock(), HostClock(12_345_678, 8_000, 3_000), HostClock(-4_000_000_000, -15_000, 2_000), HostClock(777_000, 40_000, 0)]


class Job:
    """delay(rank, step, layer): ns that a rank computes longer in front of a collective; before_launch(rank, step): likewise its host."""

    def __init__(self, ranks, hosts=1, steps=40, layers=4, delay=None, before_launch=None, seed=1, work=20_000, transfer=9_000,
                 jitter=300, off=300, pause=20_000_000, clocks=None, numbered=True, names=None):
        draw = random.Random(seed)
        self.waiting = {}  # (rank, step, layer): truth
        clocks = clocks or CLOCKS[:hosts]
        host_of = [rank * hosts // ranks for rank in range(ranks)]
        device_off = [draw.uniform(-off, off) for _ in range(ranks)]
        self.recordings = []
        regions = []
        for layer in range(layers):
            around = Region(f"layer {layer}", source="model.cu:7")
            regions += [around, Region("work", around, kind="kernel"), Region(ALL_REDUCE, around, kind="kernel")]
        for rank in range(ranks):
            recording = Recording(regions, program="train", pid=100 + rank, rank=rank, host=names[rank] if names else f"node{host_of[rank]}",
                                  began=BEGAN + rank)
            self.recordings.append(recording)
        free = [1_000_000.0] * ranks
        for step in range(steps):
            cold = step == 0
            launched = max(free) + pause
            begin = [launched + draw.uniform(0, 2_000) + (before_launch(rank, step) if before_launch else 0) for rank in range(ranks)]
            now = list(begin)
            records = [[] for _ in range(ranks)]
            for layer in range(layers):
                started = list(now)
                for rank in range(ranks):
                    now[rank] += work + abs(draw.gauss(0, 200)) + (delay(rank, step, layer) if delay else 0)
                last = max(now)
                for rank in range(ranks):
                    clock = lambda ns: clocks[host_of[rank]].at(ns + device_off[rank])
                    self.waiting[rank, step, layer] = last - now[rank]
                    ended = last + transfer + draw.gauss(0, jitter)
                    of = regions[3 * layer:3 * layer + 3]
                    a, b, c = clock(started[rank]), clock(now[rank]), clock(ended)
                    records[rank] += [(of[0], a, c - a), (of[1], a, b - a), (of[2], b, c - b)]
                    now[rank] = ended
            for rank in range(ranks):
                self.recordings[rank].replays.append((1, step, cold, step if numbered else -1, records[rank][0][1],
                                                      records[rank][-1][1] + records[rank][-1][2], records[rank]))
            free = now

    def truth(self, rank, quantile=0.5):
        """Of the waits of a rank in warm steps."""
        waits = sorted(ns for (of, step, _), ns in self.waiting.items() if of == rank and step > 0)
        return waits[int(quantile * (len(waits) - 1))]


class OneWayJob:
    """Ranks of one host, each with some work and a kernel in which not all wait for all. flow: "from" (the root has the data), "to" (it
    gets it) or "both" (of two ranks that exchange data). begins(rank, step): when a rank begins it, in ns. `waits`: the truth."""

    def __init__(self, kernel, ranks, root, flow, begins, steps=40, transfer=9_000):
        self.recordings, self.waits = [], {rank: [] for rank in range(ranks)}
        work, one = Region("work", kind="kernel"), Region(kernel, kind="kernel")
        for rank in range(ranks):
            self.recordings.append(Recording([work, one], program="train", pid=100 + rank, rank=rank, host="node0", began=BEGAN + rank))
        for step in range(steps):
            at = BEGAN + step * 10_000_000
            begin = [at + 200_000 + begins(rank, step) for rank in range(ranks)]
            others = [ns for rank, ns in enumerate(begin) if rank != root]
            for rank, recording in enumerate(self.recordings):
                waits_for = {"from": begin[root], "to": max(others) if rank == root else 0, "both": max(begin)}[flow]
                if step > 0:
                    self.waits[rank].append(max(waits_for - begin[rank], 0))
                end = max(begin[rank], waits_for) + transfer
                recording.replays.append((1, step, step == 0, step, at, end, [(work, at, begin[rank] - at),
                                                                             (one, begin[rank], end - begin[rank])]))
