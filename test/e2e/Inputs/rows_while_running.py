# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Runs PROGRAM, which ends with its standard input, until DATABASE has three steps' samples, and
# prints them.

import sqlite3
import subprocess
import sys
import time

program, database = sys.argv[1:]


def rows():
    try:
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        found = connection.execute("SELECT step, events_json FROM step_time_samples ORDER BY id LIMIT 3").fetchall()
        connection.close()
        return found
    except sqlite3.OperationalError:  # no file yet, or no table
        return []


app = subprocess.Popen([program], stdin=subprocess.PIPE)
end = time.monotonic() + 60
while len(found := rows()) < 3 and app.poll() is None and time.monotonic() < end:
    time.sleep(0.01)
print("running" if app.poll() is None else "ended", *(step for step, _ in found), *("h2d_time" in events for _, events in found))
app.stdin.close()
sys.exit(app.wait())
