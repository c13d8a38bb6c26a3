// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// main() for benchmark programs without one.

#include "graphprof/bench_state.h"

int main(int argc, char **argv) { return graphprof::bench_main(argc, argv); }
