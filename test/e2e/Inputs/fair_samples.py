# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Whether the records of test/e2e/fair_samples.cu are a fair sample of its launches: fair_samples.py PROGRAM"""

import collections
import csv
import math
import os
import subprocess
import sys

LAUNCHES = 4000
PATTERNS = ("2", "3", "4", "8", "random")
TERMS = {
    "parts": {"GRAPHPROF_PARTS": "4"},
    "samples": {"GRAPHPROF_SAMPLE": "1/10"},
    "budget": {"GRAPHPROF_BUDGET": "1%"},
    "small budget": {"GRAPHPROF_BUDGET": "0.1%"},
}


def recorded(terms, pattern):
    """By layer, {launch: duration} of what enters averages."""
    environment = dict(os.environ, GRAPHPROF_OUTPUT="records.csv", GRAPHPROF_CLOCK="stamp", CUDASIM_REAL_TIME="0", **terms)
    subprocess.run([sys.argv[1], pattern, str(LAUNCHES)], env=environment, check=True, stderr=subprocess.DEVNULL)
    layers = collections.defaultdict(dict)
    with open("records.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["cold"] == "0" and row["replay"]:
                layers[row["name"]][int(row["replay"])] = int(row["duration_ns"])
    return layers


def errors(durations, truth):
    """By how many standard errors the mean of what was recorded is off."""
    mean = sum(truth) / len(truth)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in truth) / len(truth))
    return (sum(durations) / len(durations) - mean) / deviation * math.sqrt(len(durations))


def main():
    faults = []
    off = []
    for name, terms in TERMS.items():
        without = sum(map(len, recorded(terms, "0").values()))
        for pattern in PATTERNS:
            layers = recorded(terms, pattern)
            count = sum(map(len, layers.values()))
            # Where a price cannot be seen, what is assumed counts; the N of a budget is a power of two.
            if not without / 3 <= count <= 3 * without:
                faults.append(f"{name}, pattern {pattern}: {count} records, {without} without a pattern")
            for layer in range(8):
                samples = layers.get(f"layer {layer}", {})
                if len(samples) < 10:
                    faults.append(f"{name}, pattern {pattern}: {len(samples)} of layer {layer}")
                    continue
                ns = 10_000 + 3_000 * layer
                slow = [replay for replay, duration in samples.items() if duration > 1.5 * ns]
                if pattern != "random":
                    assert all(replay % int(pattern) == 0 for replay in slow), "records have the numbers of their launches"
                    truth = [2 if replay % int(pattern) == 0 else 1 for replay in range(LAUNCHES)]
                else:
                    truth = [1, 2]
                durations = [2 if replay in slow else 1 for replay in samples]
                off.append((abs(errors(durations, truth)), f"{name}, pattern {pattern}, layer {layer}"))
    # Of 20 means, one may be off by more than two standard errors. All layers of one part are off together.
    far = [(by, where) for by, where in off if by > 2]
    if len(far) > len(off) / 8 or any(by > 4 for by, _ in off):
        faults.append(f"{len(far)} of {len(off)} means are off by more than two standard errors: {far}")
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
