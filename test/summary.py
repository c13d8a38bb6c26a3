# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Adds up a JUnit file (ctest's or lit's): prints `<passed> <failed> <skipped>`, then a line `FAILED <name>` for each test that
# failed, and a line `skipped, <reason>: <name>, ...` for each reason.

import re
import sys
import xml.etree.ElementTree as ElementTree


def why_skipped(case):
    """lit says why; of a GoogleTest program ctest knows only what it printed."""
    said = re.search(r"^.*: Skipped\n(.*)$", case.findtext("system-out") or "", re.MULTILINE)
    return said[1].strip() if said else case.find("skipped").get("message") or "no reason given"


passed = 0
failed = []
skipped = {}
for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
    name = case.get("name")
    if case.get("classname") != name:  # ctest gives the name twice
        name = f"{case.get('classname')}: {name}"
    if case.find("failure") is not None or case.find("error") is not None:
        failed.append(name)
    elif case.find("skipped") is not None:
        skipped.setdefault(why_skipped(case), []).append(name)
    else:
        passed += 1
print(passed, len(failed), sum(map(len, skipped.values())))
print(*(f"FAILED {name}" for name in failed), sep="\n")
print(*(f"skipped, {reason}: {', '.join(names)}" for reason, names in skipped.items()), sep="\n")
