// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Options.h"

#include <string_view>

#include <fmt/format.h>

namespace graphprof::bench_detail {

namespace {

void demand(bool fine, std::string_view text) {
  if (!fine)
    throw bench_error(bench_fault::options, fmt::format("graphprof: bench_options: {}", text));
}

void check(const bench_options &options) {
  demand(!options.dry_run_iters || *options.dry_run_iters >= 0, "dry_run_iters must be at least 0");
  demand(!options.repeat_iters || *options.repeat_iters >= 1, "repeat_iters must be at least 1");
  demand(options.dry_run_time_ms >= 0, "dry_run_time_ms must be at least 0");
  demand(options.repeat_time_ms >= 0, "repeat_time_ms must be at least 0");
  demand(options.num_iters_within_graph >= 1, "num_iters_within_graph must be at least 1");
  demand(options.relative_precision > 0, "relative_precision must be above 0");
  demand(options.max_time_ms >= 1, "max_time_ms must be at least 1");
  demand(options.min_sm_clock >= 0 && options.min_sm_clock <= 1,
         "min_sm_clock must be from 0 to 1");
}

} // namespace

bench_options checked(bench_options options, std::vector<std::string> &warnings) {
  check(options);
  if (options.repeat_iters && options.stop != bench_stop::time)
    warnings.emplace_back("repeat_iters has no effect: only bench_stop::time counts replays; "
                          "choose that, or remove it");
  return options;
}

} // namespace graphprof::bench_detail
