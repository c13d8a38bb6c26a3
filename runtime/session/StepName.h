// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a step is called, as torch.profiler calls it.

#ifndef GRAPHPROF_SESSION_STEPNAME_H
#define GRAPHPROF_SESSION_STEPNAME_H

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace graphprof {

inline std::string stepName(std::int64_t step) { return fmt::format("ProfilerStep#{}", step); }

} // namespace graphprof

#endif // GRAPHPROF_SESSION_STEPNAME_H
