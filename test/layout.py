#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# The house rules that a compiler does not check, for include/, runtime/ and tool/:
#
#   - a room (a folder) includes only from the rooms that ROOMS lists for it: every arrow points the way that
#     docs/internals.md says
#   - no file has more than 500 lines, no folder more than 40 files
#
#     test/layout.py             says what breaks a rule, with the file and the line; status 1 where something does
#     test/layout.py --graph     prints each arrow between two rooms, with how many includes make it

import collections
import os
import re
import sys

MOST_LINES = 500
MOST_FILES = 40

# Of each room those that it may include from, besides itself and include/graphprof; with a star those in it too. A room is
# the longest prefix of a file's path that stands here.
ROOMS = {
    # The library: bench, api and calls -> process -> graph -> clock -> cuda; process -> session -> output; all but clock and cuda over services. Graphs
    # and host spans hand what they measured to a sink (output/data/ReplaySink.h), so nothing below `session` includes it or
    # `output`. `runtime` itself holds what has no room: locks, cache lines, what each thread owns.
    "runtime": [],
    "runtime/cuda": ["runtime"],
    "runtime/clock": ["runtime", "runtime/cuda"],
    "runtime/kernels": ["runtime"],
    "runtime/output/data": ["runtime"],
    "runtime/output/io": ["runtime", "runtime/output/data"],
    "runtime/output/statistics": ["runtime", "runtime/output/data", "runtime/output/io"],
    "runtime/output": ["runtime", "runtime/output/data", "runtime/output/io", "runtime/output/statistics"],
    "runtime/output/formats": ["runtime", "runtime/output", "runtime/output/data", "runtime/output/io",
                               "runtime/output/statistics"],
    "runtime/services": ["runtime", "runtime/output/io"],
    "runtime/host": ["runtime", "runtime/services", "runtime/output/data"],
    "runtime/graph/topology": ["runtime", "runtime/cuda", "runtime/clock", "runtime/services"],
    "runtime/graph/timing": ["runtime", "runtime/kernels", "runtime/cuda", "runtime/clock", "runtime/services", "runtime/output/data",
                             "runtime/graph/topology"],
    "runtime/graph/memory": ["runtime", "runtime/cuda", "runtime/clock", "runtime/services", "runtime/output/data",
                             "runtime/graph/topology"],
    "runtime/graph/registry": ["runtime", "runtime/cuda", "runtime/clock", "runtime/services", "runtime/output/data",
                               "runtime/graph/topology", "runtime/graph/timing"],
    "runtime/graph/launch": ["runtime", "runtime/cuda", "runtime/clock", "runtime/services", "runtime/output/data",
                             "runtime/graph/memory", "runtime/graph/topology", "runtime/graph/timing", "runtime/graph/registry"],
    "runtime/graph/harvest": ["runtime", "runtime/cuda", "runtime/clock", "runtime/services", "runtime/host",
                              "runtime/output/data", "runtime/graph/launch"],
    "runtime/graph": ["runtime", "runtime/cuda", "runtime/clock", "runtime/services", "runtime/output/data",
                      "runtime/graph*"],
    "runtime/backend": ["runtime", "runtime/cuda", "runtime/clock"],
    "runtime/session/memory": ["runtime", "runtime/output/data"],
    "runtime/session": ["runtime", "runtime/output*", "runtime/services", "runtime/session/memory"],
    "runtime/session/cycles": ["runtime", "runtime/output*", "runtime/services", "runtime/session", "runtime/session/memory"],
    "runtime/session/windows": ["runtime", "runtime/output*", "runtime/services", "runtime/session", "runtime/session/memory"],
    # The addresses of control sockets, for the library and the command; what is asked over them.
    "runtime/wire": ["runtime"],
    "runtime/control": ["runtime", "runtime/output*", "runtime/services", "runtime/session*", "runtime/wire"],
    "runtime/nvtx": ["runtime", "runtime/cuda"],
    "runtime/process": ["runtime", "runtime/backend", "runtime/control", "runtime/cuda", "runtime/clock", "runtime/graph*", "runtime/host",
                        "runtime/nvtx", "runtime/services", "runtime/session*", "runtime/output*"],
    "runtime/calls": ["runtime", "runtime/cuda", "runtime/clock", "runtime/graph*", "runtime/host", "runtime/nvtx",
                      "runtime/process", "runtime/services", "runtime/session*", "runtime/output*"],
    "runtime/api": ["runtime", "runtime/backend", "runtime/cuda", "runtime/clock", "runtime/graph*", "runtime/host",
                    "runtime/nvtx", "runtime/process", "runtime/services", "runtime/session*", "runtime/output*"],
    "runtime/bench": ["runtime", "runtime/cuda", "runtime/clock", "runtime/graph*", "runtime/process", "runtime/services",
                      "runtime/session*", "runtime/output/data", "runtime/output/io"],
    # The flat C interface, over the public C++ one: of the rest it knows what a handle holds.
    "runtime/capi": ["runtime", "runtime/bench", "runtime/cuda", "runtime/nvtx", "runtime/process", "runtime/services",
                     "runtime/session", "runtime/output", "runtime/output/io"],
    # libgraphprof_preload.so, which is linked with nothing of the library's. It compiles two sources of output/io again, which
    # need the C library only.
    "runtime/preload": ["runtime/output/io"],
    "runtime/convert": ["runtime", "runtime/output*"],

    # The tool, whose steps meet in facts.
    "tool/instrument/facts": [],
    "tool/instrument/source": ["tool/instrument/facts", "tool/nvcc"],
    "tool/instrument/record": ["tool/instrument/facts", "tool/instrument/source"],
    "tool/instrument/plan": ["tool/instrument/facts"],
    "tool/instrument/run": ["tool/instrument/facts", "tool/instrument/source", "tool/instrument/record",
                            "tool/instrument/plan", "tool/nvcc"],
    "tool/nvcc": [],
    # Recordings are read in one room; report and diff compute on what it hands on.
    "tool/graphprof/recordings": ["runtime", "runtime/output*"],
    # What commands show is a document; one renderer for each form prints it.
    "tool/graphprof/figures": ["runtime", "runtime/output/data", "runtime/output/formats", "runtime/output/io", "runtime/output/statistics",
                               "tool/graphprof/recordings"],
    "tool/graphprof/report": ["runtime", "runtime/output*", "tool/graphprof/figures", "tool/graphprof/recordings"],
    "tool/graphprof/diff": ["runtime", "runtime/output*", "tool/graphprof/figures", "tool/graphprof/recordings"],
    "tool/graphprof/merge": ["runtime", "runtime/output*", "tool/graphprof/figures", "tool/graphprof/recordings"],
    # A page shows what the others compute.
    "tool/graphprof/critical": ["runtime", "runtime/output*", "tool/graphprof/figures", "tool/graphprof/recordings"],
    "tool/graphprof/html": ["runtime", "runtime/output*", "tool/graphprof/critical", "tool/graphprof/figures", "tool/graphprof/merge",
                             "tool/graphprof/recordings", "tool/graphprof/report"],
    "tool/graphprof": ["runtime/convert", "runtime/output*", "runtime/wire", "tool/graphprof*"],
    "tool/exporter": ["tool/graphprof", "runtime/output/io", "runtime/wire"],
    "tool/simcc": ["tool/instrument/source", "tool/nvcc", "tool/launcher"],
    "tool/launcher": ["tool/instrument/facts", "tool/nvcc"],
}

