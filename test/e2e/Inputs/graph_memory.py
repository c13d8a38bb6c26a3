# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# graph_memory.py REPORT FREE JSON_LINES...: what the report says of each graph's memory; whether that adds up to what the program
# itself read before, in between and behind; whether all outputs hold the same steps.
import json
import sys

with open(sys.argv[1]) as file:
    rows = json.load(file)["graph_memory"]
with open(sys.argv[2]) as file:
    before, between, after = map(int, file.read().split())
# Without what graphprof had for all graphs before the program read for the first time.
rows = [row for row in rows if row["graph"] is not None or row["captures"] > 0]
for row in sorted(rows, key=lambda row: row["graph"] or 99):
    print(f"graph {row['graph']}: capture {row['capture_bytes']}, instantiate {row['instantiate_bytes']}, "
          f"first launch {row['first_launch_bytes']}, pool {row['graph_pool_bytes']}")
    print(f"  allocated {row['allocated_bytes']} in {row['allocations']}, allocation nodes {row['allocation_node_bytes']} "
          f"in {row['allocation_nodes']}, captures {row['captures']}, execs {row['execs']}")
    if row["total_bytes"] != sum(row[part] or 0 for part in ("capture_bytes", "instantiate_bytes", "first_launch_bytes", "update_and_upload_bytes")):
        sys.exit(f"the total is not the sum of its parts: {row}")
total = sum(row["total_bytes"] for row in rows)
own = sum(row["graphprof_bytes"] for row in rows)
if own <= 0:
    sys.exit("graphprof made an exec of its own, which takes memory")
print("what graphs took is by how much free memory fell" if total == before - between else f"{total} for {before - between}")
print("with graphprof's own it is by how much it fell in all" if total + own == before - after else f"{total} + {own} for {before - after}")
steps = []
for path in sys.argv[3:]:
    with open(path) as file:
        steps.append([step for step in map(json.loads, file) if step["type"] == "graph_memory"])
if not steps[0] or any(step != steps[0] for step in steps):
    sys.exit(f"other steps: {steps}")
by_graph = {}
for step in steps[0]:
    by_graph[step["graph"]] = by_graph.get(step["graph"], 0) + (step["bytes"] if step["what"] != "graphprof" else 0)
same = all(by_graph[row["graph"]] == row["total_bytes"] for row in rows)
print("every output says the same" if same else f"{by_graph} for {rows}")
