// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Sums of times that saturate instead of overflowing. Measured times fit for centuries; those from
// a damaged file may not.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_SUMS_H
#define GRAPHPROF_OUTPUT_STATISTICS_SUMS_H

#include <cstdint>
#include <limits>

namespace graphprof {

inline void addTo(std::int64_t &sum, std::int64_t more) {
  if (__builtin_add_overflow(sum, more, &sum))
    sum = more < 0 ? std::numeric_limits<std::int64_t>::min()
                   : std::numeric_limits<std::int64_t>::max();
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_SUMS_H
