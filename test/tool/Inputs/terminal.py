# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# terminal.py COMMAND...: runs the command with a terminal for stdout and stderr, prints what it writes there, with
# `<1m>` for the escape sequence `ESC [ 1 m` and `<CR>` for a carriage return within a line, and exits with its status.

import os
import pty
import re
import sys

child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[1], sys.argv[1:])
written = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # the other end is closed
        break
    if not piece:
        break
    written += piece
text = written.decode().replace("\r\n", "\n").replace("\r", "<CR>")
sys.stdout.write(re.sub("\x1b\\[([0-9;]*[A-Za-z])", r"<\1>", text))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
