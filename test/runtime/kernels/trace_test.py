# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The trace of a program whose kernel has regions inside, on the simulation: its warps went through the regions when the schedule says."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

PROGRAM = os.path.abspath(sys.argv.pop())
DRAW = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/kernels/draw.py")
SVG = "{http://www.w3.org/2000/svg}"


class Trace(unittest.TestCase):
    """The schedule is that of PhasesOnSim.cpp: rounds of 40 us, of which "load" takes 10, "product" the rest, and "inner" the last half of that."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "trace.json")

    def events(self, kernels):
        """By category, with the name of the row."""
        environment = {**os.environ, "GRAPHPROF_CLOCK": "stamp", "GRAPHPROF_KERNELS": kernels, "GRAPHPROF_TEST_FURTHER_OUTPUT": self.path}
        subprocess.run([PROGRAM, "--gtest_brief=1", "--gtest_filter=KernelsOnSim.FiguresAreTheSchedules"], env=environment, check=True)
        with open(self.path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        rows = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        return {category: [{**event, "row": rows[event["tid"]]} for event in events if event.get("cat") == category]
                for category in ("graphprof_warp", "graphprof_inside")}

    def test_regions_stand_where_the_warp_was_in_them(self):
        events = self.events("warps:1,blocks:4")
        warps, inside = events["graphprof_warp"], events["graphprof_inside"]
        self.assertEqual([(warp["row"], warp["args"]["block"]) for warp in warps[:4]],
                         [("multiprocessor 0", 0), ("multiprocessor 2", 2), ("multiprocessor 0 (2)", 4), ("multiprocessor 2 (2)", 6)])
        self.assertEqual(len(inside), 9 * len(warps))
        for number, warp in enumerate(warps):
            self.assertNotIn("not_drawn", warp["args"])
            found = inside[9 * number:9 * number + 9]
            self.assertEqual({event["row"] for event in found}, {warp["row"]})
            self.assertEqual([(event["name"], event["args"]["iteration"]) for event in found],
                             [(name, turn) for turn in range(3) for name in ("load", "product", "inner 1 of -3")])
            for event, (begin, length) in zip(found, [(40 * turn + at, long) for turn in range(3) for at, long in ((0, 10), (10, 30), (25, 15))]):
                self.assertAlmostEqual(event["ts"] - warp["ts"], begin, delta=0.01)
                self.assertAlmostEqual(event["dur"], length, delta=0.01)

    def test_warps_of_a_block_have_rows_beside_each_other(self):
        warps = self.events("warps:2,blocks:1")["graphprof_warp"]
        self.assertEqual([(warp["row"], warp["args"]["block"], warp["args"]["warp"]) for warp in warps[:2]],
                         [("multiprocessor 0, warp 0", 0, 0), ("multiprocessor 0, warp 1", 0, 1)])

    def test_a_block_is_drawn(self):
        self.events("warps:2,blocks:1")
        picture = os.path.join(self.folder.name, "picture.svg")

        def drawn(*until):
            subprocess.run([sys.executable, DRAW, self.path, picture, *until], check=True)
            return ElementTree.parse(picture).getroot()

        def spans(root):
            return [title.text for title in root.iter(SVG + "title")]

        root = drawn()
        texts = [text.text for text in root.iter(SVG + "text")]
        self.assertRegex(texts[0], r"graphprofTestPhases, block 0, multiprocessor 0, replay \d+")
        self.assertLess({"warp 0", "warp 1", "load", "product", "0 us", "100 us"}, set(texts))
        self.assertEqual(len(spans(root)), 18)
        self.assertEqual(spans(root)[:2], ["load: 0.000 us to 10.000 us", "product: 10.000 us to 40.000 us"])
        self.assertEqual(len(spans(drawn("30"))), 6, "what begins later is left out")


if __name__ == "__main__":
    unittest.main()
