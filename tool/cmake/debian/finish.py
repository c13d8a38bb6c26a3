#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Makes what CPack has installed into what Debian's packages have:

    finish.py FOLDER --version VERSION --contact CONTACT

FOLDER holds a folder for each package, with its files below usr. Each gets its copyright, its changelog, the bill of what is inside its
programs (tool/release/sbom.py) and what lintian is told of it; manual pages are compressed. Times come from SOURCE_DATE_EPOCH, if that
is set."""

import argparse
import email.utils
import gzip
import os
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "release"))
import sbom  # noqa: E402


def compress(path, text):
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(text)
    path.chmod(0o644)


def changelog(package, version, contact, when):
    if "<" not in contact:
        contact += " <>"  # the format has a place for the address
    return f"""{package} ({version}) unstable; urgency=medium

  * Version {version}. CHANGELOG.md of the project says what it has.

 -- {contact}  {email.utils.formatdate(when)}
"""


def finish(folder, version, contact, when):
    package = folder.name
    share = folder / "usr/share"
    doc = share / "doc" / package
    doc.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(HERE / "copyright", doc / "copyright")
    compress(doc / "changelog.gz", changelog(package, version, contact, when).encode())
    (doc / f"{package}.cdx.json").write_text(sbom.of_folder(package, version, folder))
    for page in sorted(share.glob("man/man*/*.[1-9]")):
        compress(page.with_name(page.name + ".gz"), page.read_bytes())
        page.unlink()
    overrides = share / "lintian/overrides" / package
    overrides.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(HERE / f"{package}.lintian-overrides", overrides)
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--contact", required=True)
    options = parser.parse_args()
    when = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    for folder in sorted(options.folder.iterdir()):
        if (folder / "usr").is_dir():
            finish(folder, options.version, options.contact, when)


main()
