# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# A browser for tests of graphprof html: pages are made by the command and used. No message on the console, no request. Debian's chromium,
# chromium-driver and python3-selenium.

import base64
import json
import os
import re
import subprocess
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from recordings import Recording, Region

GRAPHPROF = None  # the command
VIEWS = ["overview", "timeline", "graph", "table", "distribution", "over-time", "processes", "losses"]


def model(replays=24, slower=1.0, pid=1, rank=0, **others):
    """Three layers, a copy beside the second kernel, and a region outside graphs. Times differ, and are known."""
    regions = []
    for i in range(3):
        layer = Region(f"layer {i}", source="src/model.cu:12", values=[("0", i)])
        regions += [layer, Region("gemm<128, float>", layer, kind="kernel"), Region("gemm<128, float>", layer, kind="kernel", place=2),
                    Region("Memcpy DtoD", layer, kind="memcpy")]
    outside = Region("<b>load</b>", source="src/main.cu:3", clock="event")
    recording = Recording([*regions, outside], program="decode", pid=pid, rank=rank, **others)
    for replay in range(replays):
        begin = at = recording.now
        records = []
        for i in range(3):
            layer, one, two, copy = regions[4 * i:4 * i + 4]
            first, second = 10_000 + 100 * (replay * 7 % 11), int(20_000 * (slower if i == 1 else 1)) + 100 * (replay * 5 % 13)
            records += [(layer, at, first + second), (one, at, first), (two, at + first, second), (copy, at + first + 500, 4_000)]
            at += first + second
        recording.replays.append((1, replay, replay == 0, replay // 4, begin, at, records))
        recording.now = at + 2_000
    recording.replays.append((0, 0, False, -1, recording.now, recording.now + 7_000, [(outside, recording.now, 7_000)]))
    return recording


def chromium(*arguments):
    """Without a window. It keeps what it said and what it loaded."""
    options = webdriver.ChromeOptions()
    options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", *arguments):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")), options=options)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.browser = chromium("--window-size=1400,1000", f"--user-data-dir={cls.folder}/profile")
        cls.addClassCleanup(cls.browser.quit)

    @classmethod
    def run_command(cls, *words):
        result = subprocess.run([GRAPHPROF, *words], capture_output=True, text=True, cwd=cls.folder, check=False)
        assert result.returncode in (0, 1), result.stderr
        return result.stdout

    @classmethod
    def make(cls, name, recording, cut=0):
        path = os.path.join(cls.folder, name)
        with open(path, "wb") as file:
            file.write(recording.gprof()[:-cut or None])
        return path

    def open(self, *words, dark=False):
        page = os.path.join(self.folder, "page.html")
        self.run_command("html", "-o", page, *words)
        self.show(page, dark)

    def show(self, page, dark=False):
        self.media(dark)
        self.browser.get("about:blank")
        self.browser.get_log("browser"), self.browser.get_log("performance")
        self.browser.get(f"file://{page}")

    def media(self, dark):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [])
        requests = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        urls = {message["params"]["request"]["url"] for message in requests if message["method"] == "Network.requestWillBeSent"}
        self.assertEqual({url for url in urls if not re.match(r"(file:///.*/page\.html|data:|about:)", url)}, set())

    def find(self, selector, within=None):
        return (within or self.browser).find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def view(self, name):
        self.find(f"#tab-{name}").click()
        section = self.find(f"#view-{name}")
        self.assertTrue(section.is_displayed())
        self.assertEqual([one.get_attribute("id") for one in self.all("section.view") if one.is_displayed()], [f"view-{name}"])
        if os.environ.get("SCREENSHOTS"):
            theme = self.script("return document.documentElement.dataset.theme")
            picture = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})["data"]
            with open(os.path.join(os.environ["SCREENSHOTS"], f"{self.id().split('.')[-1]}-{theme}-{name}.png"), "wb") as file:
                file.write(base64.b64decode(picture))
        return section

    def press(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def is_drawn(self, chart):
        """Whether a chart's canvas has more than one colour."""
        return self.script("""
            const canvas = document.querySelector(`#${arguments[0]} canvas`);
            const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            return new Set(pixels).size > 2;""", chart)

    def column(self, key):
        return self.script("""
            return [...document.querySelectorAll('#rows tr[data-path]')].map((row) => arguments[0] === 'path' ? row.dataset.path : row.querySelector(`[data-key=${arguments[0]}]`).dataset.value ?? null);""", key)
