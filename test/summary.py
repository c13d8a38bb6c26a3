# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Adds up JUnit files (ctest's and lit's): prints `<passed> <failed> <skipped>`, then a line for each failed test.

import sys
import xml.etree.ElementTree as ElementTree

passed = skipped = 0
failed = []
for path in sys.argv[1:]:
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(f'{case.get("classname")}: {case.get("name")}')
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
print(passed, len(failed), skipped)
print(*failed, sep="\n")
