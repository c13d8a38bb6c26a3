# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""What zsh makes of each line when Tab is pressed behind it: complete_zsh.py FOLDER LINE... prints the lines as completed."""

import os
import pty
import select
import sys
import tempfile
import time

folder, *lines = sys.argv[1:]


def until(terminal, mark, seconds=20):
    text, end = "", time.monotonic() + seconds
    while mark not in text and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 65536).decode(errors="replace")
    if mark not in text:
        sys.exit(f"zsh did not print {mark!r} but {text!r}")
    return text


with tempfile.TemporaryDirectory() as scratch:
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "dumb", "PS1": "", "COLUMNS": "1000"}
        os.execvp("zsh", ["zsh", "-f", "-i"])
    # Ctrl-X shows the line; the mark is not in what is typed.
    os.write(terminal, f"""stty -echo cols 1000; PS1= PS2=; fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -d {scratch}/dump
show() {{ print -r -- "<<$BUFFER>>"; BUFFER= }}; zle -N show; bindkey '^X' show; unsetopt auto_list; print REA''DY
""".encode())
    until(terminal, "READY")
    for line in lines:
        os.write(terminal, f"{line}\t\x18".encode())
        print(until(terminal, ">>").split("<<")[-1].split(">>")[0])
    os.write(terminal, b"exit\n")
    os.waitpid(child, 0)
