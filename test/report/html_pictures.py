#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Makes the pictures of docs/html.md: each view of a page of graphprof html in headless Chromium. The recordings are made up: decode
# steps of a model, before a change and after it. Needs Debian's chromium, chromium-driver, python3-selenium and python3-pil.
#
#     test/report/html_pictures.py GRAPHPROF [FOLDER] [--width N] [--dark]     usually docs
#     test/report/html_pictures.py --recordings FOLDER                          only writes the recordings

import argparse
import io
import math
import os
import random
import subprocess
import sys
import tempfile

from recordings import Graph, Node, Recording, Region, with_host, with_memory

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
LAYER = {"attention": [("rms_norm", 2), ("qkv_proj", 11), ("rope", 2), ("flash_attention", 18), ("out_proj", 8)],
         "mlp": [("rms_norm", 2), ("gate_up_proj", 21), ("silu_and_mul", 3), ("down_proj", 12)]}  # us
BESIDE = {"flash_attention": ("Memcpy DtoD", "memcpy", 7), "gate_up_proj": ("quantize_cache", "kernel", 6)}


def decode(name, layers=4, replays=60, slower=1.0, pid=1, lines=True):
    """Replays of a model's decode step. What is beside a kernel (BESIDE) waits for the kernel before it, and the next one waits for both."""
    chance = random.Random(f"{name} {pid}")
    regions, nodes, steps = [], [], []  # steps: (region, us, (region beside, us) or None)
    before = []
    for i in range(layers):
        layer = Region(f"layer {i}", source="src/model.cu:31", values=[("0", i)])
        regions.append(layer)
        for part, kernels in LAYER.items():
            inner = Region(part, layer, source=f"src/model.cu:{44 if part == 'attention' else 71}")
            regions.append(inner)
            for kernel, us in kernels:
                region = Region(kernel, inner, kind="kernel")
                regions.append(region)
                nodes.append(Node(region, before, blocks=32 * us))
                now, beside = [nodes[-1]], None
                if kernel in BESIDE:
                    what, kind, other = BESIDE[kernel]
                    beside = (Region(what, inner, kind=kind), other)
                    regions.append(beside[0])
                    nodes.append(Node(beside[0], before, kind=kind, blocks=64))
                    now.append(nodes[-1])
                steps.append((region, us * (slower if part == "attention" and i == 1 else 1), beside))
                before = now
    recording = Recording(regions, program=name, pid=pid, host="example", devices=("a made-up GPU",), began=1_764_000_000_000_000_000 + pid * 10**10)
    if lines:
        recording.graphs = [Graph(nodes, regions)]
    factor = math.exp(chance.gauss(0, .002))
    draw = lambda us, spread: 32 * round(us * 1000 * factor * math.exp(chance.gauss(0, spread)) / 32)
    for replay in range(replays):
        at, times = 1_500, {}
        late = 25_000 if chance.random() < .04 else 0
        for region, us, beside in steps:
            ns = draw(us, .02) * (3 if replay == 0 else 1)
            times[region] = (at, ns)
            if beside:
                times[beside[0]] = (at + 300, draw(beside[1], .05))
            at += ns + 640
        at += late
        for region in reversed(regions):  # regions last as long as what is in them
            if region.kind == "region":
                inside = [times[one] for one in regions if one.parent is region]
                begin, end = min(begin for begin, _ in inside), max(begin + ns for begin, ns in inside)
                times[region] = (begin, end - begin)
        recording.replay_at([(region, *times[region]) for region in regions], length=at + 900, cold=replay == 0, step=replay)
    return recording


def write(folder):
    os.makedirs(folder, exist_ok=True)
    paths = {"run.gprof": with_memory(with_host(decode("decode", pid=1)))}
    for i in range(1, 6):
        paths[f"before-{i}.gprof"] = decode("decode", pid=10 + i, lines=False)
        paths[f"after-{i}.gprof"] = decode("decode", pid=20 + i, slower=1.06, lines=False)
    for name, recording in paths.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(recording.gprof())
    return {name: os.path.join(folder, name) for name in paths}


def browser(width, dark):
    from browsers import chromium  # Selenium, which --recordings does without
    made = chromium("--hide-scrollbars")
    made.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 860, "deviceScaleFactor": 1, "mobile": width < 700})
    made.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
    return made


def picture(driver, path, height):
    """Of the top of the page; as few colours as keep it small."""
    import base64
    from PIL import Image
    width = driver.execute_script("return document.documentElement.clientWidth")
    taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}})
    image = Image.open(io.BytesIO(base64.b64decode(taken["data"]))).convert("RGB")
    image.quantize(96, dither=Image.Dither.NONE).save(path, optimize=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphprof")
    parser.add_argument("folder", nargs="?", default=os.path.join(ROOT, "docs"))
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--dark", action="store_true")
    if sys.argv[1:2] == ["--recordings"]:
        write(sys.argv[2])
        return
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = write(folder)
        side = lambda name: [path for key, path in paths.items() if key.startswith(name)]
        for page, files in (("run", [paths["run.gprof"]]), ("compare", [*side("before"), "--", *side("after")])):
            subprocess.run([os.path.abspath(words.graphprof), "html", "-o", f"{folder}/{page}.html", *files], check=True)
        driver = browser(words.width, words.dark)
        try:
            take(driver, folder, words.folder)
        finally:
            driver.quit()


def take(driver, folder, to):
    """The views in the order of docs/html.md."""
    name = lambda view: os.path.join(to, f"html-{view}.png")
    height = lambda selector: driver.execute_script("return Math.round(document.querySelector(arguments[0]).getBoundingClientRect().bottom + scrollY) + 14", selector)
    views = [("run", "overview", "#longest-kernel", ""), ("run", "timeline", "#details", "timeline.look(0, 90000); timeline.select(timeline.laid.bars.find((bar) => bar.what.name === 'flash_attention').number);"),
             ("run", "graph", "#graph-details", "graphView.pick(graphView.all.find((box) => box.name === 'flash_attention'));"), ("run", "table", "#rows tbody tr:nth-child(18)", ""),
             ("run", "distribution", "#chart-distribution", ""), ("run", "over-time", "#chart-over-time", ""), ("run", "memory", "#memory-kinds", ""), ("compare", "processes", "#runs", ""), ("compare", "compare", "#findings tbody tr:nth-child(8)", "")]
    for page, view, last, script in views:
        driver.get(f"file://{folder}/{page}.html#{view}")
        driver.execute_script(script)
        picture(driver, name(view), height(last))


if __name__ == "__main__":
    main()
