# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Ways in which a project's header can be reached. In each, the header destroys a graph, and the object must call graphprof's
function for that: the compiler has read the header's copy. Each compiles without graphprof-cc, too.

    include_layouts.py [--some] <folder> <the source's extension> <nm> -- <compile command> -- <graphprof-cc>

With --some, only what a compiler of CUDA may do otherwise than one of C++.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

HEADER = """#pragma once
#include <cuda_runtime_api.h>
struct Graph { cudaGraphExec_t e = nullptr; ~Graph() { if (e) cudaGraphExecDestroy(e); } };
"""
SOURCE = """
void f(cudaGraphExec_t e, cudaStream_t s) {
  Graph g;
  g.e = e;
  cudaGraphLaunch(e, s);
}
"""

# For each: what the source includes; the other files, as `path: includes`, `path -> target of a link`, `folder/` or `path = G`,
# the header; and the words that the command has more. A source that is not in the project's own folder is named by `source`.
LAYOUTS = {
    "beside": ('"g.h"', ["g.h = G"], ""),
    "below": ('"a/g.h"', ["a/g.h = G"], ""),
    "dot": ('"./g.h"', ["g.h = G"], ""),
    "dots in between": ('"a/./b/.//g.h"', ["a/b/g.h = G"], ""),
    "through an empty folder": ('"sub/../g.h"', ["g.h = G", "sub/"], ""),
    "through a folder with a copy": ('"sub/../g.h"\n#include "sub/h.h"', ["g.h = G", 'sub/h.h: "../g.h"'], ""),
    "twice through a folder": ('"a/b/../../g.h"', ["g.h = G", "a/b/"], ""),
    "both ways": ('"g.h"\n#include "sub/../g.h"', ["g.h = G", "sub/"], ""),
    "both ways, the long one first": ('"sub/../g.h"\n#include "g.h"', ["g.h = G", "sub/"], ""),
    "angled, through a folder": ("<sub/../g.h>", ["g.h = G", "sub/"], "-I."),
    "angled, through an include folder": ("<../other/g.h>", ["other/g.h = G", "inc/"], "-Iinc"),
    "in an include folder": ("<g.h>", ["inc/g.h = G"], "-Iinc"),
    "quoted, in an include folder": ('"g.h"', ["inc/g.h = G"], "-Iinc"),
    "quoted, through an include folder": ('"lib/../g.h"', ["inc/g.h = G", "inc/lib/"], "-Iinc"),
    "an include folder through another": ("<g.h>", ["inc/g.h = G", "sub/"], "-Isub/../inc"),
    "an absolute include folder": ("<g.h>", ["inc/g.h = G"], "-I{here}/inc"),
    "an absolute path": ('"{here}/inc/g.h"', ["inc/g.h = G"], ""),
    "an absolute path through a folder": ('"{here}/sub/../g.h"', ["g.h = G", "sub/"], ""),
    "out of the working folder and back": ('"../{name}/g.h"', ["g.h = G"], ""),
    "up from a source below": ('"../inc/g.h"', ["src/", "inc/g.h = G"], "source=src"),
    "up from a source below, found by -I": ("<inc/g.h>", ["src/", "inc/g.h = G"], "source=src -I."),
    "a source through a folder": ('"g.h"', ["sub/", "g.h = G"], "source=sub/.."),
    "a source through a link to elsewhere": ('"g.h"', ["far/deep/", "far/g.h = G", "sub -> far/deep"], "source=sub/.."),
    "a header's own way up": ('"a/h.h"', ['a/h.h: "../b/g.h"', "b/g.h = G"], ""),
    "a header's way down and up": ('"c/z.h"', ['c/z.h: "../a/../b/g.h"', "a/", "b/g.h = G"], ""),
    "a header's way through the source's folder": ('"c/z.h"', ['c/z.h: "../c/../g.h"', "g.h = G"], ""),
    "a plain header's way down and up": (
        '"c/z.h"',
        ['c/z.h: "../a/../b/p.h"\n#include "../b/g.h"', "a/", "b/p.h: <stddef.h>", "b/g.h = G"],
        "",
    ),
    "another file in the object's folder": ('"../p.h"', ["src/", "out/", 'p.h: "g.h"', "g.h = G", "out/p.h: <none>"], "source=src out=out"),
    "a linked header": ('"l.h"', ["a/g.h = G", "l.h -> a/g.h"], ""),
    "a linked header and itself": ('"l.h"\n#include "a/g.h"', ["a/g.h = G", "l.h -> a/g.h"], ""),
    "a linked header that includes from beside the link": ('"l.h"', ['a/h.h: "g.h"', "g.h = G", "l.h -> a/h.h"], ""),
    "a linked folder": ('"l/g.h"', ["a/g.h = G", "l -> a"], ""),
    "a linked include folder": ("<g.h>", ["a/g.h = G", "l -> a"], "-Il"),
    "through a linked folder": ('"l/../g.h"', ["far/deep/", "far/g.h = G", "l -> far/deep"], ""),
    "through a linked folder, beside another": (
        '"l/../g.h"\n#include "g.h"',
        ["far/deep/", "far/g.h = G", "l -> far/deep", "g.h: <stddef.h>"],
        "",
    ),
    "an include folder behind a linked one": ("<g.h>", ["far/deep/", "far/g.h = G", "l -> far/deep"], "-Il/.."),
    "a macro's name": ("NAME", ["g.h = G", "sub/"], '-DNAME="sub/../g.h"'),
    "a macro's name, angled": ("NAME", ["g.h = G", "sub/"], "-DNAME=<sub/../g.h> -I."),
    "only if there is one": ('"g.h"\n#if !__has_include("sub/../g.h")\n#error\n#endif', ["g.h = G", "sub/"], ""),
    "the next one": ("<g.h>", ["one/g.h = #include_next <g.h>", "two/g.h = G"], "-Ione -Itwo"),
    "-iquote": ('"g.h"', ["inc/g.h = G"], "iquote=inc"),
    "-iquote, through a folder": ('"lib/../g.h"', ["inc/g.h = G", "inc/lib/"], "iquote=inc"),
    "-Xcompiler": ('"g.h"', ["inc/g.h = G"], "host=-Iinc"),
    "-Xcompiler beside -I": ('"g.h"', ["inc/g.h = G"], "-Iother host=-Iinc"),
    "NVCC_PREPEND_FLAGS": ("<g.h>", ["inc/g.h = G"], "NVCC_PREPEND_FLAGS=-Iinc"),
    "forced in": ("<stddef.h>", ["g.h = G", "sub/"], "-include sub/../g.h"),
    "forced in from an include folder": ("<stddef.h>", ["inc/g.h = G", "inc/lib/"], "-Iinc -include lib/../g.h"),
    "several sources": ('"sub/../g.h"', ["g.h = G", "sub/"], "more"),
}


