#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Writes man pages, and completions for bash, zsh and fish, of what the programs' --help says:

    make_pages.py --out FOLDER --docs docs graphprof=build/dev/bin/graphprof ...

The folders below FOLDER are those that are installed below share/. A new option of a program is in all of them as soon as its
--help shows it. SOURCE_DATE_EPOCH is the date of the pages, where it is set."""

import argparse
import os
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # the sources may be read-only

import man
from options import commands_of
from shells.bash import bash
from shells.fish import fish
from shells.zsh import zsh


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("programs", nargs="+", metavar="NAME=PATH")
    given = parser.parse_args()
    commands = commands_of(dict(each.split("=", 1) for each in given.programs))
    pages = [path.read_text() for path in sorted(given.docs.glob("*.md"))]
    day = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    date = f"{time.strftime('%B', day)} {day.tm_mday}, {day.tm_year}"
    outputs = next((each.outputs for command in commands.values() for each in [command, *command.commands] if each.outputs), [])
    for name, command in commands.items():
        template = Path(__file__).parent / "man" / f"{name}.1"
        write(given.out / "man" / "man1" / template.name, man.page(template.read_text(), commands, pages, date))
        write(given.out / "bash-completion" / "completions" / name, bash(command, outputs))
        write(given.out / "zsh" / "site-functions" / f"_{name}", zsh(command, outputs))
        write(given.out / "fish" / "vendor_completions.d" / f"{name}.fish", fish(command, outputs))


main()
