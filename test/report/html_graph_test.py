#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Pages of graphprof html in a browser: comparisons, the picture of a graph, made-up times, and many regions.
#
#     test/report/html_graph_test.py GRAPHPROF [unittest's arguments]

import json
import os
import sys
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

import browsers
from browsers import VIEWS, Case, model
from html_pictures import decode
from recordings import Recording, Region


class Comparisons(Case):
    def test_a_comparison(self):
        before = [self.make(f"b{i}.gprof", model(pid=i, replays=40)) for i in range(3)]
        after = [self.make(f"a{i}.gprof", model(pid=i + 10, replays=40, slower=1.2)) for i in range(3)]
        self.open(*before, "--", *after)
        expected = json.loads(self.run_command("diff", "--json", *before, "--", *after))
        section = self.view("compare")
        self.assertEqual(self.find("#tab-compare .count").text, str(expected["counts"]["slower"]))
        rows = self.all("#findings tbody tr")
        self.assertEqual([row.get_attribute("data-path") for row in rows], [one["path"] for one in expected["findings"]])
        self.assertEqual([row.find_element(By.CSS_SELECTOR, ".verdict").text for row in rows], [one["verdict"] for one in expected["findings"]])
        text = self.run_command("diff", *before, "--", *after)
        for row in rows[:3]:  # as the command writes them
            self.assertIn(row.find_elements(By.CSS_SELECTOR, "td")[6].text, text)
        Select(self.find("#verdict")).select_by_value("slower")
        self.assertEqual(len(self.all("#findings tbody tr")), expected["counts"]["slower"])
        self.assertIn("3 processes before, 3 after", section.text)
        self.view("distribution")
        self.assertEqual(len(self.all("#distribution-figures tbody tr")), 2)
        total = self.find("#distribution-figures td[data-value]").text
        self.view("table")
        after_means = self.column("mean_ns")
        self.find("#sides button").click()
        self.assertNotEqual(self.column("mean_ns"), after_means)
        self.press("b")
        self.assertEqual(self.column("mean_ns"), after_means)
        self.assertNotEqual(total, "")

    def test_the_verdict_comes_first(self):
        before = [self.make(f"b{i}.gprof", model(pid=i, replays=40)) for i in range(3)]
        self.open(*before, "--", *[self.make(f"a{i}.gprof", model(pid=i + 10, replays=40, slower=1.2)) for i in range(3)])
        self.assertEqual(self.find("#tabs button").get_attribute("id"), "tab-compare")
        self.assertTrue(self.find("#view-compare").is_displayed())
        self.assertRegex(self.find("#verdicts h2").text, r"^▲ \d+ slower$")
        self.assertRegex(self.find("#verdicts .replay-change").text, r"^A replay: \d+\.\d{3} → \d+\.\d{3} µs \+\d+\.\d\d% ")
        slower = self.find("#findings .slower .range").value_of_css_property("stroke")
        self.assertNotIn(slower, [one.value_of_css_property("stroke") for one in self.all("#findings .same .range")])
        self.open(*before, "--", *[self.make(f"c{i}.gprof", model(pid=i + 20, replays=40)) for i in range(3)])
        self.assertEqual(self.find("#verdicts h2").text, "Nothing became slower or faster")


class Graphs(Case):
    def test_boxes_of_a_graph(self):
        """None on another, each inside its region, all on the canvas; a region opens by a click."""
        self.open(self.make("decode.gprof", decode("decode", layers=3, replays=4)))
        self.view("graph")
        def check(count):
            scene = self.script("""
                const {boxes} = graphView.canvas.scene;
                return boxes.map((box) => [box.left, box.top, box.width, box.height, boxes.indexOf(box.parent)]);""")
            self.assertEqual(len(scene), count)
            for i, (left, top, width, height, parent) in enumerate(scene):
                if parent >= 0:
                    x, y, w, h, _ = scene[parent]
                    self.assertTrue(x <= left and y <= top and left + width <= x + w and top + height <= y + h, i)
                for other, (x, y, w, h, of) in enumerate(scene[:i]):
                    if of == parent:
                        self.assertTrue(left >= x + w or x >= left + width or top >= y + h or y >= top + height, (other, i))
            fits = self.script("const {canvas} = graphView, {scene} = canvas; return [canvas.x, canvas.y, canvas.x + canvas.scale * scene.width - canvas.width, canvas.y + canvas.scale * scene.height - canvas.height];")
            self.assertTrue(fits[0] >= -.01 and fits[1] >= -.01 and fits[2] <= .01 and fits[3] <= .01, fits)
        check(3 + 6 + 3 * 11)
        self.script("graphView.open(false)")
        check(3)
        self.script("graphView.pick(graphView.canvas.scene.boxes[1])")
        check(3 + 2)
        self.script("graphView.open(true)")
        self.script("document.querySelector('#chart-graph canvas').focus()")
        drawn = self.script("return graphView.canvas.drawn")
        self.press("w", "w", "w", "w")
        self.assertLess(self.script("return graphView.canvas.drawn"), drawn)  # only what is in view
        self.press("f")
        check(3 + 6 + 3 * 11)
        self.find("#graph-search").send_keys("silu", Keys.ENTER)
        self.assertEqual(self.script("return graphView.canvas.selected.name"), "silu_and_mul")

    def test_graph_shows_edges_and_critical_path(self):
        """A graph with its edges and its critical path."""
        branches = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/recordings/branches.gprof")
        self.open(branches)
        self.view("graph")
        self.assertTrue(self.is_drawn("chart-graph"))
        self.assertIn("on the critical path: router, up_proj, down_proj, combine", self.find("#chart-graph canvas").get_attribute("aria-label"))
        expected = json.loads(self.run_command("report", "--critical-path", "--json", branches))["graphs"][0]["rows"]
        shown = {row.get_attribute("data-path"): row.find_elements(By.CSS_SELECTOR, "[data-value]")[0].get_attribute("data-value")
                 for row in self.all("#critical tbody tr")}
        for row in expected:
            self.assertEqual(float(shown[row["path"]]), row["percent_of_path"], row["path"])
        x, y = self.script("""
            const {canvas} = graphView, box = graphView.all.find((one) => graphView.pathOf(one) === 'expert 1/up_proj');
            return [canvas.x + canvas.scale * (box.left + box.width / 2) - canvas.width / 2, canvas.y + canvas.scale * (box.top + box.height / 2) - canvas.height / 2];""")
        ActionChains(self.browser).move_to_element_with_offset(self.find("#chart-graph canvas"), round(x), round(y)).click().perform()
        self.assertIn("expert 1/up_proj", self.find("#graph-details").text)
        self.find("#graph-details button:last-child").click()
        self.assertIn("expert 1/up_proj", self.find("#view-distribution").text)
        self.view("timeline")  # regions side by side have what is inside them right below
        lanes = self.script("return Object.fromEntries(timeline.laid.bars.map((bar) => [side().places[bar.place].path, bar.lane]))")
        for expert in range(3):
            for node in ("up_proj", "down_proj"):
                self.assertEqual(lanes[f"expert {expert}/{node}"], lanes[f"expert {expert}"] + 1)
        self.assertIn("on the critical path in most replays", self.find("#view-timeline").text)