# Where an include in quotes is looked up, behind the folder of the file itself.
ROOTS = ["include", "runtime", "tool", "tool/instrument", "tool/graphprof"]

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def product_files():
    for top in ("include", "runtime", "tool"):
        for folder, _, names in os.walk(top):
            for name in names:
                yield os.path.join(folder, name)


def room_of(path):
    return max((room for room in ROOMS if path.startswith(room + "/")), key=len, default=None)


def may_include(here, there):
    return any(there == room or room.endswith("*") and (there + "/").startswith(room[:-1] + "/") for room in ROOMS[here])


def resolve(path, included):
    for root in [os.path.dirname(path), *ROOTS]:
        candidate = os.path.normpath(os.path.join(root, included))
        if os.path.exists(candidate):
            return candidate
    return None


def arrows():
    """Yields (file, line, included file) of each include of one of our own files."""
    for path in product_files():
        if not path.endswith((".h", ".cpp", ".cu", ".c")):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in INCLUDE.finditer(text):
            target = resolve(path, match.group(1))
            if target:
                yield path, text.count("\n", 0, match.start()) + 1, target


def broken_rules():
    for path, line, target in arrows():
        here, there = room_of(path), room_of(target)
        if target.startswith("include/") or target.endswith(".def"): # a list is no arrow
            continue
        if here is None:
            yield f"{path}:{line}: is in no room of test/layout.py"
        elif there is None:
            yield f"{path}:{line}: includes {target}, which is in no room of test/layout.py"
        elif there != here and not may_include(here, there):
            yield f"{path}:{line}: {here} must not include from {there} ({target})"
    files_in = collections.Counter()
    for path in product_files():
        files_in[os.path.dirname(path)] += 1
        if path.endswith((".h", ".cpp", ".cu", ".def")):
            with open(path, encoding="utf-8") as file:
                lines = sum(1 for _ in file)
            if lines > MOST_LINES:
                yield f"{path}: has {lines} lines; split it (at most {MOST_LINES})"
    for folder, count in sorted(files_in.items()):
        if count > MOST_FILES:
            yield f"{folder}: has {count} files; make rooms (at most {MOST_FILES})"


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    if sys.argv[1:] == ["--graph"]:
        counts = collections.Counter()
        for path, _, target in arrows():
            here, there = room_of(path) or os.path.dirname(path), room_of(target) or os.path.dirname(target)
            if here != there:
                counts[here, there] += 1
        for (here, there), count in sorted(counts.items()):
            print(f"{here} -> {there}  {count}")
        return 0
    if sys.argv[1:]:
        print(f"usage: {sys.argv[0]} [--graph]", file=sys.stderr)
        return 2
    broken = list(broken_rules())
    print(*broken, sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
