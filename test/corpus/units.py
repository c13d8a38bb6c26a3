# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""What a program is compiled from: its units, and the flags of each, from a directory or from a
compile_commands.json. Knows nothing of the tool."""

import dataclasses
import json
import os
import pathlib
import re
import shlex

GRAPH_CALL = re.compile(rb"\bcu(da)?(Graph(?!ics)|StreamBeginCapture|StreamEndCapture)\w*")
HOST_SUFFIXES = {".cpp", ".cc", ".cxx", ".c"}

# What a command says about its results and about code generation. The former is ours to say; the
# latter costs most of the time and makes no difference to a host source.
VALUED = {"-o", "--output-file", "-MF", "-MT", "-MQ", "--dependency-output", "-gencode",
          "--generate-code", "-arch", "--gpu-architecture", "-code", "--gpu-code", "-t", "--threads",
          "-odir", "--output-directory"}
ALONE = re.compile(r"-c|-MD|-MMD|-MP|--compile|-dlto|-G|--device-debug|-lineinfo|"
                   r"--generate-line-info|-O[0-9s]?|"
                   r"(-gencode|--generate-code|-arch|--gpu-architecture|-code|--gpu-code|-t|--threads)=.*")


@dataclasses.dataclass(frozen=True)
class Unit:
    program: str
    root: pathlib.Path  # of the program: copies keep the layout below it
    directory: pathlib.Path  # where the command runs
    source: pathlib.Path
    compiler: str
    flags: tuple[str, ...]  # without source, outputs and code generation

    @property
    def name(self):
        try:
            return str(self.source.relative_to(self.root))
        except ValueError:
            return str(self.source)

    @property
    def for_nvcc(self):
        return pathlib.Path(self.compiler).name.startswith("nvcc")


def mentions_graphs(path):
    return bool(GRAPH_CALL.search(path.read_bytes()))


def is_unit(path):
    return path.suffix == ".cu" or (path.suffix in HOST_SUFFIXES and mentions_graphs(path))


def in_directory(root, compiler, flags):
    for path in sorted(root.rglob("*")):
        if path.is_file() and is_unit(path):
            yield Unit(root.name, root, path.parent, path, compiler, tuple(flags))


def without_outputs(words):
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in VALUED:
            skip = True
        elif word in {"-dc", "--device-c"}:
            kept.append("-rdc=true")
        elif not ALONE.fullmatch(word):
            kept.append(word)
    return kept


def in_database(file, flags):
    """Units of a compile_commands.json; the name of its directory is the program's."""
    entries = [((file.parent / e["directory"]).resolve(), e) for e in json.loads(file.read_text())]
    entries = [(directory, (directory / e["file"]).resolve(), e) for directory, e in entries]
    root = pathlib.Path(os.path.commonpath(source.parent for _, source, _ in entries))
    seen = set()
    for directory, source, entry in entries:
        words = entry.get("arguments") or shlex.split(entry["command"])
        if pathlib.Path(words[0]).name in {"ccache", "sccache"}:
            words = words[1:]
        own = [w for w in words[1:]
               if w.startswith("-") or (directory / w).resolve() != source]
        unit = Unit(file.parent.name, root, directory, source, words[0],
                    tuple(without_outputs(own)) + tuple(flags))
        if unit not in seen and source.exists() and is_unit(source):
            seen.add(unit)
            yield unit


def find(place, compiler, flags):
    path = pathlib.Path(place).resolve()
    if path.is_dir() and (path / "compile_commands.json").exists():
        path = path / "compile_commands.json"
    return list(in_database(path, flags) if path.is_file() else in_directory(path, compiler, flags))
