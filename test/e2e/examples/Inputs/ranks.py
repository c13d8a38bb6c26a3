"""Runs a program as two processes at once, as torchrun does; each one's output goes to PREFIX and its rank."""

import os
import subprocess
import sys

prefix, *command = sys.argv[1:]
processes = []
for rank in range(2):
    environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2"}
    with open(f"{prefix}{rank}", "w") as output:
        processes.append(subprocess.Popen(command, env=environment, stdout=output))
sys.exit(max(process.wait() for process in processes))
