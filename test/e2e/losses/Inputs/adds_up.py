# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# adds_up.py LAUNCHES TABLE REPLAYS: every launch is either shown or counted as lost, and none twice.

import re
import sys

launches, table, replays = int(sys.argv[1]), open(sys.argv[2]).read(), open(sys.argv[3]).read()
lost = int(re.search(r"(\d+) replays? lost: the ring", table)[1])
shown = [int(number) for number in re.findall(r"replay (\d+)", replays)]
assert shown == sorted(set(shown)), "replays out of order or shown twice"
assert len(shown) + lost == launches, f"{len(shown)} shown + {lost} lost != {launches} launched"
