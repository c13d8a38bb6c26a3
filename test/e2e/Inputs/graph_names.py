# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What a report by graph and a database say of named graphs.

import json
import sqlite3
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    rows = json.load(file)["rows"]
by_name = {row["name"]: row for row in rows}
decode = [by_name[f"decode batch={n}"] for n in (1, 2, 4, 8)]
assert [row["count"] for row in decode] == [2, 3, 5, 9], decode  # without cold replays, of two graphs each
means = [row["mean_ns"] for row in decode]
assert means == sorted(means) and means[0] < means[3], means
share = sum(row["percent_of_replays"] for row in rows)
assert abs(share - 100) < 1e-6, share
assert all(row["percent_of_replay"] is None for row in rows)

database = sqlite3.connect(sys.argv[2])
names = database.execute("SELECT n.text, n.name, n.context, count(*) FROM replays r JOIN graph_names n ON n.id = r.graph_name "
                         "WHERE NOT r.cold GROUP BY n.text").fetchall()
assert database.execute("SELECT count(DISTINCT replay) FROM timings WHERE graph_name = 'decode batch=8' AND NOT cold AND exec = 7").fetchone() == (8,)
assert ("decode batch=8", "decode", '{"batch":8}', 9) in [tuple(row) for row in names], names
assert len(names) == 8, names
