#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# driver_versions.py INCLUDE DRIVER_API OLDEST: each function of the driver that DRIVER_API lists is in a driver of version OLDEST
# (12030), by the versions in the cudaTypedefs.h of a toolkit, in INCLUDE. Says which are newer; status 1 where some are.

import collections
import pathlib
import re
import sys

include, api, oldest = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
versions = collections.defaultdict(set)
for header in include.glob("*Typedefs.h"):
    for name, version in re.findall(r"\*PFN_(cu\w+?)_v(\d+)(?:_pt[sd][sz])?\)", header.read_text()):
        versions[name].add(int(version))

symbols = re.findall(r"^  X\(\w+, (cu\w+),", api.read_text(), re.MULTILINE)
failures = [] if len(symbols) > 50 else [f"{api.name}: its list was not understood"]
for symbol in symbols:
    # The first version of a function has its name, the second one the same with _v2, and so on.
    name, suffix = re.fullmatch(r"(\w+?)(?:_v(\d))?", symbol).groups()
    known = sorted(versions[name])
    index = int(suffix or 1) - 1
    if index >= len(known):
        failures.append(f"{symbol}: no such version in cudaTypedefs.h, which has {known}")
    elif known[index] > oldest:
        failures.append(f"{symbol}: only since {known[index]}")

print(*failures, sep="\n", end="\n" if failures else "")
sys.exit(1 if failures else 0)
