// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The sites of measured callables, for their records.

#ifndef GRAPHPROF_BENCH_SITES_H
#define GRAPHPROF_BENCH_SITES_H

#include <string>

#include "graphprof/site.h"

namespace graphprof::bench_detail {

/// The site of that name, in `siteFile`. It lives as long as the process.
const Site &siteOf(const std::string &name);
inline constexpr const char *siteFile = "graphprof/bench.h";

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_SITES_H
