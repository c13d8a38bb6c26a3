# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# compare.py FOLDER: the outputs of one run, in FOLDER, agree: they count the same executions, no share is above 100 % or above
# that of the region around it, and no region takes longer than the one around it.

import csv
import json
import re
import sqlite3
import sys
from collections import defaultdict

folder = sys.argv[1]

# What CSV holds, by the rule of docs/output.md: path and whether in a graph -> durations of warm replays, or else of cold ones.
durations = {0: defaultdict(list), 1: defaultdict(list)}
for record in csv.DictReader(open(f"{folder}/run.csv")):
    if record["kind"] == "region" and record["duration_ns"] and record["clock"] != "host":
        durations[int(record["cold"])][record["path"], record["exec"] != ""].append(int(record["duration_ns"]))
expected = {**durations[1], **durations[0]}
is_cold = {place: place not in durations[0] for place in expected}
assert any(is_cold.values()) and not all(is_cold.values())


def check_parents(totals, of):
    for path, total in totals.items():
        parent = path.rpartition("/")[0]
        if parent in totals:
            assert total <= totals[parent] + 1e-6, f"{of}: {path} {total} is more than {parent} {totals[parent]}"


check_parents({path: sum(times) for (path, in_graph), times in expected.items() if in_graph}, "records")

# JSON lines say the same of each record.
cold = {0: 0, 1: 0}
for line in map(json.loads, open(f"{folder}/run.jsonl")):
    if line["type"] == "record":
        cold[line["cold"]] += 1
assert cold == {of: sum(map(len, durations[of].values())) for of in (0, 1)}, cold

# SQLite
rows = sqlite3.connect(f"{folder}/run.db").execute(
    "SELECT path, in_graph, cold, count, total_ns FROM statistics WHERE clock <> 'host'"
)
found = {(path, bool(in_graph)): (cold, count, total) for path, in_graph, cold, count, total in rows}
wanted = {place: (int(is_cold[place]), len(times), sum(times)) for place, times in expected.items()}
assert found == wanted, (found, wanted)

# Pictures of graphs
for graph in json.load(open(f"{folder}/graphs.json"))["graphs"]:
    shares, totals = {}, {}
    paths = {}
    for region in graph["regions"]:
        parent = region.get("parent")
        paths[region["id"]] = path = region["name"] if parent is None else f"{paths[parent]}/{region['name']}"
        if not region["count"]:
            continue
        times = expected[path, True]
        assert (region["count"], region["total_ns"]) == (len(times), sum(times)), region
        assert region.get("cold", False) == is_cold[path, True], region
        shares[path], totals[path] = region["percent"], region["total_ns"]
    assert shares and all(0 <= share <= 100 for share in shares.values()), shares
    check_parents(shares, "shares of a graph")

# The table: counts, and shares of the same regions.
shares, path, in_graph, indent = {}, [], True, 0
for line in open(f"{folder}/table"):
    if line.startswith(("outside graphs", "host time only")):
        in_graph = False
    if line.startswith(("in cold replays only", "outside graphs", "host time only")):
        indent = 2
    row = re.match(r"( *)(\w+) +(\d+) .* (--|[\d.]+%)$", line)
    if not row or not in_graph:
        continue
    path[(len(row[1]) - indent) // 2 :] = [row[2]]
    place = "/".join(path)
    assert int(row[3]) == len(expected[place, True]), line
    shares[place] = float(row[4].rstrip("%"))
assert shares and all(share <= 100 for share in shares.values()), shares
check_parents(shares, "shares of the table")

# Key averages have a row for each name.
for line in open(f"{folder}/averages"):
    row = re.match(r" *(\w+)( \(cold\))? .* ([\d.]+)% +--", line)
    if row:
        assert float(row[3]) <= 100, line
        assert bool(row[2]) == all(is_cold[place] for place in expected if place[0].endswith(row[1])), line
