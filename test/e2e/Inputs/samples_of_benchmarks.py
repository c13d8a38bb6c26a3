# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Whether NAME.csv, NAME.jsonl and NAME.db have so many records, none of them cold: samples_of_benchmarks.py NAME COUNT"""

import csv
import json
import sqlite3
import sys

name, count = sys.argv[1], int(sys.argv[2])
rows = list(csv.DictReader(open(name + ".csv")))
assert len(rows) == count and all(row["cold"] == "0" for row in rows), rows
lines = [json.loads(line) for line in open(name + ".jsonl")]
assert sum(line["type"] == "record" for line in lines) == count, lines
assert sqlite3.connect(name + ".db").execute("SELECT count(*) FROM records").fetchone() == (count,)
