#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# driver_versions.py INCLUDE DRIVER_API OLDEST: each function of the driver that DRIVER_API lists is in a driver of version OLDEST
# (12030), by the versions in the cudaTypedefs.h of a toolkit, in INCLUDE. Says which are newer; status 1 where some are.

import collections
import pathlib
import re
import sys


def versions_of_names(include):
    """The versions in which each name of the driver's got another form, by a toolkit's headers."""
    versions = collections.defaultdict(set)
    for header in include.glob("*Typedefs.h"):
        for name, version in re.findall(r"\*PFN_(cu\w+?)_v(\d+)(?:_pt[sd][sz])?\)", header.read_text()):
            versions[name].add(int(version))
    return versions


def version_of(symbol, versions):
    """The version that brought an exported symbol; None if the headers have no such form."""
    # The first form of a function has its name, the second one the same with _v2, and so on.
    name, suffix = re.fullmatch(r"(\w+?)(?:_v(\d))?", symbol).groups()
    known = sorted(versions[name])
    index = int(suffix or 1) - 1
    return known[index] if index < len(known) else None


def main(include, api, oldest):
    versions = versions_of_names(include)
    symbols = re.findall(r"^  X\(\w+, (cu\w+),", api.read_text(), re.MULTILINE)
    failures = [] if len(symbols) > 50 else [f"{api.name}: its list was not understood"]
    for symbol in symbols:
        since = version_of(symbol, versions)
        if since is None:
            failures.append(f"{symbol}: no such version in cudaTypedefs.h")
        elif since > oldest:
            failures.append(f"{symbol}: only since {since}")
    print(*failures, sep="\n", end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])))
