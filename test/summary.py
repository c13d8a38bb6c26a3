# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
#     summary.py JUNIT [SUITES]
#
# Adds up a JUnit file (ctest's or lit's): prints `<passed> <failed> <skipped>`, then a line `FAILED <name>` for each test that
# failed, and a line `skipped, <reason>: <name>, ...` for each reason. Where SUITES holds what a test of ctest's wrote about the
# tests in it (Suites.cmake), those are counted instead.

import os
import re
import sys
import xml.etree.ElementTree as ElementTree


def why_skipped(case):
    """lit and GoogleTest say why; of a GoogleTest program ctest knows only what it printed."""
    said = re.search(r"^.*: Skipped\n(.*)$", case.findtext("system-out") or "", re.MULTILINE)
    return said[1].strip() if said else (case.find("skipped").get("message") or "no reason given").strip().splitlines()[-1]


def has_failed(case):
    return case.find("failure") is not None or case.find("error") is not None


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
        failed.append(name)
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
        failed.append(f"{name}, which left no results")
    elif has_failed(case) and not any(map(has_failed, inner)):
        failed.append(f"{name}, after its tests")
print(passed, len(failed), sum(map(len, skipped.values())))
print(*(f"FAILED {name}" for name in failed), sep="\n")
print(*(f"skipped, {reason}: {', '.join(names)}" for reason, names in skipped.items()), sep="\n")
