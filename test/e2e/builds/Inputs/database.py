"""Prints a compile_commands.json: database.py <source>... -- <compiler and flags>"""

import json
import os
import sys

words = sys.argv[1:]
sources, command = words[: words.index("--")], words[words.index("--") + 1 :]
json.dump(
    [
        {"directory": os.getcwd(), "file": source, "arguments": [*command, "-c", source, "-o", source + ".o"]}
        for source in sources
    ],
    sys.stdout,
)
