# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# known_in_python.py LIBRARY RESULT WORD...: calls main() of the library with these words, and writes what the Python package says
# of it.

import ctypes
import json
import sys

library = ctypes.CDLL(sys.argv[1])  # before graphprof, which then takes the libgraphprof that this one is linked with

import graphprof  # noqa: E402

words = ["known_times", *sys.argv[3:]]
with graphprof.profile() as prof:
    assert library.main(len(words), (ctypes.c_char_p * len(words))(*(word.encode() for word in words))) == 0
averages = prof.key_averages()
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump({"averages": [row._asdict() for row in averages], "table": averages.table(statistics=True, row_limit=-1),
               "html": averages._repr_html_(), "events": [event._asdict() for event in prof.events()]}, file)
