#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# toolkit_calls.py INCLUDE DETAIL EXEMPT NEWER: compares the redirected calls, the lists in DETAIL, with the headers of a toolkit, in
# INCLUDE, and with the names in NEWER, which newer toolkits have.
#
#   - Each function with Graph or Capture in its name is redirected, or stands in EXEMPT with the reason why not.
#   - The exports column says what the headers' macros make of the name, of copies.def too.
#   - Each version of a driver function that cudaTypedefs.h lists has a row, in calls_older.def where it is an older one, with as
#     many parameters and the same forms for per-thread default streams.

import collections
import pathlib
import re
import sys

include, detail, exempt_file, newer_file = map(pathlib.Path, sys.argv[1:])
table = "".join((detail / name).read_text() for name in ("calls.def", "lists.def", "allocations.def"))
listed = {}
for name, where, exports in re.findall(
    r"^GRAPHPROF_(?:RUNTIME|DRIVER)\((\w+), \w+, (\w+), (\w+),", table, re.MULTILINE
):
    listed[name] = (where, exports)


def bare(name):  # as EXEMPT has it, without the API's prefix
    return re.sub("^cu(da)?", "", name)


exempt = {}
for name, reason in re.findall(r'^GRAPHPROF_KNOWN\((\w+), "([^"]*)"\)', exempt_file.read_text(), re.MULTILINE):
    exempt[name] = reason

failures = [f"{name}: exempt without a reason" for name, reason in exempt.items() if not reason]
failures += [f"{name}: exempt, and redirected" for name in listed if bare(name) in exempt]

for line in newer_file.read_text().splitlines():
    version, name, *told = line.split() if line[:1] != "#" else (None, None)
    known = name in listed or not name or bare(name) in exempt or "Get" in name
    if known == bool(told) and name:
        failures.append(f"{name} of {version}: " + ("marked as unknown, and known" if told else "neither redirected nor exempt"))

for header, declaration in (
    ("cuda.h", r"\bCUDAAPI\s+(cu\w+)\s*\("),
    ("cuda_runtime_api.h", r"\bCUDARTAPI\s+(cuda\w+)\s*\("),
):
    text = (include / header).read_text()
    declared = {re.sub(r"(_v\d+|_ptsz|_ptds)+$", "", name) for name in re.findall(declaration, text)}
    if len(declared) < 100:
        failures.append(f"{header}: its declarations were not understood")
    for name in sorted(declared):
        if re.search(r"Graph(?!ics)|Capture", name) and name not in listed and bare(name) not in exempt:
            failures.append(f"{name}: neither redirected nor exempt; CONTRIBUTING.md, How to add a redirected call")

    # #define cuStreamBeginCapture __CUDA_API_PTSZ(cuStreamBeginCapture_v2)
    macros = dict(re.findall(r"^\s*#\s*define\s+(cu\w+)\s+(.+?)\s*$", text, re.MULTILINE))
    declared |= set(macros.values())
    for name, (where, exports) in listed.items():
        if name.startswith("cuda") != (header == "cuda_runtime_api.h") or where == "Before13":
            continue
        if where in ("From13_2", "From13_3") and name not in declared:  # an older toolkit
            continue
        stands_for = macros.get(name, name)
        per_thread = re.fullmatch(r"__CUDA(?:RT)?_API_PTSZ\((\w+)\)", stands_for)
        symbol = per_thread.group(1) if per_thread else stands_for
        if symbol not in (name, name + "_v2"):
            expected = "None"
        else:
            expected = ("V2" if symbol != name else "") + ("PerThread" if per_thread else "")
        if exports != (expected or "Plain"):
            failures.append(f"{name}: exports {exports}, but the header has {expected or 'Plain'}")
        if where == "Any" and name not in declared and symbol not in declared:
            failures.append(f"{name}: not in {header}")

# Versions. What cuGetProcAddress takes as a version is that of the type: PFN_cuGraphAddNode_v12030.
DRIVER_ROW = re.compile(
    r"^GRAPHPROF_DRIVER(_EDGES|_COPY|_OLDER_COPY|_OLDER|)\(([^()]+?),\s*\(([^()]*)\)", re.MULTILINE
)
WITH_EDGES_SINCE = 12030
SIZES_OF_64_BITS_SINCE = 3020


def parameters_in(text):
    return 0 if text.strip() in ("", "void") else text.count(",") + 1


rows = {}  # of each name those that are: from which version on, symbol, how many parameters, exports
older = collections.defaultdict(list)
for kind, columns, parameters in DRIVER_ROW.findall(
    "".join((detail / name).read_text() for name in ("calls.def", "lists.def", "allocations.def", "copies.def", "calls_older.def"))
):
    columns = [column.strip() for column in columns.split(",")]
    name, exports = columns[0], columns[-1]
    if "OLDER" in kind:
        older[name].append((int(columns[1]), parameters_in(parameters), exports))
    elif "Before13" in columns:
        older[name].append((WITH_EDGES_SINCE, parameters_in(parameters), exports))
    elif exports != "None":
        rows.setdefault(name, (parameters_in(parameters), exports))

typedefs = include / "cudaTypedefs.h"
typedefs_text = "".join((include / name).read_text() for name in (typedefs.name, "cudaProfilerTypedefs.h") if (include / name).exists())
types = collections.defaultdict(list)
for name, version, per_thread, parameters in re.findall(
    r"PFN_(cu\w+?)_v(\d+)(_ptsz|_ptds)?\)\(([^;]*)\);", typedefs_text
):
    types[name].append((int(version), parameters_in(parameters), per_thread))
for name in sorted(set(rows) | set(older)) if types else ():
    for version, count, per_thread in types[name]:
        if version < SIZES_OF_64_BITS_SINCE and (name in older or rows[name][1].startswith("V2")):
            continue
        until, expected, exports = next(
            (row for row in sorted(older[name]) if version < row[0]), (None, *rows.get(name, (None, "Plain")))
        )
        suffix = "_ptds" if exports.endswith("PerThreadDefault") else "_ptsz" if exports.endswith("PerThread") else None
        if expected != count:
            failures.append(f"{name}: version {version} has {count} parameters, its row {expected}")
        if per_thread and per_thread != suffix:
            failures.append(f"{name}: version {version} has a form {per_thread}, its row exports {exports}")
    if not types[name] and listed.get(name, ("",))[0] not in ("From13_2", "From13_3"):  # of a newer toolkit
        failures.append(f"{name}: not in cudaTypedefs.h")

print("\n".join(failures) or f"{len(listed)} redirected, {len(exempt)} exempt")
sys.exit(bool(failures))
