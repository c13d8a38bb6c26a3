// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_GRAPH_TIMING_OWNENDS_H
#define GRAPHPROF_GRAPH_TIMING_OWNENDS_H

#include <cstdint>

namespace graphprof {

/// Which kernels have a stamp at their own end besides that at their begin. None for ordinary
/// times. A stamp at an end is where that at the next kernel's begin would be, so that no two queue
/// for one moment. So the ends of every second kernel of a chain are stamped, and those of the
/// others in the other half.
enum class OwnEnds : std::uint8_t { None, FirstHalf, SecondHalf };

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_OWNENDS_H
