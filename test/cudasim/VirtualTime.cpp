// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// In every program of cudasim_add_executable: the simulation's time does not follow the machine's
// clock, unless CUDASIM_REAL_TIME says so. Programs that tests compile or start otherwise get the
// variable from test/e2e/lit.cfg.py and test/preload/CMakeLists.txt.

#include <stdlib.h>

// In front of constructors that might call CUDA.
__attribute__((constructor(101))) static void useVirtualTime() {
  setenv("CUDASIM_REAL_TIME", "0", /*overwrite=*/0);
}
