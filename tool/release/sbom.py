#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Writes which software of others is inside graphprof's programs and libraries: a software bill of materials, in CycloneDX's JSON.

    tool/release/sbom.py --name NAME --version VERSION FOLDER      prints that of all programs and libraries below FOLDER

It looks into the files, not at what the build was asked for: what is bundled leaves texts in them, such as SQLite's version or the
names of fmt's exceptions. Where a text has no whole version, and that of a Debian package beside it fits, it is the package's; which
package it was, with Debian's corrections, is what scanners for vulnerabilities ask for. GRAPHPROF_SYSROOT is the folder of that Debian,
if it is not this one.

The same files give the same bytes. The time is SOURCE_DATE_EPOCH, or none. python/wheel.py and tool/cmake/debian/finish.py call this."""

import argparse
import datetime
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote


class Part(NamedTuple):
    """Software of others, how its presence and version show in a file, its licence, and Debian's package that has it."""
    name: str
    signs: tuple[bytes, ...]  # regular expressions that all match; their groups are the version, or begin it
    license: str
    purl: str
    debian: str = ""


# tool/cmake/debian/copyright has the text of each licence.
PARTS = [
    Part("CLI11", (rb"N3CLI10ParseErrorE",), "BSD-3-Clause", "pkg:github/cliutils/cli11", "libcli11-dev"),
    Part("ECharts", (rb"echarts (\d+\.\d+\.\d+)\n\nApache ECharts",), "Apache-2.0 AND BSD-3-Clause", "pkg:npm/echarts"),
    Part("fmt", (rb"N3fmt(?:2v(\d)|3v(\d\d))12format_error",), "MIT", "pkg:github/fmtlib/fmt", "libfmt-dev"),
    Part("GNU C++ standard library", (rb"\0St9exception\0", rb"\0GCC: \([^)\n]*\) (\d+\.\d+\.\d+)"), "GPL-3.0-or-later WITH GCC-exception-3.1",
         "pkg:generic/libstdc++", "libstdc++-12-dev"),
    Part("ncurses", (rb"\0[^\0]*/etc/terminfo:",), "X11-distribute-modifications-variant", "pkg:generic/ncurses", "libncurses-dev"),
    Part("nlohmann-json", (rb"N8nlohmann\d+json_abi_v(\d+)_(\d+)_(\d)\d*",), "MIT", "pkg:github/nlohmann/json", "nlohmann-json3-dev"),
    Part("NVTX", (rb"\0InitializeInjectionNvtx2\0", rb"\0NVTX_INJECTION64_PATH\0"), "Apache-2.0 WITH LLVM-exception", "pkg:github/nvidia/nvtx"),
    Part("SQLite", (rb"\0(3\.\d+\.\d+)\0", rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [0-9a-f]{60}"), "blessing", "pkg:generic/sqlite", "libsqlite3-dev"),
    Part("tslib", (rb"\ntslib (\d+\.\d+\.\d+)\n\n",), "0BSD", "pkg:npm/tslib"),
    Part("zlib", (rb"inflate (\d+\.\d+(?:\.\d+)*) Copyright",), "Zlib", "pkg:generic/zlib", "zlib1g-dev"),
    Part("zrender", (rb"\nzrender (\d+\.\d+\.\d+)\n\n",), "BSD-3-Clause", "pkg:npm/zrender"),
]


@functools.lru_cache(None)
def debian(package):
    """The package's version, its architecture, and the version that it had before Debian."""
    admin = Path(os.environ.get("GRAPHPROF_SYSROOT", "") or "/", "var/lib/dpkg")
    try:
        said = subprocess.run(["dpkg-query", f"--admindir={admin}", "-W", "-f", "${db:Status-Status} ${Version} ${Architecture}\n", package],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    except FileNotFoundError:
        said = ""
    for line in said.splitlines():
        status, version, architecture = line.split()
        if status == "installed":
            return version, architecture, re.match(r"(?:\d+:)?([\d.]*\d)", version)[1]
    return None


def found(part, data):
    """The part as CycloneDX's component, if the file has it."""
    signs = [re.search(sign, data) for sign in part.signs]
    if not all(signs):
        return None
    version = b".".join(group for sign in signs for group in sign.groups() if group).decode()
    purl = part.purl + (f"@{version}" if version else "")
    package = debian(part.debian) if part.debian else None
    if package and f"{package[2]}.".startswith(f"{version}." if version else ""):
        version = package[2]
        purl = f"pkg:deb/debian/{quote(part.debian)}@{quote(package[0], safe='')}?arch={package[1]}"
    component = {"type": "library", "bom-ref": purl, "name": part.name, **({"version": version} if version else {}), "purl": purl}
    component["licenses"] = [{"expression": part.license}] if " " in part.license else [{"license": {"id": part.license}}]
    return component


def inside(data):
    """What of others is in a file."""
    return [component for part in PARTS if (component := found(part, data))]


def bill(name, version, files):
    """The bill of a package. `files` has the bytes of its programs and libraries by their names in it."""
    parts, entries, edges = {}, [], []
    for path, data in sorted(files.items()):
        entries.append({"type": "file", "bom-ref": path, "name": path,
                        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}]})
        has = {component["bom-ref"]: component for component in inside(data)}
        parts.update(has)
        edges.append({"ref": path, "dependsOn": sorted(has)})
    top = f"{name}@{version}"
    when = os.environ.get("SOURCE_DATE_EPOCH")
    text = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {
            **({"timestamp": datetime.datetime.fromtimestamp(int(when), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")} if when else {}),
            "component": {"type": "application", "bom-ref": top, "name": name, "version": version,
                          "licenses": [{"expression": "Apache-2.0 WITH LLVM-exception"}]},
        },
        "components": [*entries, *(part for _, part in sorted(parts.items()))],
        "dependencies": [{"ref": top, "dependsOn": [entry["bom-ref"] for entry in entries]}, *edges, *({"ref": ref} for ref in sorted(parts))],
    }
    text["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(text, sort_keys=True)).urn
    return json.dumps(text, indent=1, sort_keys=True) + "\n"


def binaries(folder):
    """The programs, libraries and archives below a folder."""
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(8).startswith((b"\x7fELF", b"!<arch>\n")):
                    yield path


def of_folder(name, version, folder):
    return bill(name, version, {str(path.relative_to(folder)): path.read_bytes() for path in binaries(folder)})


def main():
    parser = argparse.ArgumentParser(description="Writes which software of others is inside a folder's programs and libraries")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    sys.stdout.write(of_folder(options.name, options.version, options.folder))


if __name__ == "__main__":
    main()
