"""Runs a command, ends it with SIGTERM once the file `started` is there, and prints how it ended."""

import os
import signal
import subprocess
import sys
import time

with subprocess.Popen(sys.argv[1:]) as process:
    while not os.path.exists("started") and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    print("status", process.wait())
