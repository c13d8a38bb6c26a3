#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Pages of graphprof html in a browser: each view is opened by a click and used, in light and dark, with the keyboard, and printed.
#
#     test/report/html_browser_test.py GRAPHPROF [unittest's arguments]
#     SCREENSHOTS=FOLDER ...                       keeps a picture of each view

import base64
import json
import os
import re
import sys
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

import browsers
from browsers import VIEWS, Case, model
from jobs import HostClock, Job
from recordings import HostSpan, with_graph_memory, with_host, with_memory


class APage(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = cls.make("run.gprof", model())
        cls.run_command("html", "-o", f"{cls.folder}/page.html", cls.recording)

    def setUp(self):
        self.show(f"{self.folder}/page.html")

    # Each view opens by a click, in light and dark.
    def test_each_view_opens_by_a_click(self):
        backgrounds = []
        for dark in (False, True):
            self.media(dark)
            self.assertEqual([tab.get_attribute("id").removeprefix("tab-") for tab in self.all("#tabs button")], VIEWS)
            for name in VIEWS:
                with self.subTest(name, dark=dark):
                    section = self.view(name)
                    self.assertGreater(len(section.text), 20)
                    self.assertNotIn("[object", section.text)
                    self.assertNotRegex(section.text, r"\b(null|undefined|NaN)\b")
                    for chart in section.find_elements(By.CSS_SELECTOR, ".chart"):
                        self.assertTrue(self.is_drawn(chart.get_attribute("id")), chart.get_attribute("id"))
                        self.assertGreater(len(chart.get_attribute("aria-label")), 20)
            backgrounds.append(self.script("return getComputedStyle(document.body).backgroundColor"))
        self.assertNotEqual(*backgrounds)
        self.find("#theme").click()
        self.assertEqual(self.script("return getComputedStyle(document.body).backgroundColor"), backgrounds[0])

    def test_the_table_has_the_numbers_of_report(self):
        for by in ("region", "site", "kernel", "graph", "step", "rank"):
            with self.subTest(by):
                self.view("table")
                if self.find("#all-columns").get_attribute("aria-pressed") == "false":
                    self.find("#all-columns").click()
                Select(self.find("#grouping")).select_by_value(by)
                expected = json.loads(self.run_command("report", "--json", "--percentiles", "50,95,99", "--group-by", by, self.recording))["rows"]
                self.assertEqual(self.column("path"), [row["path"] for row in expected])
                for key in ("count", "total_ns", "mean_ns", "min_ns", "p50_ns", "p95_ns", "p99_ns", "max_ns"):
                    self.assertEqual([float(value) for value in self.column(key)], [row[key] for row in expected], key)
        Select(self.find("#grouping")).select_by_value("region")
        text = self.run_command("report", "--all", "--percentiles", "50,95,99", self.recording)
        for row in self.all("#rows tbody tr[data-path]"):  # and writes them alike, all in the unit of the column
            total, mean = [self.find(f"[data-key={key}]", row).text for key in ("total_ns", "mean_ns")]
            self.assertRegex(text, rf" {re.escape(total)}us +{re.escape(mean)}us ")

    def test_search_and_sort(self):
        self.view("table")
        for key, count in (("gemm", 6), ("layer 1 gemm", 2), ("memcpy", 3), ("SRC/MODEL.CU", 3), ("nowhere", 0)):
            search = self.find("#table-search")
            search.clear()
            search.send_keys(key)
            self.assertEqual(len(self.all("#rows tbody tr[data-path]")), count, key)
        self.find("#table-search").clear()
        self.find("#table-search").send_keys(Keys.SPACE, Keys.BACKSPACE)
        inOrder = self.column("path")
        for key in ("mean_ns", "max_ns", "p50_ns"):
            self.find(f"[data-sort={key}]").click()
            values = [float(value) for value in self.column(key)]
            self.assertEqual(values, sorted(values, reverse=True))
            self.assertEqual(self.find("#rows th[aria-sort]").get_attribute("aria-sort"), "descending")
            self.find(f"[data-sort={key}]").click()
            self.assertEqual([float(value) for value in self.column(key)], sorted(values))
        self.find("[data-sort=p50_ns]").click()
        self.assertEqual(self.column("path"), inOrder)

    def test_timeline_click_shows_the_node(self):
        """A click in the timeline shows the node."""
        self.view("timeline")
        box = self.find("#chart-timeline")
        x, y, path = self.script("""
            const {chart, laid} = timeline, bar = laid.bars.find((one) => side().places[one.place].path === 'layer 1/gemm<128, float> #2');
            const [x, y] = chart.convertToPixel({xAxisIndex: 0, yAxisIndex: 0}, [(bar.begin + bar.end) / 2, bar.lane]);
            return [x - chart.getWidth() / 2, y - chart.getHeight() / 2, side().places[bar.place].path];""")
        ActionChains(self.browser).move_to_element_with_offset(box, round(x), round(y)).click().perform()
        self.assertIn(path, self.find("#details").text)
        row = next(row for row in json.loads(self.run_command("report", "--json", self.recording))["rows"] if row["path"] == path)
        self.assertIn(f"{row['p50_ns'] / 1000:.3f} µs", self.find("#details").text)
        # Keys: zoom, move, from bar to bar, everything.
        span = lambda: self.script("return timeline.range[1] - timeline.range[0]")
        whole = span()
        self.script("document.querySelector('#chart-timeline').focus()")
        self.press("w", "w", "d")
        self.assertLess(span(), 0.5 * whole)
        self.press("f")
        self.assertEqual(span(), whole)
        self.press(Keys.ARROW_UP)
        self.assertEqual(self.find("#details h3").text, "layer 1")
        self.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.find("#details h3").text, "layer 2")
        self.press(Keys.ENTER)
        self.assertLess(span(), 0.5 * whole)

    def test_simultaneous_nodes_lie_in_own_lanes(self):
        self.view("timeline")
        lanes = self.script("""return timeline.laid.bars.filter((bar) => bar.parent && side().places[bar.parent.place].name === 'layer 0')
            .map((bar) => [side().places[bar.place].name, bar.lane]);""")
        self.assertEqual(lanes, [["gemm<128, float>", 1], ["gemm<128, float> #2", 1], ["Memcpy DtoD", 2]])

    def test_search_in_the_timeline(self):
        self.view("timeline")
        self.find("#timeline-search").send_keys("memcpy", Keys.ENTER, Keys.ENTER)
        self.assertIn("3 found", self.find("#view-timeline").text)
        self.assertIn("layer 1/Memcpy DtoD", self.find("#details").text)

    # What was not recorded has no view, and is said.
    def test_what_was_not_recorded_is_said(self):
        self.assertEqual(self.all("#tab-memory"), [])
        self.assertIn("Not in the recordings: what threads did (GRAPHPROF_HOST_SPANS=1 records it); memory (GRAPHPROF_MEMORY=1 records it).",
                      self.find("#left-out").text)

    def test_every_kept_replay_is_choosable(self):
        """Every replay that is kept can be chosen."""
        self.view("timeline")
        names = [option.text for option in Select(self.find("#replay")).options]
        self.assertTrue(4 <= len(names) <= 9, names)
        self.assertRegex(names[0], r"^graph 1, replay 0, .* \(cold, first\)$")
        self.assertEqual(names[-1], "outside graphs")
        Select(self.find("#replay")).select_by_visible_text("outside graphs")
        self.assertEqual(self.script("return timeline.laid.bars.length"), 1)
        self.assertTrue(self.is_drawn("chart-timeline"))

    def test_a_row_leads_to_its_distribution(self):
        self.view("table")
        self.find("#rows tr[data-path='layer 1/gemm<128, float> #2'] button").click()
        self.assertTrue(self.find("#view-distribution").is_displayed())
        row = next(row for row in json.loads(self.run_command("report", "--json", self.recording))["rows"]
                   if row["path"] == "layer 1/gemm<128, float> #2")
        figures = [float(cell.get_attribute("data-value")) for cell in self.all("#distribution-figures td[data-value]")]
        self.assertEqual(figures[:3], [row["count"], row["mean_ns"], row["p50_ns"]])

    def test_the_graph_opens_to_its_nodes(self):
        self.view("graph")
        self.assertEqual(len(self.all("#outline > li")), 3)
        self.assertEqual(len(self.all("#outline > li:first-child .leaf")), 3)
        self.find("#outline > li:nth-child(2) summary").click()
        inside = lambda _: "Memcpy DtoD" in self.find("#outline > li:nth-child(2)").text
        WebDriverWait(self.browser, 20).until(inside)  # it is filled when the browser says that it is open

    def test_the_keyboard(self):
        self.press("3")
        self.assertTrue(self.find("#view-graph").is_displayed())
        self.press("]")
        self.assertTrue(self.find("#view-table").is_displayed())
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("id"), "tab-table")
        self.press(Keys.ARROW_RIGHT)
        self.assertTrue(self.find("#view-distribution").is_displayed())
        self.press("4", "/")
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("id"), "table-search")
        self.press("t3?")  # into the search, where they are letters
        self.assertEqual(self.find("#table-search").get_attribute("value"), "t3?")
        self.press(Keys.ESCAPE, "?")
        self.assertTrue(self.find("#help").is_displayed())
        self.assertIn("light or dark", self.find("#help").text)
        self.press(Keys.ESCAPE)
        self.assertFalse(self.find("#help").is_displayed())
        theme = self.script("return document.documentElement.dataset.theme")
        self.press("t")
        self.assertNotEqual(self.script("return document.documentElement.dataset.theme"), theme)
        self.press("t")

    def test_the_overview_is_of_one_replay(self):
        """Not of all together: what a region takes of a replay, and of the replay's length."""
        section = self.view("overview")
        rows = {row["path"]: row for row in json.loads(self.run_command("report", "--json", self.recording))["rows"]}
        replays, = [row for row in json.loads(self.run_command("report", "--json", "--group-by", "graph", self.recording))["rows"] if row["path"].startswith("graph 1 ")]
        self.assertEqual(self.find("#one-replay .big b").text, f"{replays['p50_ns'] / 1000:.3f} µs")
        layers = [rows[f"layer {i}"] for i in range(3)]
        self.assertIn("layer {} ×3", self.find("#longest-region").text)
        shown = float(self.find("#longest-region td[data-value]").get_attribute("data-value"))
        self.assertAlmostEqual(shown, sum(row["total_ns"] for row in layers) / replays["count"], places=3)
        kernel = float(self.find("#longest-kernel td[data-value]").get_attribute("data-value"))
        self.assertAlmostEqual(kernel, sum(row["total_ns"] for path, row in rows.items() if "gemm" in path) / replays["count"], places=3)
        self.assertIn("23", section.text)  # replays; the cold one is left out
        self.assertEqual([bar.text for bar in self.all("td.bar")], [""] * len(self.all("td.bar")))  # beside digits, not behind them

    def test_the_map_of_a_replay(self):
        """Boxes are as wide as the times, and a click makes a region as wide as the picture."""
        self.view("overview")
        rows = {row["path"]: row for row in json.loads(self.run_command("report", "--json", self.recording))["rows"]}
        width = lambda path: float(self.find(f"#replay-map .box[data-path='{path}']").value_of_css_property("width").removesuffix("px"))
        whole = float(self.find("#replay-map .map").value_of_css_property("width").removesuffix("px"))
        for i in range(3):
            self.assertAlmostEqual(width(f"layer {i}") / whole, rows[f"layer {i}"]["percent_of_replay"] / 100, places=2)
        self.find("#replay-map .box[data-path='layer 1']").click()
        self.assertEqual(len(self.all("#replay-map .box")), 3)
        self.assertIn("layer 1", self.find("#replay-map .trail").text)
        self.find("#replay-map .trail button").click()
        self.assertEqual(len(self.all("#replay-map .box")), 12)

    def test_times_of_a_column_have_one_unit(self):
        self.view("table")
        headings = [one.text for one in self.all("#rows thead th")]
        for name in ("Per replay", "Mean", "Median", "P95", "Max"):
            self.assertIn(f"{name}, µs", headings)
        for cell in self.all("#rows td[data-key$=_ns]"):
            self.assertRegex(cell.text, r"^(\d+\.\d{3}|--)$")

    def test_no_banner_where_times_are_measured(self):
        self.assertFalse(self.find("#banner").is_displayed())

    def test_it_fits_a_phone(self):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True})
        try:
            self.show(f"{self.folder}/page.html")
            for name in VIEWS:
                self.view(name)
                self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 390, name)
        finally:
            self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_names_are_texts(self):
        self.view("table")
        self.find("#table-search").send_keys("load")
        self.assertIn("<b>load</b>", self.find("#rows").text)
        self.assertEqual(self.all("#rows b"), [])

    def test_it_prints_every_view(self):
        pages = self.browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
        self.assertGreater(len(base64.b64decode(pages)), 20_000)
        for name in VIEWS:
            self.assertEqual(self.script("return made.get(arguments[0]).dataset.made", name), "yes")
        self.assertEqual(len([one for one in self.all("section.view") if one.is_displayed()]), 1)  # afterwards one


