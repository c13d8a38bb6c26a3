# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What DATABASE's samples of steps say of one copy in each: whether the rows are in order, how many
# have the device's time, how many say that it is lost, and what was counted. A row that does
# neither is an error.

import json
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1])
rows = [(step, json.loads(events)) for step, events in
        database.execute("SELECT step, events_json FROM step_time_samples ORDER BY id")]
order = "in order" if [step for step, _ in rows] == list(range(len(rows))) else "NOT in order"
measured = marked = 0
for step, events in rows:
    [(device, copy)] = events["_traceml_internal:h2d_time"].items()
    assert device == "cuda:0" and copy["n_calls"] == 1 and copy["cpu_ms"] is not None, (step, copy)
    if copy["gpu_ms"] is not None:
        assert copy["is_gpu"] and copy["duration_ms"] == copy["gpu_ms"] and "n_lost" not in copy, (step, copy)
        measured += 1
    else:
        assert not copy["is_gpu"] and copy["duration_ms"] is None and copy["n_lost"] == 1, (step, copy)
        marked += 1
tables = [name for name, in database.execute("SELECT name FROM sqlite_schema WHERE name IN ('losses', 'graphprof_losses')")]
losses = [f"{kind} {count}" for table in tables for kind, count in database.execute(f"SELECT kind, count FROM {table}")]
print(f"{len(rows)} rows {order}, {measured} measured, {marked} marked, {', '.join(losses) or 'nothing lost'}")
