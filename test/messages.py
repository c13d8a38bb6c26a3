#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Lists the texts in tool/, runtime/ and include/ that users may see as messages, for review: what, where, why, and what to do, in
# that order, in one or two short sentences.
#
#     test/messages.py            FILE:LINE and the text, a line each; a value that is put in stands as {}
#     test/messages.py WORD...    those that hold one of these words
#     test/messages.py --check    those whose words have a plainer form; status 1 where there are any
#
# A message is a text of three words or more outside comments and files of QUIET. Texts that one statement joins are shown
# together.

import os
import re
import sys

# Files with texts that are not messages: help, pages, formats of output, and names.
QUIET = re.compile(
    r"tool/nvcc/(NvccOptions|NvccOptionsPage|HostOptions)\.cpp|tool/pages/|\.ptx$|runtime/output/formats/sqlite/SqliteSchema|"
    r"runtime/output/formats/(chrome_trace|graph)/|include/graphprof/testing/"
)
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<d>\w*)\((?P<raw>.*?)\)(?P=d)"
    |"(?P<text>(?:\\.|[^"\\\n])*)"|'(?:\\.|[^'\\\n])'|\n|[;{}]|\#[^\n]*|[A-Za-z_]\w*|.""",
    re.DOTALL | re.VERBOSE,
)
# Words that were in messages, and plainer ones.
AVOIDED = {
    r"is (?:no|none of) (?!driver)[a-z-]+ (?:that|which)|is no (?:regular|value|file)|is none of": "is not ...",
    r"\banew\b|made anew": "again, rebuilt",
    r"\b[Mm]end\b": "fix",
    r"\bstands? in front of\b": "must stand before",
    r"; say -": "use -...",
    r"\bfor that\.?$": "what to do, in words",
    r"\bby now\b": "now",
    r"; taking ": "; using",
    r"is not there\b": "does not exist",
    r"another one's|another process's": "belongs to another ...",
}
SKIPPED = {"static_assert", "desc", "add_option", "add_flag", "assert", "deprecated", "asm", "init", "clEnumValN"}
ESCAPES = {"n": " ", "t": " ", '"': '"', "\\": "\\", "'": "'"}


def texts_of(source):
    """(line, text) of each statement that holds text; what stands between two texts of it is {}."""
    line, parts, begin, skip, value = 1, [], 0, False, False
    for token in TOKEN.finditer(source):
        word = token[0]
        if token["text"] is not None or token["raw"] is not None:
            text = token["raw"] if token["raw"] is not None else re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], ""), token["text"])
            if not parts:
                begin = line
            elif value:
                parts.append("{}")
            parts.append(text)
            value = False
        elif word in (";", "}") or (word == "{" and not parts):
            if parts and not skip:
                yield begin, re.sub(r"\s+", " ", "".join(parts)).strip()
            parts, skip, value = [], False, False
        elif word.isidentifier():
            skip = skip or word in SKIPPED
            value = True
        elif word in "+<?,:":
            value = value or word in "?,:"
        line += word.count("\n")
    if parts and not skip:
        yield begin, " ".join("".join(parts).split())


def messages():
    for top in ("tool", "runtime", "include"):
        for folder, folders, files in os.walk(top):
            folders.sort()
            for name in sorted(files):
                path = os.path.join(folder, name)
                if not name.endswith((".cpp", ".h")) or QUIET.search(path):
                    continue
                with open(path, encoding="utf-8") as file:
                    for line, text in texts_of(file.read()):
                        if len(re.findall(r"(?<![\w#<{./-])[a-zA-Z][a-z']+(?![\w<(=])", text)) >= 3:
                            yield f"{path}:{line}", text


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    words = sys.argv[1:]
    count = broken = 0
    for place, text in messages():
        count += 1
        if words == ["--check"]:
            for avoided, plainer in AVOIDED.items():
                if re.search(avoided, text):
                    print(f"{place}: {text}\n    plainer: {plainer}")
                    broken += 1
        elif not words or any(word in text for word in words):
            print(f"{place}: {text}")
    if words == ["--check"]:
        print(f"{count} messages, {broken} to make plainer")
        return broken > 0 or count < 300  # too few: the search no longer finds them
    return False


sys.exit(main())
