// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The main() of a program of benchmarks that has none of its own.

#include "graphprof/bench_state.h"

int main(int argc, char **argv) { return graphprof::bench_main(argc, argv); }
