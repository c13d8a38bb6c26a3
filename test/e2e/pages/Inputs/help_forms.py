# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""What tool/pages/options.py reads of each part of a file: help_forms.py PROJECT FILE"""

import sys

sys.dont_write_bytecode = True
sys.path.insert(0, f"{sys.argv[1]}/tool/pages")
from options import options_in

for part in open(sys.argv[2]).read().split("#--- ")[1:]:
    name, text = part.split("\n", 1)
    for option in options_in(text):
        value = ("=" if option.joined else " ") + option.value if option.value else ""
        kind = f" {option.kind}" if option.kind else ""
        values = f" [{', '.join(value for value, _ in option.values)}]" if option.values else ""
        print(f"{name}: {' '.join(option.names)}{value}{kind}{values}: {option.help}")
