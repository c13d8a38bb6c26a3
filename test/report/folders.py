# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""A test with a folder of its own, into which it writes recordings."""

import os
import tempfile
import unittest


class FolderCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path
