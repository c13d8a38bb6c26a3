# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""What mkdocs has to know to read the pages as GitHub does (mkdocs.yml). tool/release/site builds the site."""

import os
import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
REFERENCE = re.compile(r"^(\[[^\]]+\]:\s*)(\S+)")


def anchor(heading, separator):
    """As GitHub makes them; test/docs/check holds the pages to it."""
    return re.sub(r"\s", separator, re.sub(r"[^\w\s-]", "", heading.strip().lower()))


def version():
    header = (PROJECT / "include/graphprof/version.h").read_text()
    return ".".join(re.findall(r"^#define GRAPHPROF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE))


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = anchor
    config["site_name"] += " " + version()
    if repository := os.environ.get("GRAPHPROF_REPOSITORY"):
        config["repo_url"] = repository
        config["repo_name"] = "/".join(repository.split("/")[-2:])
    return config


def led_to(target, page, pages, repository):
    """Where the target of a link is on the site, or in the repository; None: nowhere."""
    path, mark, heading = target.partition("#")
    if re.match(r"\w+:", target) or not path:
        return target
    from_top = os.path.normpath(os.path.join(os.path.dirname(page), path))
    for file in (from_top, f"{from_top}/README.md"):
        if file in pages:
            return os.path.relpath(file, os.path.dirname(page)) + mark + heading
    kind = "tree" if (PROJECT / from_top).is_dir() else "blob"
    return f"{repository}/{kind}/main/{from_top}{mark}{heading}" if repository else None


def on_page_markdown(markdown, page, config, files):
    pages = {file.src_path for file in files}

    def link(found):
        target = led_to(found[3], page.file.src_path, pages, config["repo_url"])
        return found[2] if target is None else f"{found[1]}[{found[2]}]({target})"

    lines, fenced = [], False
    for line in markdown.splitlines():
        fenced ^= bool(re.match(r"\s*```", line))
        if fenced or line.startswith("    "):
            lines.append(line)
        elif re.fullmatch(r"\s*<!--.*-->\s*", line):
            lines += ["", "<!-- -->", ""]  # what the tests of pages are told; a block of commands has to be behind an empty line
        else:
            if re.match(r"- |\d+\. ", line) and lines and lines[-1] and not re.match(r"- |\d+\. |  ", lines[-1]):
                lines.append("")  # Python's Markdown begins a list behind an empty line only
            lines.append(LINK.sub(link, line))
    return "\n".join(lines) + "\n"
