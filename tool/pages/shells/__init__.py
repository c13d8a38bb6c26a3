# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Completions, a module a shell. What no --help says is here: which words may follow the options."""

import re

HEAD = "# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE."

# What follows each command's options: a program with its own words, a recording and outputs to convert it to, or sources.
WORDS = {
    "graphprof run": "program",
    "graphprof sim": "sources",
    "graphprof report": "files",
    "graphprof diff": "files",
    "graphprof merge": "files",
    "graphprof html": "files",
    "graphprof convert": "convert",
    "graphprof-convert": "convert",
    "graphprof-cc": "program",
    "graphprof-instrument": "sources",
}
SOURCES = ["cu", "cpp", "cc", "cxx", "c"]


def words_of(command):
    return "commands" if command.commands else WORDS.get(command.name, "nothing" if len(command.words) > 1 else "files")


def every(command):
    """It and its subcommands, by the name of the latter, which is empty for itself."""
    return [("", command), *((each.words[-1], each) for each in command.commands)]


def output_words(outputs):
    """What can be offered: kinds of output that need no path, and those that stand before one."""
    return [each.split("PATH")[0] for each in outputs if re.fullmatch(r"\w+|\w+:PATH.*", each) and each != "PATH"]


def identifier(name):
    return re.sub(r"\W", "_", name)
