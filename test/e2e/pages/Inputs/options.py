# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Whether all options that the programs' --help shows are in what is made of it: options.py BUILD man|bash|zsh|fish

Reads --help itself, more simply than what is tested. Prints how many options there are, and each that is missing."""

import os
import re
import subprocess
import sys
from pathlib import Path

build, what = Path(sys.argv[1]), sys.argv[2]
share = build / "share"


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=True, **more).stdout


def options_of(words):
    text = run(build / "bin" / words[0], *words[1:], "--help")
    found = set()
    for line in text.splitlines():
        if re.match(r" {2,12}-", line):
            heading = re.sub(r",\s+", ",", line.strip()).split()[0]
            found |= {re.sub(r"[={<].*", "", each) for each in heading.split(",")}
    return sorted(found)


def commands():
    for program in ("graphprof", "graphprof-convert", "graphprof-instrument", "graphprof-cc"):
        yield [program]
        if program == "graphprof":
            usage = run(build / "bin" / program, "--help")
            yield from ([program, name] for name in re.findall(r"^.{0,7}graphprof ([a-z]+)\b", usage, re.MULTILINE))


def in_man(words):
    [page] = share.glob(f"man/man*/{words[0]}.*")
    text = run("mandoc", "-Tascii", page)
    text = re.sub(".\b", "", text)
    return set(re.findall(r"(?:^ +|, )(--?[A-Za-z][\w-]*)", text, re.MULTILINE))


def in_bash(words):
    script = share / "bash-completion" / "completions" / words[0]
    line = " ".join([*words, "-"])
    complete = f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _{words[0].replace('-', '_')}"
    said = run("bash", "-c", f"source {script}; {complete}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    return {each.rstrip("=") for each in said.split()}


def in_zsh(words):
    text = (share / "zsh" / "site-functions" / f"_{words[0]}").read_text()
    part = text.split(f"    {words[1]})\n")[1].split(";;")[0] if len(words) > 1 else text.split("if [[ $state")[0]
    return set(re.findall(r"^ +'(?:\([^)]*\))?(--?[A-Za-z][\w-]*)=?\[", part, re.MULTILINE))


def in_fish(words):
    found = set()
    path = f"set fish_complete_path {share}/fish/vendor_completions.d $fish_complete_path"
    for dashes in ("-", "--"):
        said = run("fish", "--no-config", "-c", f"{path}; complete -C '{' '.join([*words, dashes])}'")
        found |= {re.sub(r"[=\t].*", "", each) for each in said.splitlines()}
    return found


count = 0
missing = []
for words in commands():
    shown = {"man": in_man, "bash": in_bash, "zsh": in_zsh, "fish": in_fish}[what](words)
    options = options_of(words)
    count += len(options)
    missing += [f"{' '.join(words)} {option}" for option in options if option not in shown]
print(f"{count} options, {len(missing)} missing", *missing, sep="\n")
sys.exit(bool(missing) or count < 40)
