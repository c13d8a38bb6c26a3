#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Makes the links of installed pages lead to what is installed:

    installed_links.py DOC INCLUDE

DOC holds README.md, docs/ and examples/ as they are in the project; INCLUDE is the folder of the headers, relative to DOC. A link to a
header or to the license leads to where it is installed. A link to what is not installed, such as the library's sources, becomes its
text. Changes the pages in DOC; a second run changes nothing."""

import os
import re
import sys
from pathlib import Path

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def installed_target(page, target, doc, include):
    """Where the target of a link on a page is when installed, as the link says it; None: nowhere."""
    path, mark, anchor = target.partition("#")
    if re.match(r"\w+:", target) or not path:
        return target
    from_top = os.path.normpath(os.path.join(page.parent.relative_to(doc), path))
    if from_top == "LICENSE":
        from_top = "copyright"
    elif from_top.split("/")[0] == "include":
        from_top = os.path.join(include, from_top.removeprefix("include").lstrip("/"))
    if not (doc / from_top).exists():
        return target if (page.parent / path).exists() else None  # an earlier run's
    return os.path.relpath(doc / from_top, page.parent) + ("/" if path.endswith("/") else "") + mark + anchor


def rewritten(page, text, doc, include):
    def link(found):
        target = installed_target(page, found[3], doc, include)
        return found[2] if target is None else f"{found[1]}[{found[2]}]({target})"

    lines, fenced = [], False
    for line in text.splitlines(keepends=True):
        fenced ^= bool(re.match(r"\s*```", line))
        lines.append(line if fenced or line.startswith("    ") else LINK.sub(link, line))
    return "".join(lines)


def main():
    doc, include = Path(sys.argv[1]), sys.argv[2]
    for page in sorted(doc.glob("**/*.md")):
        text = page.read_text()
        new = rewritten(page, text, doc, include)
        if new != text:
            page.write_text(new)


main()
