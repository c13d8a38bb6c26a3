# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# unprivileged.py FILE... -- COMMAND...: runs the command as somebody for whom permissions count. Root gives the files away
# first.

import os
import sys

nobody = 65534
end = sys.argv.index("--")
if os.geteuid() == 0:
    for path in sys.argv[1:end]:
        os.lchown(path, nobody, nobody)
    os.setgroups([])
    os.setgid(nobody)
    os.setuid(nobody)
os.execvp(sys.argv[end + 1], sys.argv[end + 1 :])
