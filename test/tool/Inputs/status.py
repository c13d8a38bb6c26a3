# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# status.py N COMMAND...: runs the command and succeeds if its exit status is N.

import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    sys.exit(f"exit status {status} instead of {sys.argv[1]}")