class Several(Case):
    def test_ranks_and_losses(self):
        lost = model(pid=2, rank=1)
        lost.losses, lost.remarks = {"overrun": 3}, ["2 launches ran untimed"]
        self.open(self.make("r0.gprof", model()), self.make("r1.gprof", lost), self.make("r2.gprof", model(pid=3, rank=2), cut=300), dark=True)
        self.view("processes")
        self.assertEqual([row.text.split()[0] for row in self.all("#runs tbody tr")], ["1", "2", "3"])
        self.assertTrue(self.is_drawn("chart-processes"))
        text = self.view("losses").text
        self.assertIn("3 replays lost: the ring was overwritten", text)
        self.assertIn("2 launches ran untimed", text)
        self.assertIn("the file is cut off", text)
        self.assertEqual(self.find("#tab-losses .count").text, "3")
        self.view("over-time")
        self.assertEqual(self.script("return [...charts].find(({box}) => box.id === 'chart-over-time').chart.getOption().legend[0].data"),
                         ["rank 0", "rank 1", "rank 2"])

    def test_busy_times(self):
        """In the table, in the timeline, and in a comparison; where none is known, nothing says so."""
        def made(name, ns, **others):
            recording = model(replays=40, **others)
            recording.ends = "next_begin"
            if ns:
                recording.busy = {recording.regions[1]: (ns, 450, 63, "launch"), recording.regions[2]: (19_000, -1, 21, "device_full")}
            return self.make(name, recording)

        def headings():
            return [one.text for one in self.all("#rows thead th")]

        path = made("busy.gprof", 9_000)
        self.open(path)
        self.view("table")
        self.assertEqual(headings()[-3:], ["Busy, µs", "Gap, µs", "Distribution"])
        expected = json.loads(self.run_command("report", "--json", path))["rows"]
        for key in ("busy_ns", "gap_ns"):
            self.assertEqual([value and float(value) for value in self.column(key)], [row[key] for row in expected], key)
        self.view("timeline")
        ends = self.script("""
            const bars = timeline.laid.bars.filter((bar) => bar.drawnEnd !== undefined), [bar] = bars;
            timeline.select(bar.number);
            const [, begin, end] = visible(timeline.laid.lanes, timeline.laid.begin, timeline.laid.end, 1, () => true).find((one) => one[3] === bar.number);
            return [bars.length, end - begin, bar.end - bar.begin];""")
        self.assertEqual(ends[0], 2)
        self.assertEqual(ends[1], 9_000)
        self.assertGreaterEqual(ends[2], 10_000)
        self.assertRegex(self.find("#details").text, r"Busy\s+9\.000 µs, of 63 replays\s+Gap behind it\s+0\.450 µs \(launch\)")
        self.script("timeline.select(timeline.laid.bars.filter((bar) => bar.drawnEnd !== undefined)[1].number)")
        self.assertRegex(self.find("#details").text, r"Gap behind it\s+not measured \(device full\)")

        self.open(made("without.gprof", 0))
        self.view("table")
        self.assertNotIn("Busy, µs", headings())
        self.view("timeline")
        self.script("timeline.select(0)")
        self.assertNotIn("Busy", self.find("#details").text)

        before, after = ([made(f"{side}{i}.gprof", ns + i, pid=10 + i) for i in range(3)] for side, ns in (("before", 9_000), ("after", 12_000)))
        self.open(*before, "--", *after)
        self.view("compare")
        self.assertEqual([one.text for one in self.all("#findings thead th")][-7:],
                         ["Busy before, µs", "Busy after, µs", "Change", "Interval", "Busy", "Gap before, µs", "Gap after, µs"])
        findings = {one["path"]: one for one in json.loads(self.run_command("diff", "--json", *before, "--", *after))["findings"]}
        for row in self.all("#findings tbody tr"):
            finding, cells = findings[row.get_attribute("data-path")], row.find_elements(By.CSS_SELECTOR, "td")
            self.assertEqual(len(cells), 14)
            shown = [cells[i].get_attribute("data-value") for i in (7, 8, 9, 12, 13)]
            keys = ("before_busy_ns", "after_busy_ns", "busy_ratio", "before_gap_ns", "after_gap_ns")
            self.assertEqual([value and float(value) for value in shown], [finding[key] for key in keys])
            self.assertEqual(cells[11].text, finding["busy_verdict"] or "--")
        self.assertIn("slower", {one["busy_verdict"] for one in findings.values()})
        self.open(*[self.make(f"plain{i}.gprof", model(pid=i)) for i in range(2)], "--", self.make("plain2.gprof", model(pid=3)))
        self.view("compare")
        self.assertEqual(len(self.all("#findings thead th")), 7)

    def test_what_threads_did_and_what_was_allocated(self):
        self.open(self.make("all.gprof", with_memory(with_host(model()))))
        for dark in (False, True):
            self.show(f"{self.folder}/page.html", dark)
            self.view("timeline")
            self.assertEqual(self.script("return timeline.range"), self.script("return [timeline.laid.begin, timeline.laid.end]"))
            self.assertTrue(self.is_drawn("chart-timeline"))
            names = self.script("return timeline.laid.names")
            first = self.script("return timeline.laid.deviceLane")
            self.assertEqual(names[:first + 1], ["main", "", "", "thread 8", "GPU 0"])  # of main: the step, the region in it, the launch in that
            self.assertEqual(self.script("return timeline.laid.bars.filter((bar) => bar.what.host && bar.lane < 3).map((bar) => [bar.what.name, bar.lane])")[:3],
                             [["ProfilerStep#0", 0], ["decode", 1], ["cudaGraphLaunch", 2]])
            # The line leads from the launch of this replay to its begin.
            self.assertEqual(self.script("return timeline.chart.getOption().series[1].data"), [[2, -600, 0]])
            self.assertIn("The line leads from the launch, 0.600 µs before, to the replay", self.find("#view-timeline").text)
            x, y = self.script("const {chart, laid} = timeline, [x, y] = chart.convertToPixel({xAxisIndex: 0, yAxisIndex: 0}, [-450, 2]); return [x - chart.getWidth() / 2, y - chart.getHeight() / 2];")
            ActionChains(self.browser).move_to_element_with_offset(self.find("#chart-timeline"), round(x), round(y)).click().perform()
            text = self.find("#details").text
            for part in ("cudaGraphLaunch", "0.300 µs", "-0.600 µs", "7 (main)", "this replay"):
                self.assertIn(part, text)
            self.find("#timeline-search").send_keys("h2d", Keys.ENTER)
            self.assertIn("4.00 KiB", self.find("#details").text)

            self.view("memory")
            self.assertTrue(self.is_drawn("chart-memory"))
            self.assertEqual(Select(self.find("#memory-of")).first_selected_option.text, "cuda:0")
            self.assertIn("At most 4.41 KiB (4,512 bytes), 1.001 ms after the process began", self.find("#memory-peak").text)
            self.assertEqual([cell.get_attribute("data-value") for cell in self.all("#memory-kinds td[data-value]")], ["3512", "77", "1000", "1000"])
            self.assertEqual([row.text.split()[:3] for row in self.all("#memory-blocks tbody tr")], [["2.93", "KiB", "device"], ["1000", "B", "pool"]])
            self.assertIn("512 B in blocks whose allocation is not in the recording", self.find("#view-memory").text)

    def test_what_graphs_took_of_the_memory(self):
        self.open(self.make("memory.gprof", with_graph_memory(model())))
        self.view("graph-memory")
        self.assertIn("Graphs took 13.01 MiB of the device's memory: 3.00 MiB in captures, 2.00 MiB when they were instantiated, 8.01 MiB at their first launches. "
                      "graphprof took 13.00 KiB besides.", self.find("#graph-memory-sum").text)
        rows = self.all("#graph-memory-rows tbody tr")
        self.assertEqual([row.text.split("\n")[0].split(" ")[:2] for row in rows], [["graph", "1"], ["graph", "2"], ["no", "graph"]])
        self.assertEqual([cell.get_attribute("data-value") for cell in rows[0].find_elements("css selector", "td[data-value]")][-9:],
                         ["1", str(3 << 20), str(1 << 20), str((8 << 20) + 4096), str((12 << 20) + 4096), str(8 << 20), str(3 << 20), str(8 << 20), "4096"])
        self.assertIn("each byte of it is in the row of the graph that made it grow", self.find("#view-graph-memory").text)
        self.open(self.make("none.gprof", model()))
        self.assertEqual(self.all("#tab-graph-memory"), [])

    # A replay that was launched long before is shown by itself.
    def test_an_early_launch_is_out_of_view(self):
        recording = model(replays=6)
        for one in recording.replays[:6]:
            recording.spans.append(HostSpan(7, "launch", "cudaGraphLaunch", recording.began - 5_000_000, recording.began - 4_990_000, replay=(1, one[1])))
        self.open(self.make("far.gprof", recording))
        self.view("timeline")
        begin, end = self.script("return timeline.range")
        span = self.script("return timeline.replay.span_ns")
        self.assertTrue(-.1 * span < begin <= 0 and end <= 1.1 * span, (begin, end, span))
        self.assertIn("All shows it", self.find("#view-timeline").text)
        self.find("#chart-timeline").send_keys("f")
        self.assertLess(self.script("return timeline.range[0]"), -5_000_000)

    def test_ranks_on_one_clock(self):
        job = Job(4, hosts=2, clocks=[HostClock(), HostClock(2_000_000_000, 40_000)])
        self.open(*[self.make(f"rank{i}.gprof", one) for i, one in enumerate(job.recordings)])
        self.view("processes")
        rows = self.all("#clocks tbody tr")
        self.assertEqual([row.text.split()[:2] for row in rows], [["rank", str(i)] for i in range(4)])
        self.assertIn("clock of node1, ranks 2, 3: 2.000s ahead of the first at its begin", self.find("#view-processes").text)
        self.view("over-time")
        span = "const all = [...charts].find(({box}) => box.id === 'chart-over-time').chart.getOption().series.map((one) => one.data[5].value[0]); return Math.max(...all) - Math.min(...all);"
        self.find("[data-value=time]").click()
        self.find("[data-value=clock]").click()
        self.assertLess(self.script(span), 10_000)
        self.assertIn("Clocks of processes are known within", self.find("#view-over-time").text)
        self.assertTrue(self.is_drawn("chart-over-time"))


if __name__ == "__main__":
    browsers.GRAPHPROF = os.path.abspath(sys.argv.pop(1))
    unittest.main()
