// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the program's threads did, its memory, and the processes' clocks, as page/data.js describes
// them. Computes nothing.

#ifndef GRAPHPROF_TOOL_HTML_PAGEJSON_H
#define GRAPHPROF_TOOL_HTML_PAGEJSON_H

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "JobTimes.h"
#include "KeptHost.h"
#include "KeptMemory.h"

namespace graphprof {

/// `began`: when each run began, since the Unix epoch, from which its times count.
[[nodiscard]] nlohmann::ordered_json hostJson(const KeptHost &host,
                                              const std::vector<std::int64_t> &began);
/// `blocks`: null if there is no memory.
[[nodiscard]] nlohmann::ordered_json memoryJson(const KeptMemory &memory,
                                                const BlocksAtPeak *blocks,
                                                const std::vector<std::int64_t> &began);
/// Null if no two processes have one clock. `times` may be null.
[[nodiscard]] nlohmann::ordered_json clocksJson(const JobTimes *times,
                                                const std::vector<std::int64_t> &began);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_HTML_PAGEJSON_H
