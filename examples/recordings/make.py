#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Makes the recordings of this folder. They are made up, not measured: a decode step of two layers, in three processes before a
# change and three after it. The change makes the attention of layer 1 take 6 % longer. And a training step on four ranks of two
# hosts, of which rank 2 takes 40 us longer than the others in layer 1.

import math
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../test/report"))

from jobs import Job
from recordings import Recording, Region

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
    for number in (1, 2, 3):
        process(side, number)

job = Job(4, hosts=2, steps=25, layers=2, delay=lambda rank, step, layer: 40_000 if (rank, layer) == (2, 1) else 0, pause=200_000)
for rank, recording in enumerate(job.recordings):
    with open(os.path.join(HERE, f"job-{rank}.gprof"), "wb") as file:
        file.write(recording.gprof())
