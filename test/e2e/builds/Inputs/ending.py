"""Runs a command and prints how it ended: its status, or minus its signal."""

import subprocess
import sys

print("status", subprocess.run(sys.argv[1:]).returncode)
