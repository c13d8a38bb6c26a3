# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What nvcc says about its own options, one a line: long name, short name, and what value it takes (nothing, value,
# joined: also right behind the short name, maybe: left out at the end), with "list" where the help shows one.
# The names come from `nvcc --help`; what value each takes, from how nvcc complains when it gets another.
#
#   nvcc_options.py NVCC         prints them: nvcc_options.txt is this for nvcc 13.0
#   nvcc_options.py NVCC FILE    fails where they differ from the file's; skipped (77) for another version of nvcc

import concurrent.futures
import difflib
import re
import subprocess
import sys
import tempfile

VERSION = "13.0"


def run(nvcc, *words, cwd=None):
    done = subprocess.run([nvcc, *words], capture_output=True, text=True, cwd=cwd)
    return done.stdout + done.stderr


def options(nvcc):
    with tempfile.TemporaryDirectory() as scratch:
        with open(f"{scratch}/x.cu", "w") as source:
            source.write("\n")

        def says(*words):
            return run(nvcc, "--dryrun", "-c", "x.cu", *words, cwd=scratch)

        def line(found):
            long, placeholder, short = found
            if "no argument expected after" in says(short + "=1"):
                operand = "nothing"
            elif "argument expected after" not in says(short):
                operand = "maybe"
            elif len(short) == 2 and "Unknown option" not in says(short + "1"):
                operand = "joined"
            else:
                operand = "value"
            return " ".join([long, short, operand] + ["list"] * placeholder.endswith(",..."))

        listed = re.findall(r"^(--\S+) ?(.*?) *\(?(--?[^)\s]*)\)? *$", run(nvcc, "--help"), re.MULTILINE)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(line, listed))


def main():
    nvcc, *file = sys.argv[1:]
    if not file:
        print("\n".join(options(nvcc)))
        return 0
    if f"release {VERSION}," not in run(nvcc, "--version"):
        print(f"{nvcc} is not of version {VERSION}, whose options the table has")
        return 77
    with open(file[0]) as kept:
        expected = kept.read().splitlines()
    difference = list(difflib.unified_diff(expected, options(nvcc), file[0], nvcc, lineterm=""))
    print("\n".join(difference))
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
