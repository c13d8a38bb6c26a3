# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The command `graphprof`: the program of that name, and what is Python's alone. The console script of the package is
`graphprof = graphprof._command:main`."""

from __future__ import annotations

import os
import shutil
import sys
from typing import List, Optional


def find() -> Optional[str]:
    """The program: GRAPHPROF_COMMAND, the one in this package, or the first in PATH that is not Python's."""
    named = os.environ.get("GRAPHPROF_COMMAND")
    if named:
        return named
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "graphprof")
    if os.access(inside, os.X_OK):
        return inside
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = shutil.which("graphprof", path=folder)
        if path and not _is_script(path):
            return path
    return None


def _is_script(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return True


def execute(words: List[str]) -> int:
    """Becomes the program. Returns a status only if there is none."""
    program = find()
    if program is None:
        print("graphprof: the program graphprof is not in this package and not in PATH; reinstall the package, or set "
              "GRAPHPROF_COMMAND to its path", file=sys.stderr)
        return 125
    try:
        os.execv(program, [program, *words])
    except OSError as error:
        print(f"graphprof: {program} cannot be run: {error.strerror}", file=sys.stderr)
        return 125


def main(words: Optional[List[str]] = None) -> int:
    """`graphprof ...`"""
    words = sys.argv[1:] if words is None else words
    if words and words[0] == "jupyter":
        from .jupyter import main as jupyter

        return jupyter(words[1:])
    return execute(words)


def run_python(words: List[str]) -> int:
    """`python -m graphprof [OPTIONS] PROGRAM ...`: `graphprof run [OPTIONS] -- python PROGRAM ...`, with this Python."""
    options: List[str] = []
    takes_value = ("-o", "--output", "--schedule", "--step", "--clock", "--regions", "--domain", "--max-execs")
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] not in ("--", "-m", "-c"):
        option = rest.pop(0)
        options.append(option)
        if option in takes_value and rest:
            options.append(rest.pop(0))
    if rest and rest[0] == "--":
        rest.pop(0)
    if not rest:
        if options and options[0] in ("-h", "--help", "--version"):
            return execute(["run", "--help"] if options[0] != "--version" else ["--version"])
        print("usage: python -m graphprof [options of graphprof run] PROGRAM.py [arguments]\n"
              "       python -m graphprof [options of graphprof run] -m MODULE [arguments]\n"
              "       python -m graphprof jupyter install", file=sys.stderr)
        return 125
    if rest[0] == "jupyter" and not os.path.exists("jupyter") and not options:
        return main(rest)
    return execute(["run", *options, "--", sys.executable, *rest])
