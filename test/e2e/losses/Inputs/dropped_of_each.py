# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# dropped_of_each.py FOLDER RECORDS: in each file, the records that it holds and those that it says
# it lacks are RECORDS. Key averages and the trace have host spans, too: a launch each, and the
# capture's region.

import csv
import json
import re
import sqlite3
import sys

folder, records = sys.argv[1], int(sys.argv[2])
spans = records + 1
sentence = re.compile(r"(\d+) records? left out of an output")


def text(name):
    return open(f"{folder}/{name}").read()


def said(content):
    found = sentence.search(content)
    return int(found[1]) if found else 0


def check(name, held, dropped, all_of_them):
    assert held + dropped == all_of_them, f"{name}: {held} held + {dropped} said to be dropped != {all_of_them}"
    return dropped


single = []
for name in ("run.csv", "converted.csv"):
    rows = list(csv.DictReader(text(name).splitlines()))
    single.append(check(name, sum(row["kind"] == "region" for row in rows), said(text(name)), records))
for name in ("run.jsonl", "converted.jsonl"):
    lines = [json.loads(line) for line in text(name).splitlines()]
    dropped = sum(line["count"] for line in lines if line["type"] == "loss" and line["kind"] == "dropped")
    single.append(check(name, sum(line["type"] == "record" for line in lines), dropped, records))
assert single[1] == single[3], "what is made of one file differs"
database = sqlite3.connect(f"{folder}/run.db")
held = database.execute("SELECT count(*) FROM records").fetchone()[0]
dropped = database.execute("SELECT coalesce(sum(count), 0) FROM losses WHERE kind = 'dropped'").fetchone()[0]
single.append(check("run.db", held, dropped, records))

assert said(text("table")) == 0, "the table left nothing out"
trace = json.loads(text("trace.json"))
assert not sentence.search(text("trace.json")), "the trace left out what it says itself"
dropped_of_trace = trace["graphprofDropped"]
kinds = [event.get("cat") for event in trace["traceEvents"] if event.get("ph") == "X"]
assert 0 < dropped_of_trace <= records + spans
averages = said(text("averages"))
check("averages", 100, averages, spans)
binary = single[1]
assert single[0] + single[2] + single[4] + binary + dropped_of_trace + averages == int(text("losses")), "losses() is the sum"
