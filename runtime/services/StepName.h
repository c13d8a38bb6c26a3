// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The name of a step, as in torch.profiler.

#ifndef GRAPHPROF_SERVICES_STEPNAME_H
#define GRAPHPROF_SERVICES_STEPNAME_H

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace graphprof {

inline std::string stepName(std::int64_t step) { return fmt::format("ProfilerStep#{}", step); }

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_STEPNAME_H
