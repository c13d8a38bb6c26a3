#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Writes docs/options.md, of runtime/services/options.def:

    options_page.py [PROJECT]             writes the page
    options_page.py --check [PROJECT]     says if the page is not what it would write; status 1 then"""

import re
import sys
from pathlib import Path

ROWS, PAGE = "runtime/services/options.def", "docs/options.md"

INTRODUCTION = """# Options

<!-- Written by tool/pages/options_page.py, of runtime/services/options.def. -->

All environment variables that graphprof reads. Set them when you run the program; you need not rebuild it. The last column is the option of [`graphprof run`](run.md) that sets the same.

If a value makes no sense, graphprof names it on stderr, with the value that it uses instead. A misspelt name is reported, too.
"""

# What a row's arguments are made of: texts in quotes, brackets, which may hold commas, and all else.
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[(){},]|[^"(){},]+')


def arguments(text):
    """Of a macro, from behind its bracket on. Texts that follow each other are one."""
    found, depth = [""], 0
    for token in TOKEN.findall(text):
        if token == ")" and depth == 0:
            break
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token, 0)
        if token == "," and depth == 0:
            found.append("")
        elif token.startswith('"'):
            found[-1] += re.sub(r"\\(.)", r"\1", token[1:-1])
        else:
            found[-1] += token.strip()
    return found


def option_of_run(names, value):
    """As CLI11 has them, `--nodes,!--no-nodes`: as a reader types them."""
    words = [name.lstrip("!") for name in names.split(",")]
    return ", ".join(f"`{word}`" for word in [*words[:-1], f"{words[-1]} {value}".strip()])


def page(rows):
    lines = [INTRODUCTION]
    for mark in re.finditer(r"^// ## (?P<section>.*)$|^GRAPHPROF_OPTION(?P<run>_OF_RUN)?\(", rows, re.MULTILINE):
        if mark["section"]:
            lines.append(f"\n## {mark['section']}\n\n| variable | values | default | option |\n| --- | --- | --- | --- |\n")
            continue
        name, _, _, _, _, values, usual, *more = arguments(rows[mark.end() :])
        option = option_of_run(more[0], more[1]) if mark["run"] else ""
        lines.append(f"| `GRAPHPROF_{name}` | {values} | {usual} | {option} |\n".replace("|  |", "| |"))
    return "".join(lines).replace("\n\n\n", "\n\n")


def main():
    check, *named = sys.argv[1:] if "--check" in sys.argv else ["", *sys.argv[1:]]
    project = Path(named[0]) if named else Path(__file__).resolve().parent.parent.parent
    written, path = page((project / ROWS).read_text()), project / PAGE
    if not check:
        path.write_text(written)
    elif not path.exists() or path.read_text() != written:
        sys.exit(f"{PAGE} is not what {ROWS} says; write it with tool/pages/options_page.py")


if __name__ == "__main__":
    main()
