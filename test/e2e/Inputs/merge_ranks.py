"""Runs the program of merge_ranks.cu as two ranks, and compares what `graphprof merge` says they waited with what they printed."""

import json
import os
import subprocess
import sys

graphprof, python, ranks, program = sys.argv[1:]
for us in (0, 5, 50, 250, 1000):
    for pipe in ("from0", "from1"):
        if not os.path.exists(pipe):
            os.mkfifo(pipe)
    environment = {**os.environ, "CUDASIM_REAL_TIME": "1", "GRAPHPROF_NODES": "1", "GRAPHPROF_OUTPUT": f"{us}-{{rank}}.gprof"}
    subprocess.run([python, ranks, f"{us}-stdout-", program, str(us)], env=environment, check=True)
    begins = [[int(line) for line in open(f"{us}-stdout-{rank}")] for rank in range(2)]
    late = sorted(other - own for own, other in list(zip(*begins))[1:])
    truth = late[len(late) // 2]
    files = [f"{us}-{rank}.gprof" for rank in range(2)]
    document = json.loads(subprocess.run([graphprof, "merge", "--json", *files], capture_output=True, check=True).stdout)
    collective, = document["collectives"]
    known = max(2_000, collective["uncertainty_ns"] + 1_000)  # the program reads two clocks, too
    waiting = {one["rank"]: one["waiting_p50_ns"] for one in collective["ranks"]}
    print(f"{us} us: in truth {truth} ns, merge says {waiting}, within {collective['uncertainty_ns']} ns, "
          f"{collective['count']} collectives, {document['not_compared']}")
    assert document["step_is"] == "step" and len(document["steps"]) == 39, document["steps"]
    assert collective["count"] + document["not_compared"]["impossible"] == 39, document
    if waiting[0] is None:
        assert truth <= collective["uncertainty_ns"] + known
    else:
        assert abs(waiting[0] - truth) <= known
    assert us < 1000 or waiting[0] is not None, "a wait of a millisecond is longer than what any clock is known by"