class Many(Case):
    def test_made_up_times_are_said(self):
        self.open(self.make("simulated.gprof", model(devices=("cudasim (simulated GPU)",))))
        self.assertTrue(self.find("#banner").is_displayed())
        self.assertIn("Times are made up: cudasim (simulated GPU) is no GPU.", self.find("#banner").text)

    def test_2_000_regions_and_500_replays(self):
        """Elements, not seconds: no view has one for each region or replay."""
        regions = []
        for i in range(100):
            layer = Region(f"layer {i}")
            regions.append(layer)
            for part in range(4):
                inner = Region(f"part {part}", layer)
                regions += [inner, *(Region(f"step {j}", inner) for j in range(4 if part < 3 else 3))]
        recording = Recording(regions)
        for replay in range(500):
            now, times = recording.now, {}
            for region in regions:
                times[region] = [now, 0]
                if region.name.startswith("step"):
                    times[region][1] = 1000 + replay % 7
                    now += times[region][1]
            for region in reversed(regions):
                if region.parent:
                    times[region.parent][1] += times[region][1]
            recording.replays.append((1, replay, False, -1, recording.now, now, [(region, *times[region]) for region in regions]))
            recording.now = now + 2000
        self.open(self.make("many.gprof", recording))
        for name in VIEWS:
            self.view(name)
            elements = self.script("return document.querySelector(`#view-${arguments[0]}`).querySelectorAll('*').length", name)
            self.assertLess(elements, 6000, name)
        self.assertLess(self.script("return graphView.canvas.scene.boxes.length"), 600)
        points = self.script("return [...charts].find(({box}) => box.id === 'chart-over-time').chart.getOption().series[0].data.map((one) => JSON.stringify(one).length)")
        self.assertEqual(len(points), 500)
        self.assertLess(max(points), 500)  # a point does not hold all of its side: ECharts copies what it holds
        loaded = self.script("const [one] = performance.getEntriesByType('navigation'); return one.loadEventEnd - one.startTime")
        print(f"{len(regions)} regions, {len(recording.replays)} replays: {loaded / 1000:.2f} s until the page is there")

    def test_100_000_nodes_are_drawn_as_few(self):
        regions = []
        for i in range(1000):
            layer = Region(f"layer {i}")
            regions += [layer, *(Region("gemm", layer, kind="kernel", place=j + 1) for j in range(99))]
        recording = Recording(regions)
        records, now = [], recording.now
        for region in regions:
            records.append((region, now, 99_000 if region.parent is None else 990))
            now += 0 if region.parent is None else 1000
        recording.replays.append((1, 0, False, -1, recording.now, now, records))
        self.open(self.make("huge.gprof", recording))
        self.assertLess(os.path.getsize(f"{self.folder}/page.html"), 16_000_000)
        self.view("timeline")
        self.assertEqual(self.script("return timeline.laid.bars.length"), 100_000)
        self.assertTrue(self.is_drawn("chart-timeline"))
        self.script("document.querySelector('#chart-timeline').focus()")
        drawn = []
        for _ in range(13):
            drawn.append(self.script("return timeline.drawn.length"))
            self.press("w")
        self.assertLess(max(drawn), 6_000)
        self.assertEqual(self.script("return timeline.drawn.every((one) => one[4] === 1)"), True)  # each by itself now
        self.view("table")
        self.assertEqual(len(self.all("#rows tbody tr[data-path]")), 200)
        self.find("#table-search").send_keys("layer 17/gemm")
        self.assertRegex(self.find("#table-status").text, r"^\d+ of 5,\d{3} rows$")


if __name__ == "__main__":
    browsers.GRAPHPROF = os.path.abspath(sys.argv.pop(1))
    unittest.main()
