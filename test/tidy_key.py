# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# tidy_key.py DATABASE SOURCE OPTIONS: a hash of everything that clang-tidy's result for SOURCE depends on: OPTIONS, its compile
# command, and each file that it includes. Run it in the project's root. Fails if the source does not compile.

import hashlib
import json
import os
import shlex
import subprocess
import sys

database, source, options = sys.argv[1:]
path = os.path.abspath(source)
entry = next(each for each in json.load(open(database)) if os.path.abspath(each["file"]) == path)
words = shlex.split(entry["command"])
compiler = next(i for i, word in enumerate(words) if "clang" in os.path.basename(word))  # behind env and ccache
words = words[compiler:]
output = words.index("-o")
del words[output : output + 2]
words.remove("-c")
while "-include-pch" in words:  # what is in there, the source includes itself
    first = words.index("-include-pch") - 1
    del words[first : first + 8]  # -Xclang -include-pch -Xclang FILE -Xclang -include -Xclang FILE
listed = subprocess.run([*words, "-M"], cwd=entry["directory"], capture_output=True, text=True, check=True).stdout
files = [word for word in listed.replace("\\\n", " ").split(": ", 1)[1].split() if word]
root = os.getcwd()  # removed, so that other checkouts share results
key = hashlib.sha256(json.dumps([options, words]).replace(root, ".").encode())
for file in sorted(files):
    with open(os.path.join(entry["directory"], file), "rb") as content:
        key.update(file.replace(root, ".").encode() + b"\0" + hashlib.sha256(content.read().replace(root.encode(), b".")).digest())
print(key.hexdigest())
