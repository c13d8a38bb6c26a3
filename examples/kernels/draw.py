#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""draw.py TRACE SVG [MICROSECONDS]: draws the sampled warps of one block of a Chrome trace, each in a row, with the regions that they went
through: the first block with most warps, of the last replay with timed twins. MICROSECONDS: only so many from its begin on."""

import json
import math
import sys
from xml.sax.saxutils import escape

WIDTH, MARGIN, LABEL, ROW, GAP, LETTER = 960, 12, 70, 34, 8, 6.6
ROUNDING = 1e-4  # microseconds; the regions of a warp end and begin at whole cycles
COLOURS = ["#4c78a8", "#bab0ac", "#54a24b", "#f58518", "#b279a2", "#e45756", "#72b7b2", "#eeca3b"]


class Row:
    """A warp with the regions that it went through: (name, begin, end, depth), in microseconds since the block's begin."""

    def __init__(self, warp, inside, begin):
        self.number = warp["args"]["warp"]
        self.begin, self.end = warp["ts"] - begin, warp["ts"] + warp["dur"] - begin
        self.spans, around = [], []
        for span in inside:
            at, end = span["ts"] - begin, span["ts"] + span["dur"] - begin
            while around and around[-1] <= at + ROUNDING:
                around.pop()
            self.spans.append((span["name"], at, end, len(around)))
            around.append(end)


def block_of(events):
    """What the block is called, and its rows."""
    warps = [event for event in events if event.get("cat") == "graphprof_warp"]
    if not warps:
        sys.exit("no sampled warps in this trace: record it with GRAPHPROF_KERNELS=warps:2 and GRAPHPROF_OUTPUT=trace.json")
    last = max(event["args"]["replay"] for event in warps)
    blocks = {}
    for event in warps:
        if event["args"]["replay"] == last:
            blocks.setdefault((event["pid"], event["name"], event["args"]["path"], event["args"]["block"]), []).append(event)
    (_, kernel, _, block), chosen = max(blocks.items(), key=lambda each: (len(each[1]), -each[0][3]))
    begin = min(event["ts"] for event in chosen)
    rows = []
    for warp in sorted(chosen, key=lambda event: event["args"]["warp"]):
        inside = [event for event in events if event.get("cat") == "graphprof_inside" and (event["pid"], event["tid"]) == (warp["pid"], warp["tid"])
                  and warp["ts"] <= event["ts"] and event["ts"] + event["dur"] <= warp["ts"] + warp["dur"] + ROUNDING]
        rows.append(Row(warp, inside, begin))
    return f"{kernel}, block {block}, multiprocessor {chosen[0]['args']['multiprocessor']}, replay {last}", rows


def svg(title, rows, until):
    scale = (WIDTH - LABEL - 3 * MARGIN) / until
    names = list(dict.fromkeys(name for row in rows for name, begin, _, _ in row.spans if begin < until))
    colour = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    height = 60 + len(rows) * (ROW + GAP) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>', f'<text x="{MARGIN}" y="20">{escape(title)}</text>']
    at = MARGIN
    for name in names:
        out += [f'<rect x="{at}" y="32" width="12" height="12" fill="{colour[name]}"/>', f'<text x="{at + 17}" y="42">{escape(name)}</text>']
        at += 34 + LETTER * len(name)
    left = MARGIN + LABEL
    for i, row in enumerate(rows):
        top = 60 + i * (ROW + GAP)
        out.append(f'<text x="{MARGIN}" y="{top + ROW / 2 + 4:.0f}">warp {row.number}</text>')
        out.append(f'<rect x="{left + scale * row.begin:.2f}" y="{top}" width="{scale * (min(row.end, until) - row.begin):.2f}" height="{ROW}" '
                   'fill="none" stroke="#888"/>')
        for name, begin, end, depth in row.spans:
            if begin >= until:
                continue
            width, inset = scale * (min(end, until) - begin), min(3 + 6 * depth, ROW // 2 - 2)
            out.append(f'<rect x="{left + scale * begin:.2f}" y="{top + inset}" width="{max(width, 0.3):.2f}" height="{ROW - 2 * inset}" '
                       f'fill="{colour[name]}"><title>{escape(name)}: {begin:.3f} us to {end:.3f} us</title></rect>')
            if width > LETTER * len(name) + 6:
                out.append(f'<text x="{left + scale * begin + 4:.2f}" y="{top + ROW / 2 + 4:.0f}" fill="white">{escape(name)}</text>')
    bottom = 60 + len(rows) * (ROW + GAP) + 14
    decade = 10 ** math.floor(math.log10(until))
    step = next(decade * part for part in (0.1, 0.2, 0.5, 1) if until / (decade * part) <= 10)
    for i in range(int(until / step + ROUNDING) + 1):
        out.append(f'<text x="{left + scale * i * step:.2f}" y="{bottom}" text-anchor="middle" fill="#555">{i * step:g} us</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        title, rows = block_of(json.load(file)["traceEvents"])
    most = max(row.end for row in rows)
    until = min(most, float(sys.argv[3])) if len(sys.argv) == 4 else most
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(svg(title, rows, until))


if __name__ == "__main__":
    main()
