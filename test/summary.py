# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
#     summary.py JUNIT [SUITES]
#
# Adds up a JUnit file (ctest's or lit's): prints `<passed> <failed> <skipped>`, then a line `FAILED <name>` for each test that
# failed, with lines `  | ...` of what it said below, and a line `skipped, <reason>: <name>, ...` for each reason. Where SUITES holds
# what a test of ctest's wrote about the tests in it (Suites.cmake), those are counted instead.

import os
import re
import sys
import xml.etree.ElementTree as ElementTree


def why_skipped(case):
    """lit and GoogleTest say why; of a GoogleTest program, and of pytest, ctest knows only what it printed."""
    said = re.search(r"^(?:.*: Skipped\n|SKIPPED \[\d+\] \S+:\d+: )(.*)$", case.findtext("system-out") or "", re.MULTILINE)
    return said[1].strip() if said else (case.find("skipped").get("message") or "no reason given").strip().splitlines()[-1]


def failure_of(case):
    return next((each for each in case if each.tag in ("failure", "error")), None)


def has_failed(case):
    return failure_of(case) is not None


def what_it_said(case, most=30):
    """Lines of what the program printed, or of GoogleTest's and lit's message: from the first one on that tells of a failure; without
    one, the last ones."""
    failure = failure_of(case)
    said = case.findtext("system-out") or (failure is not None and (failure.text or failure.get("message"))) or ""
    lines = said.strip().splitlines()
    tells = re.compile(r"Failure$|error:|ERROR: |WARNING: \w+Sanitizer|FAILED|Timeout|terminate called|Assertion")
    first = next((at for at, line in enumerate(lines) if tells.search(line)), max(0, len(lines) - most))
    return lines[first : first + most]


def cases_in(suite, folder):
    """The tests of a suite, with names that are as its own; none if it left no results. None: it is no suite."""
    path = os.path.join(folder, suite.replace("/", "_") + ".xml")
    if not os.path.exists(path):
        return None
    try:
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    except ElementTree.ParseError:
        return []
    for case in cases:
        prefix, _, suffix = suite.partition(case.get("classname"))
        case.set("name", f"{prefix}{case.get('classname')}.{case.get('name')}{suffix}")
    return cases


passed = 0
failed = []
skipped = {}


def count(name, case):
    global passed
    if has_failed(case):
        failed.append((name, what_it_said(case)))
    elif case.find("skipped") is not None:
        skipped.setdefault(why_skipped(case), []).append(name)
    else:
        passed += 1


for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
    name = case.get("name")
    if case.get("classname") != name:  # ctest gives the name twice
        name = f"{case.get('classname')}: {name}"
    inner = cases_in(name, sys.argv[2]) if len(sys.argv) > 2 else None
    for test in inner or []:
        count(test.get("name"), test)
    if inner is None:
        count(name, case)
    elif not inner:
        failed.append((f"{name}, which left no results", what_it_said(case)))
    elif has_failed(case) and not any(map(has_failed, inner)):
        failed.append((f"{name}, after its tests", what_it_said(case)))
print(passed, len(failed), sum(map(len, skipped.values())))
for name, said in failed:
    print(f"FAILED {name}", *(f"  | {line}" for line in said), sep="\n")
print(*(f"skipped, {reason}: {', '.join(names)}" for reason, names in skipped.items()), sep="\n")
