# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# read_pipe.py PIPE COMMAND...: runs the command and prints what it writes into the named pipe.

import os
import subprocess
import sys

# Open for writing too, so that neither opening nor a command that writes nothing blocks.
pipe = os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)
status = subprocess.run(sys.argv[2:]).returncode
try:
    sys.stdout.write(os.read(pipe, 65536).decode())
except BlockingIOError:
    sys.exit("nothing was written into the pipe")
sys.exit(status)
