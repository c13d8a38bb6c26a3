#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Makes the recordings of this folder. They are made up, not measured: a decode step of two layers, in five processes before a
# change and five after it. The change makes the attention of layer 1 take 6 % longer. And a step with branches, whose nodes and
# edges were recorded: a router, three experts side by side, and what puts their results together.
# And a training step on four ranks of two hosts, of which rank 2 takes 40 us longer than the others in layer 1.

import math
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../test/report"))

from jobs import Job
from recordings import Graph, Node, Recording, Region

TIMES = {"attention": 42_000, "mlp": 61_000, "norm": 3_000}


def process(side, number):
    source = random.Random(f"{side} {number}")
    regions = []
    for layer in range(2):
        outer = Region(f"layer {layer}", source="src/model.cu:31", values=[("0", layer)])
        regions += [outer] + [Region(name, outer, source=f"src/model.cu:{40 + 7 * i}") for i, name in enumerate(TIMES)]
    recording = Recording(regions, program="decode", pid=4000 + number, host="example", devices=("a made-up GPU",), began=1_764_000_000_000_000_000 + number * 10**10)
    factors = {region: math.exp(source.gauss(0, 0.002)) for region in regions}
    for replay in range(25):
        times = []
        for region in regions:
            if region.depth == 0:
                times.append([region, 0])
                outer = times[-1]
                continue
            slowed = side == "after" and region.path == "layer 1/attention"
            ns = TIMES[region.name] * factors[region] * math.exp(source.gauss(0, 0.004)) * (1.06 if slowed else 1)
            ns = 32 * round(ns * (3 if replay == 0 else 1) / 32)
            outer[1] += ns
            times.append((region, ns))
        recording.replay([tuple(one) for one in times], cold=replay == 0, step=replay)
    with open(os.path.join(HERE, f"{side}-{number}.gprof"), "wb") as file:
        file.write(recording.gprof())


for side in ("before", "after"):
    for number in range(1, 6):
        process(side, number)


def branches():
    source = random.Random("branches")
    router, combine = Region("router", kind="kernel"), Region("combine", kind="kernel")
    regions, nodes, experts = [router], [Node(router)], []
    for number, blocks in enumerate((24, 48, 32)):
        outer = Region(f"expert {number}", source="src/experts.cu:18", values=[("0", number)])
        up, down = Region("up_proj", outer, kind="kernel"), Region("down_proj", outer, kind="kernel")
        regions += [outer, up, down]
        nodes.append(Node(up, [nodes[0]], blocks=blocks))
        nodes.append(Node(down, [nodes[-1]], blocks=blocks))
        experts.append((outer, up, down, blocks))
    regions.append(combine)
    nodes.append(Node(combine, [node for node in nodes if node.region.name == "down_proj"]))
    recording = Recording(regions, program="experts", pid=4007, host="example", devices=("a made-up GPU",), began=1_764_000_070_000_000_000)
    recording.graphs = [Graph(nodes, regions)]
    steps = lambda us: 32 * round(us * 1000 * math.exp(source.gauss(0, 0.01)) / 32)
    for replay in range(25):
        first = steps(6)
        times, at = [(router, 0, first)], first + 992
        for outer, up, down, blocks in experts:
            one, other = steps(0.9 * blocks), steps(0.6 * blocks)
            times += [(outer, at, one + 992 + other), (up, at, one), (down, at + one + 992, other)]
        end = max(start + duration for _, start, duration in times)
        recording.replay_at(times + [(combine, end + 992, steps(5))], cold=replay == 0, step=replay)
    with open(os.path.join(HERE, "branches.gprof"), "wb") as file:
        file.write(recording.gprof())


branches()

job = Job(4, hosts=2, steps=25, layers=2, delay=lambda rank, step, layer: 40_000 if (rank, layer) == (2, 1) else 0, pause=200_000)
for rank, recording in enumerate(job.recordings):
    with open(os.path.join(HERE, f"job-{rank}.gprof"), "wb") as file:
        file.write(recording.gprof())
