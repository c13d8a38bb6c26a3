# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# stream_order.py NAME: checks NAME.csv and NAME.json, what stream_order.cu recorded.

import csv
import json
import sys

name = sys.argv[1]
with open(f"{name}.csv", newline="", encoding="utf-8") as file:
    records = [row for row in csv.DictReader(file) if row["kind"] != "loss"]

# What the stream ran one after another: each copy, and each replay as a whole.
work = {}
for record in records:
    begin, end = int(record["begin_ns"]), int(record["begin_ns"]) + int(record["duration_ns"])
    key = ("replay", record["replay"]) if record["exec"] else ("copy", len(work))
    before = work.get(key, (begin, end))
    work[key] = (min(before[0], begin), max(before[1], end))
assert len(work) == 5 * 8, work
order = sorted(work.items(), key=lambda item: item[1])
for (one, (_, end)), (other, (begin, _)) in zip(order, order[1:]):
    assert end <= begin, f"{one} ends {end - begin} ns after {other} has begun"
kinds = [key[0] for key, _ in order]
assert kinds == ["copy", "replay", "copy", "copy", "replay"] * 8, kinds

with open(f"{name}.json", encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
rows = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
shown = {}
for event in events:
    if event.get("cat") in ("graphprof_replay", "graphprof_region") and event["ph"] == "X":
        shown.setdefault(event["name"].split(" replay")[0], set()).add(rows[event["pid"], event["tid"]])
streams = {"h2d", "graph 1 exec 1", "first", "last"}
row = next(iter(shown["h2d"]))
assert all(shown[each] == {row} for each in streams), shown
assert shown["left"] | shown["right"] == {row, f"{row}, branch 2"}, shown
times = sorted(round(event["dur"] * 1000) for event in events if event.get("cat") == "graphprof_region" and event["ph"] == "X")
assert times == sorted(int(record["duration_ns"]) for record in records)
