// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What every command says of the runs that it has read.

#ifndef GRAPHPROF_TOOL_FIGURES_RUNS_H
#define GRAPHPROF_TOOL_FIGURES_RUNS_H

#include <string>
#include <string_view>
#include <vector>

#include "Json.h"
#include "recordings/RunFacts.h"

namespace graphprof {

/// A line for each run: its file, program, device, driver, and another for what is missing of it.
[[nodiscard]] std::vector<std::string> runLines(const std::vector<RunFacts> &runs,
                                                std::string_view before = "");
/// A list with an object for each: file, process, devices, driver, losses, and what is missing.
[[nodiscard]] OrderedJson runsJson(const std::vector<RunFacts> &runs);
/// What all of them lost, a sentence for each kind.
[[nodiscard]] std::vector<std::string> lossLines(const std::vector<RunFacts> &runs,
                                                 std::string_view before = "");

} // namespace graphprof

#endif // GRAPHPROF_TOOL_FIGURES_RUNS_H
