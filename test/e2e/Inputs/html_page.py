"""html_page.py GRAPHPROF TRACE RECORDING: says what a page of the recording shows."""

import json
import re
import subprocess
import sys

graphprof, trace, recording = sys.argv[1:]


def data_of_page():
    page = subprocess.run([graphprof, "html", "-o", "-", recording], check=True, capture_output=True, text=True).stdout
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])["sides"][0]["data"]


def shown(data):
    host, lines, threads = data["host"], [], {}
    flat = host["spans"]
    for act, thread, begin, _, launches, _ in sorted((flat[i:i + 6] for i in range(0, len(flat), 6)), key=lambda span: (span[2], -span[3])):
        _, captured, name, _ = host["acts"][act]
        threads.setdefault(host["threads"][thread][1], []).append(
            name + (" (captured)" if captured else "") + (f"->replay {data['replays'][launches]['number']}" if launches >= 0 else ""))
    lines += [f"thread {number}: {' '.join(names)}" for number, names in threads.items()]

    def path_of(place):
        name, _, _, parent = data["places"][place]
        return (path_of(parent) + "/" if parent >= 0 else "") + data["names"][name]
    for replay in data["replays"]:
        if replay["exec"]:
            lines.append(f"replay {replay['number']}: {', '.join(path_of(place) for place in replay['items'][::4])}")
    for memory in data["memory"]:
        for i, kind in enumerate(memory["kinds"]):
            sums = {True: 0, False: 0}
            for block in memory["blocks"]["largest"]:
                sums[block["path"] == "load"] += block["bytes"]
            lines.append(f"cuda:{memory['device']} {kind}: {memory['peak'][i + 1]} at the peak, {memory['states'][-1][i + 1]} at the end; "
                         f"in load {sums[True]}, in no region {sums[False]}")
    return lines


print(*shown(data_of_page()), sep="\n")
with open(trace, encoding="utf-8") as file:
    counters = [event for event in json.load(file)["traceEvents"] if event["ph"] == "C"]
print(f"trace: {max(sum(event['args'].values()) for event in counters)} at the peak")
