# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Notebooks: a kernel that runs under `graphprof run`, and %%graphprof, which shows the regions of a cell.

    graphprof jupyter install [--name NAME]      # then choose the kernel "Python (graphprof)"

    %load_ext graphprof
    %%graphprof
    graph.replay()
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from typing import Any, Dict, List

from . import _command


def kernel_spec(program: str, python: str) -> Dict[str, Any]:
    return {
        "argv": [program, "run", "-o", "", "--", python, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python (graphprof)",
        "language": "python",
        "metadata": {"debugger": True},
    }


def kernels_folder(prefix: str = "") -> str:
    """Where Jupyter looks for kernels: of the environment, or of the user."""
    if prefix:
        return os.path.join(prefix, "share", "jupyter", "kernels")
    data = os.environ.get("JUPYTER_DATA_DIR") or os.path.join(
        os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "jupyter")
    return os.path.join(data, "kernels")


def main(words: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="graphprof jupyter", description="A Jupyter kernel whose CUDA graphs are timed.")
    commands = parser.add_subparsers(dest="command", required=True)
    install = commands.add_parser("install", help="write the kernel's specification")
    install.add_argument("--name", default="graphprof", help="the kernel's folder; graphprof by default")
    install.add_argument("--prefix", default="", help="for this environment (sys.prefix), instead of for the user")
    arguments = parser.parse_args(words)
    program = _command.find()
    if program is None:
        print("graphprof: the program graphprof is not in this package and not in PATH; reinstall the package", file=sys.stderr)
        return 1
    folder = os.path.join(kernels_folder(arguments.prefix), arguments.name)
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as file:
            json.dump(kernel_spec(os.path.abspath(program), sys.executable), file, indent=1)
            file.write("\n")
    except OSError as error:
        print(f"graphprof: {folder}: {error.strerror}; choose another --prefix", file=sys.stderr)
        return 1
    print(f"graphprof: wrote {folder}/kernel.json; choose the kernel \"Python (graphprof)\"")
    return 0


def magic(shell: Any, line: str, cell: str) -> Any:
    """%%graphprof [SORT_BY]: runs the cell, and shows what it spent where."""
    from . import _library, profile

    sort_by = line.strip() or None
    with profile() as prof:
        result = shell.run_cell(cell)
    if result.error_before_exec or result.error_in_exec:
        return None
    averages = prof.key_averages()
    if sort_by is not None:
        averages.table(sort_by=sort_by)  # ValueError for another column
        member = sort_by.replace("cuda", "device")
        averages.sort(key=lambda row: (math.isnan(getattr(row, member)), -getattr(row, member)))
    if not averages:
        _library.say("%%graphprof: the cell ran no region and replayed no graph that is timed; use the kernel of `graphprof jupyter "
                     "install`, and synchronize in the cell")
    return averages


def load_ipython_extension(shell: Any) -> None:
    """%load_ext graphprof"""

    def graphprof(line: str, cell: str) -> Any:
        return magic(shell, line, cell)

    shell.register_magic_function(graphprof, magic_kind="cell")
