# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# unprivileged.py COMMAND...: runs the command as somebody for whom permissions count. Root stays root, so that it reaches
# its files wherever they are, and lays down the capabilities that would let it pass.

import ctypes
import os
import sys

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
if os.geteuid() == 0:
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "root cannot lay down a capability here")
os.execvp(sys.argv[1], sys.argv[1:])
