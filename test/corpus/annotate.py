# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Puts [[graphprof::time]] in front of statements that launch kernels or call graph functions: what
a person would write, found by the look of the text. A place counts as the start of a statement if
the last code before it ends one; declarations and what stands in macros are left alone."""

import re

CALL = r"cuda(?:GraphLaunch|GraphUpload|MemcpyAsync|MemsetAsync|LaunchKernel(?:ExC)?)\s*\("
STATEMENT = re.compile(
    # name<<<, name<T, 3><<<, ns::name<<<
    r"(?P<launch>(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*\s*(?:<[^;{}<>()]*(?:<[^;{}<>()]*>)?[^;{}<>()]*>)?\s*<<<)"
    # cudaGraphLaunch(, CHECK(cudaGraphLaunch(
    r"|(?P<call>(?:[A-Za-z_]\w*\s*\(\s*)?" + CALL + ")")
BLANK = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def blanked(text):
    """Comments and literals replaced by spaces, so that offsets hold."""
    def spaces(match):
        kept = "".join(c if c == "\n" else " " for c in match.group())
        return kept if match.group()[0] == "/" else '"' + kept[1:-1] + '"'
    return BLANK.sub(spaces, text)


def in_directive(code, at):
    """Whether `at` is in a preprocessor directive, which goes on after a backslash."""
    start = code.rfind("\n", 0, at) + 1
    while start > 1 and code[:start - 1].rstrip(" \t").endswith("\\"):
        start = code.rfind("\n", 0, start - 1) + 1
    return code[start:at].lstrip().startswith("#")


def last_code(code, at):
    """The last character of code before `at`, directives not counted."""
    while True:
        before = code[:at].rstrip()
        if not before:
            return ""
        if not in_directive(code, len(before) - 1):
            return before[-1]
        at = before.rfind("\n")
        while at > 0 and in_directive(code, at - 1):
            at = code.rfind("\n", 0, at)
        if at <= 0:
            return ""


def annotated(text):
    """The text with annotations, and their number."""
    code = blanked(text)
    pieces, done, count = [], 0, 0
    for match in STATEMENT.finditer(code):
        if in_directive(code, match.start()) or last_code(code, match.start()) not in {";", "{", "}"}:
            continue
        pieces += [text[done:match.start()], "[[graphprof::time]] "]
        done = match.start()
        count += 1
    return "".join(pieces) + text[done:], count
