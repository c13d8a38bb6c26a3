# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""What `mandoc -Tlint` says, but not that it misses a page which is installed beside: lint.py SHARE. Status 1 if anything is left."""

import re
import sys
from pathlib import Path

wrong = []
for line in sys.stdin:
    reference = re.search(r"referenced manual not found: Xr ([\w-]+) (\d)", line)
    if not reference or not (Path(sys.argv[1]) / "man" / f"man{reference[2]}" / f"{reference[1]}.{reference[2]}").exists():
        wrong.append(line)
sys.exit("".join(wrong) or 0)
