// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What JSON says of the runs that it is made of.

#ifndef GRAPHPROF_TOOL_REPORT_RUNSJSON_H
#define GRAPHPROF_TOOL_REPORT_RUNSJSON_H

#include <vector>

#include <nlohmann/json.hpp>

#include "recordings/RunFacts.h"

namespace graphprof {

/// A list with an object for each: file, process, devices, driver, losses, and what is missing.
[[nodiscard]] nlohmann::ordered_json runsJson(const std::vector<RunFacts> &runs);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_REPORT_RUNSJSON_H
