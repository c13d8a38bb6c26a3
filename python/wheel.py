#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Writes the wheel of the Python package, with the library, the preload library, the command and the simulated driver in it:

    python/wheel.py --tree PREFIX --out FOLDER      prints the wheel's path

PREFIX is where graphprof is installed. The same PREFIX gives the same bytes: what is in the wheel is sorted, and has the time
SOURCE_DATE_EPOCH, or none.

It is also how pip builds this folder (PEP 517): `pip install ./python --config-settings tree=PREFIX`."""

import argparse
import ast
import base64
import email.message
import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent
sys.path.insert(0, str(PROJECT / "tool/release"))
import sbom  # noqa: E402
GLIBC = (2, 28)  # nothing in the wheel needs a newer one; its tag says what it does need
OLDEST = (2, 17)  # that tags are used for
LICENSES = {"LICENSE": "LICENSE", "copyright": "tool/cmake/debian/copyright",
            "echarts/LICENSES.txt": "tool/graphprof/html/third_party/echarts/LICENSES.txt"}
SIMULATED_DRIVER = "graphprof/simulation/driver/libcuda.so.1"
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine


def version():
    parts = re.findall(r"^#define GRAPHPROF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$",
                       (PROJECT / "include/graphprof/version.h").read_text(), re.MULTILINE)
    return ".".join(parts)


def native(tree):
    """What of an installation is in the wheel: names below graphprof/, and the files."""
    tree = Path(tree)
    libraries = sorted(tree.glob("lib*/libgraphprof_preload.so")) or sorted(tree.glob("lib/*/libgraphprof_preload.so"))
    if not libraries:
        sys.exit(f"{tree} has no lib/libgraphprof_preload.so: it is no installation of graphprof. tool/release/build makes one, and this "
                 "wheel; for another, say where it is: --tree, or --config-settings tree=PREFIX")
    lib = libraries[0].parent
    driver = lib / SIMULATED_DRIVER
    if not driver.is_file():
        sys.exit(f"{tree} has no simulated driver ({driver}), which graphprof demo needs: build graphprof with GRAPHPROF_BUILD_SIMULATION")
    soname = sorted(lib.glob("libgraphprof.so.*"), key=lambda path: len(path.name))[0]
    return [("lib/" + soname.name, soname.resolve()), ("lib/libgraphprof_preload.so", libraries[0]),
            (f"lib/{SIMULATED_DRIVER}", driver), ("bin/graphprof", tree / "bin/graphprof")]


def tag(files):
    """The platform's, if the files keep what it promises."""
    machines, glibc = set(), OLDEST
    for path in files:
        head = path.read_bytes()[:20]
        machines.add(MACHINES.get(int.from_bytes(head[18:20], "little")))
        needs = subprocess.run(["readelf", "--version-info", "--wide", path], check=True, stdout=subprocess.PIPE, text=True).stdout
        for name in set(re.findall(r"Name: GLIBC_([0-9.]+)", needs)):
            glibc = max(glibc, tuple(map(int, name.split(".")))[:2])
            if glibc > GLIBC:
                sys.exit(f"{path} needs glibc {name}, and a wheel {GLIBC[0]}.{GLIBC[1]} at most. To see why: objdump -T {path} | grep {name}")
    if len(machines) != 1 or None in machines:
        sys.exit(f"{', '.join(map(str, files))}: not all for one of {', '.join(MACHINES.values())}")
    return f"manylinux_{glibc[0]}_{glibc[1]}_{machines.pop()}"


