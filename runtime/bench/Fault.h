// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Failures of a measurement: bench_error, with a text that tells users what to do.

#ifndef GRAPHPROF_BENCH_FAULT_H
#define GRAPHPROF_BENCH_FAULT_H

#include <string>
#include <string_view>

#include "cuda/DriverApi.h"
#include "graphprof/bench_result.h"

namespace graphprof::bench_detail {

/// "CUDA_ERROR_OUT_OF_MEMORY (2)"
std::string nameOf(driver::Result error);

/// Throws bench_error with `what`, unless `result` is a success.
void check(driver::Result result, std::string_view what);

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_FAULT_H