SOME = ("sub/../g.h", "host=", "NVCC_", "iquote=", "more")


def make(folder, layout, extension):
    """Returns the source, and the words of the command behind the compiler's; nothing where it has no such option."""
    included, files, words = layout
    folder.mkdir(parents=True)
    source, out, environment, given = "", "", {}, []
    for word in words.split():
        name, _, value = word.partition("=")
        if name == "source":
            source = value + "/"
        elif name == "out":
            out = value + "/"
        elif name == "iquote":
            given += ["-Xcompiler", f"-iquote,{value}"] if extension == "cu" else ["-iquote", value]
        elif name in ("host", "NVCC_PREPEND_FLAGS"):
            if extension != "cu":
                return None
            given += ["-Xcompiler", value] if name == "host" else []
            environment |= {} if name == "host" else {name: value}
        elif name == "more":
            (folder / f"more.{extension}").write_text("int more;\n")
            given.append(f"more.{extension}")
        else:
            given.append(word.format(here=folder))
    for line in files:
        path, mark, what = re.match(r"(\S+?)(/$|: | = | -> )(.*)", line, re.DOTALL).groups()
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if mark == "/":
            (folder / path).mkdir(parents=True, exist_ok=True)
        elif mark == " -> ":
            (folder / path).symlink_to(what)
        else:
            text = HEADER if what == "G" else "#pragma once\n" + (what if mark == " = " else f"#include {what}") + "\n"
            (folder / path).write_text(text)
    name = f"{source}main.{extension}"
    text = "#include <cuda_runtime_api.h>\n#include " + included.replace("{here}", str(folder)).replace("{name}", folder.name)
    (folder / name).write_text(text + SOURCE)
    target = [] if "more" in words.split() else ["-o", f"{out}main.o"]
    return ["-c", name, *given, *target], environment, f"{out}main.o"


def problem(folder, layout, extension, compiler, wrapper, nm):
    made = make(folder, layout, extension)
    if made is None:
        return ""
    words, environment, target = made
    run = lambda command: subprocess.run(command, cwd=folder, env=os.environ | environment, capture_output=True, text=True)
    alone = run([*compiler, *words])
    if alone.returncode:
        return "does not compile without graphprof-cc: " + alone.stderr
    done = run([*wrapper, *compiler, *words])
    if done.returncode or done.stderr:
        return f"ends with {done.returncode}: {done.stderr}"
    if "graphprof_seam_execDestroying" not in run([nm, "-u", target]).stdout:
        return "the object destroys graphs without graphprof"
    return ""


def main():
    some = sys.argv[1] == "--some"
    folder, extension, nm, _, *commands = sys.argv[1 + some :]
    compiler, wrapper = commands[: commands.index("--")], commands[commands.index("--") + 1 :]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = {
            name: pool.submit(problem, pathlib.Path(folder).resolve() / name.replace(" ", "_").replace("'", ""), layout, extension, compiler, wrapper, nm)
            for name, layout in LAYOUTS.items()
            if not some or any(each in layout[0] + layout[2] for each in SOME)
        }
    wrong = {name: each.result() for name, each in found.items() if each.result()}
    for name, what in wrong.items():
        print(f"{name}: {what}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
