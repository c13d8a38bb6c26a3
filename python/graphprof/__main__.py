# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""python -m graphprof PROGRAM.py"""

import sys

from ._command import run_python

if __name__ == "__main__":
    sys.exit(run_python(sys.argv[1:]))
