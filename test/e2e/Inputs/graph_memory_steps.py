# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# graph_memory_steps.py JSON_LINES FREE: the steps of graphs' memory but for graphprof's own, and whether all of them add up to what
# the program itself read.
import json
import sys

with open(sys.argv[1]) as file:
    steps = [step for step in map(json.loads, file) if step["type"] == "graph_memory"]
with open(sys.argv[2]) as file:
    before, after = map(int, file.read().split())
for step in steps:
    if step["what"] != "graphprof":
        more = f", allocated {step['allocated_bytes']}" if step["allocations"] else ""
        print(f"{step['what']} {step['bytes']} of graph {step['graph']}{more}{', overlaps' if step['overlaps'] else ''}")
total = sum(step["bytes"] for step in steps if step["graph"] is not None)
print("all steps are by how much free memory fell" if total == before - after else f"{total} for {before - after}")