def has(target):
    """Whether the package has what an entry point names."""
    module, _, function = target.partition(":")
    path = HERE / (module.replace(".", "/") + ".py")
    if not path.exists():
        return False
    names = {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
    if function and function not in names:
        sys.exit(f"python/pyproject.toml: {path} has no function {function}")
    return True


def entry_points(project):
    groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    text = ""
    for group, entries in sorted(groups.items()):
        lines = [f"{name} = {target}\n" for name, target in sorted(entries.items()) if has(target)]
        text += f"[{group}]\n{''.join(lines)}\n" if lines else ""
    return text


def urls(paths):
    """Of the project, where it is hosted."""
    if not (repository := os.environ.get("GRAPHPROF_REPOSITORY", "").rstrip("/")):
        return
    if not re.fullmatch(r"https://[^/\s]+/\S+", repository):
        sys.exit(f"GRAPHPROF_REPOSITORY={repository} is no address like https://host/owner/name")
    for label, path in sorted(paths.items()):
        yield "Project-URL", f"{label}, {repository}{path}"


def metadata(pyproject):
    project = pyproject["project"]
    message = email.message.Message()
    for name, value in [("Metadata-Version", "2.4"), ("Name", project["name"]), ("Version", version()), ("Summary", project["description"]),
                        ("Author", ", ".join(author["name"] for author in project["authors"])), *urls(pyproject["tool"]["graphprof"]["urls"]),
                        ("License-Expression", project["license"]), *(("License-File", name) for name in LICENSES),
                        ("Keywords", ",".join(project["keywords"])), *(("Classifier", each) for each in project["classifiers"]),
                        ("Requires-Python", project["requires-python"]), ("Description-Content-Type", "text/markdown")]:
        message[name] = value
    message.set_payload((HERE / project["readme"]).read_text())
    return message.as_string()


def contents(tree):
    """The names in the wheel, with their bytes and whether they can be executed; and the platform."""
    pyproject = tomllib.loads((HERE / "pyproject.toml").read_text())
    info = f"graphprof-{version()}.dist-info/"
    binaries = native(tree)
    platform = tag([path for _, path in binaries])
    files = {f"graphprof/{name}": (path.read_bytes(), True) for name, path in binaries}
    package = HERE / "graphprof"
    for path in [*package.rglob("*.py"), *package.rglob("*.pyi"), *package.rglob("py.typed")]:
        files[str(path.relative_to(HERE))] = path.read_bytes(), False
    for path in (PROJECT / ".github/actions/diff").iterdir():  # for projects that compare in their CI
        files[f"graphprof-{version()}.data/data/share/graphprof/actions/diff/{path.name}"] = path.read_bytes(), path.suffix == ".sh"
    files[info + "METADATA"] = metadata(pyproject).encode(), False
    files[info + "WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: graphprof ({version()})\nRoot-Is-Purelib: false\n"
                             f"Tag: py3-none-{platform}\n".encode(), False)
    for name, path in LICENSES.items():
        files[f"{info}licenses/{name}"] = (PROJECT / path).read_bytes(), False
    bill = sbom.bill("graphprof", version(), {f"graphprof/{name}": files[f"graphprof/{name}"][0] for name, _ in binaries})
    files[info + "sboms/graphprof.cdx.json"] = bill.encode(), False
    if entries := entry_points(pyproject["project"]):
        files[info + "entry_points.txt"] = entries.encode(), False
    return files, info, platform


def write(tree, out):
    files, info, platform = contents(tree)
    record = "".join("{},sha256={},{}\n".format(name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data))
                     for name, (data, _) in sorted(files.items()))
    ordered = [*sorted((name, file) for name, file in files.items() if not name.startswith(info)),
               *sorted((name, file) for name, file in files.items() if name.startswith(info)),  # last, as the format recommends
               (info + "RECORD", ((record + info + "RECORD,,\n").encode(), False))]
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH") or 0), 315532800))[:6]  # a zip file begins in 1980
    path = Path(out) / f"graphprof-{version()}-py3-none-{platform}.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as wheel:
        for name, (data, executable) in ordered:
            entry = zipfile.ZipInfo(name, when)
            entry.create_system = 3  # Unix, whose modes these are
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return path


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """For pip."""
    return write((config_settings or {}).get("tree") or PROJECT / "build/package/install", wheel_directory).name


def build_sdist(sdist_directory, config_settings=None):
    """For pip: there is none, since the wheel's library is built from the whole project."""
    sys.exit("graphprof's Python package has no source distribution of its own: tool/release/build builds the wheel from the project")


def main():
    parser = argparse.ArgumentParser(description="Writes the wheel of the Python package")
    parser.add_argument("--tree", default=PROJECT / "build/package/install", help="where graphprof is installed")
    parser.add_argument("--out", required=True, help="the folder for the wheel")
    options = parser.parse_args()
    print(write(options.tree, options.out))


if __name__ == "__main__":
    main()
