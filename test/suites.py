# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Lists the suites of a GoogleTest program for ctest; add_suites (Suites.cmake) runs it when the program is built.
#
#     suites.py PROGRAM LIST RESULTS FOLDER PREFIX SUFFIX [NAME=VALUE...]
#
# FOLDER is where the tests run, RESULTS where each suite leaves what its tests did.

import os
import subprocess
import sys

program, list_file, results, folder, prefix, suffix, *environment = sys.argv[1:]
timeout_s = 900  # of a whole suite, with a sanitizer, on a busy machine

os.makedirs(results, exist_ok=True)
printed = subprocess.run(
    [program, "--gtest_list_tests"], env={**os.environ, "GRAPHPROF_OUTPUT": ""}, stdout=subprocess.PIPE, text=True, check=True
).stdout
tests_of = {}
for line in printed.splitlines():
    word = line.split("#")[0].strip()  # behind it stand types and values
    if not line.startswith(" "):
        suite = word.removesuffix(".") if word.endswith(".") else None
    elif suite and not (suite + word).startswith("DISABLED_"):
        tests_of[suite] = tests_of.get(suite, 0) + 1
if not tests_of:
    sys.exit(f"{program} lists no tests")

with open(list_file, "w") as out:
    for suite, tests in tests_of.items():
        name = f"{prefix}{suite}{suffix}"
        result = os.path.join(results, name.replace("/", "_") + ".xml")
        open(result, "w").close()  # empty until the suite ends: so test/summary.py knows one that left no results
        print(f'add_test("{name}" "{program}" "--gtest_filter={suite}.*" "--gtest_output=xml:{result}")', file=out)
        print(
            f'set_tests_properties("{name}" PROPERTIES WORKING_DIRECTORY "{folder}" TIMEOUT {timeout_s} COST {tests}'  # most first
            + (f' ENVIRONMENT "{";".join(environment)}"' if environment else "")
            + ")",
            file=out,
        )
