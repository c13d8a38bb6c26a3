// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What bench_options may say.

#ifndef GRAPHPROF_BENCH_OPTIONS_H
#define GRAPHPROF_BENCH_OPTIONS_H

#include <string>
#include <vector>

#include "graphprof/bench_result.h"

namespace graphprof::bench_detail {

/// Throws bench_error if a value makes no sense. Adds a warning for each option that is without
/// effect beside the others.
[[nodiscard]] bench_options checked(bench_options options, std::vector<std::string> &warnings);

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_OPTIONS_H
