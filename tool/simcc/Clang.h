// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Clang inside this process: compiles and links as the program clang++ would, without a clang++ on
// the machine. Two things differ, both for CUDA: launches may be written in the ways that nvcc
// accepts, and variables of the device are the host's, with their initial values. Knows nothing of
// the simulation otherwise.

#ifndef GRAPHPROF_TOOL_SIMCC_CLANG_H
#define GRAPHPROF_TOOL_SIMCC_CLANG_H

#include <string>
#include <vector>

namespace graphprof::simcc {

/// Runs a command of clang++, with the words of files (@file) in it; the first word is its name.
/// Returns the exit status. Clang's messages go to stderr.
int runClang(const std::vector<std::string> &Command);

} // namespace graphprof::simcc

#endif
