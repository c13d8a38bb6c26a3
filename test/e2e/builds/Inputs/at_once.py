"""at_once.py COUNT COMMAND: runs a command several times at once; fails if one of them fails or says anything."""

import subprocess
import sys

processes = [
    subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(int(sys.argv[1]))
]
ended = [(process.communicate()[0], process.returncode) for process in processes]
sys.exit(0 if ended == [("", 0)] * len(ended) else str(ended))
