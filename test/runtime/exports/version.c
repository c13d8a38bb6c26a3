// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graphprof/version.h"

int versionInC(void);
int versionInC(void) { return graphprof_version(); }
