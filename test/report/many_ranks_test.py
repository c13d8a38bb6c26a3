#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# The queries of docs/merge.md, as they stand there, over the recordings of 64 ranks: in SQLite, and in DuckDB, which npm
# installs into FOLDER. Where it cannot, DuckDB's tests are skipped.
#
#     test/report/many_ranks_test.py GRAPHPROF FOLDER [unittest's arguments]

import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import unittest

from jobs import ALL_REDUCE, Job

GRAPHPROF = FOLDER = None
HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "../../docs/merge.md")
DUCKDB = "@duckdb/node-api@1.5.6-r.1"
RANKS, LATE, DELAY = 64, 37, 150_000

# Runs the statements that come as JSON; prints the rows of each.
SCRIPT = """
import { DuckDBInstance } from '@duckdb/node-api';
import { readFileSync } from 'node:fs';
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const results = [];
for (const sql of JSON.parse(readFileSync(0, 'utf8'))) {
  const reader = await connection.runAndReadAll(sql);
  results.push(reader.getRowsJson());
}
console.log(JSON.stringify(results));
"""


def queries():
    """The blocks in SQL, by the words of the comment that each begins with."""
    with open(PAGE) as page:
        blocks = re.findall(r"^```sql\n-- ([^:\n]*)[^\n]*\n(.*?)^```", page.read(), re.M | re.S)
    return dict(blocks)


def duckdb():
    """Installs it, once. Why that is impossible; or None."""
    if not shutil.which("npm") or not shutil.which("node"):
        return "no npm"
    if not os.path.isdir(os.path.join(FOLDER, "node_modules", "@duckdb", "node-api")):
        os.makedirs(FOLDER, exist_ok=True)
        with open(os.path.join(FOLDER, "package.json"), "w") as file:
            file.write('{"private": true}')
        try:
            done = subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", DUCKDB], cwd=FOLDER, capture_output=True, text=True,
                                  timeout=120, check=False)
        except subprocess.TimeoutExpired:
            return f"npm does not get {DUCKDB} within two minutes"
        if done.returncode != 0:
            return f"npm does not get {DUCKDB}: {done.stderr.strip().splitlines()[-1:]}"
    return None


class ManyRanks(unittest.TestCase):
    NAMES = ("means", "last", "stragglers", "medians", "clocks", "missing")

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.job = Job(RANKS, hosts=4, delay=lambda rank, step, layer: DELAY if (rank, layer) == (LATE, 2) else 0)
        del cls.job.recordings[5].replays[20]
        os.mkdir(os.path.join(cls.folder, "out"))
        for rank, recording in enumerate(cls.job.recordings):
            with open(os.path.join(cls.folder, f"run.{rank}.gprof"), "wb") as file:
                file.write(recording.gprof())
            subprocess.run([GRAPHPROF, "convert", f"run.{rank}.gprof", "job.db", f"out/run.{rank}.csv"], cwd=cls.folder, check=True, capture_output=True)
        cls.queries = queries()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def statements(self, of_records):
        """With what gives the table of records; those that show something are the last."""
        preparing = [self.queries[name] for name in (of_records, "collectives", "waiting", "own")]
        return preparing, [self.queries[name] for name in self.NAMES]

    def in_sqlite(self):
        database = sqlite3.connect(os.path.join(self.folder, "job.db"))
        self.addCleanup(database.close)
        preparing, asking = self.statements("SQLite")
        for statement in preparing:
            database.executescript(statement)
        return [[list(row) for row in database.execute(statement)] for statement in asking]

    def in_duckdb(self, of_records):
        script = os.path.join(FOLDER, "ask.mjs")
        with open(script, "w") as file:
            file.write(SCRIPT)
        preparing, asking = self.statements(of_records)
        statements = [part for each in preparing for part in each.split(";\n") if part.strip()] + asking
        done = subprocess.run(["node", script], input=json.dumps(statements), cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stderr
        # Numbers of 64 bits and more come as texts.
        number = lambda value: float(value) if isinstance(value, str) and re.fullmatch(r"-?[0-9.]+(e[+-]?\d+)?", value) else value
        return [[[number(value) for value in row] for row in rows] for rows in json.loads(done.stdout)[-len(asking):]]

    def check(self, results):
        means, last, stragglers, medians, clocks, missing = results
        self.assertEqual(len(means), RANKS)
        self.assertEqual(means[-1][0], LATE)
        self.assertTrue(all(abs(row[4] - 9_000) < 1_500 for row in means))
        self.assertEqual(last[0], [f"layer 2/{ALL_REDUCE}", LATE, 39])
        self.assertEqual(stragglers[0][:2], [LATE, 38])  # of step 21 a part is missing
        self.assertLess(abs(stragglers[0][2] - DELAY), 3_000)
        by_rank = {(path, rank): ns for path, rank, ns in medians}
        for rank in (0, 5, 36, 63):
            truth = statistics.median(self.job.waiting[rank, step, 2] for step in range(1, 40) if rank != 5 or step != 20)
            self.assertLess(abs(by_rank[f"layer 2/{ALL_REDUCE}", rank] - truth), 2_000)
        self.assertEqual(by_rank[f"layer 2/{ALL_REDUCE}", LATE], 0)
        self.assertEqual(clocks[0], [0, 0, 0])
        self.assertLess(abs(clocks[20][1] - 12_345_678), 20_000)  # of the second host
        self.assertLess(clocks[63][1], clocks[63][2])  # the fourth gains
        self.assertEqual(missing, [[63, 63 * 4]])

    def test_in_sqlite_over_a_database(self):
        self.check(self.in_sqlite())

    def test_in_duckdb_over_csv(self):
        if why := duckdb():
            self.skipTest(why)
        results = self.in_duckdb("DuckDB, CSV")
        self.assertIsInstance(results, list, results)
        self.check(results)
        for name, ours, theirs in zip(self.NAMES, results, self.in_sqlite()):
            with self.subTest(name):
                self.assertEqual(len(ours), len(theirs))
                for one, other in zip(ours, theirs):
                    for a, b in zip(one, other):
                        self.assertAlmostEqual(a, b, delta=0.01) if isinstance(b, float) else self.assertEqual(a, b)

    def test_in_duckdb_over_a_database(self):
        if why := duckdb():
            self.skipTest(why)
        results = self.in_duckdb("DuckDB, database")
        if isinstance(results, str) and "download extension" in results:
            self.skipTest("DuckDB cannot download its extension sqlite here")
        self.assertIsInstance(results, list, results)
        self.check(results)

    def test_merge_says_the_same(self):
        files = [f"run.{rank}.gprof" for rank in range(RANKS)]
        done = subprocess.run([GRAPHPROF, "merge", "--json", *files], cwd=self.folder, capture_output=True, text=True, check=True)
        row = next(row for row in json.loads(done.stdout)["collectives"] if row["path"] == f"layer 2/{ALL_REDUCE}")
        by_rank = {rank: ns for path, rank, ns in self.in_sqlite()[3] if path == row["path"]}
        for share in row["ranks"]:
            if share["rank"] != LATE:
                self.assertLess(abs(share["waiting_p50_ns"] - by_rank[share["rank"]]), 2_000)


if __name__ == "__main__":
    GRAPHPROF, FOLDER = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main()
