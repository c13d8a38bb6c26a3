# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Whether graphprof(1) has each variable that the library reads and each kind of output: tables.py PROJECT BIN SHARE"""

import re
import subprocess
import sys
from pathlib import Path

project, programs, share = map(Path, sys.argv[1:])
page = subprocess.run(["mandoc", "-Tascii", share / "man" / "man1" / "graphprof.1"], capture_output=True, text=True, check=True).stdout
page = re.sub(".\b", "", page)
listed = (project / "runtime" / "services" / "options.def").read_text()
variables = [f"GRAPHPROF_{name}" for name in re.findall(r"^GRAPHPROF_OPTION(?:_OF_RUN)?\((\w+)", listed, re.MULTILINE)]
said = subprocess.run([programs / "graphprof-convert", "--help"], capture_output=True, text=True, check=True).stdout
outputs = [each.replace("[.gz]", "") for each in re.search(r"OUTPUT is one of ([^;\n]+)", said)[1].split(", ")]
assert len(variables) > 15 and len(outputs) > 10, (variables, outputs)
missing = [name for name in variables + outputs if not re.search(rf"(?:^ +|, ){re.escape(name)}(?![\w:])", page, re.MULTILINE)]
sys.exit(f"not in graphprof(1): {', '.join(missing)}" if missing else 0)
