// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// In which order rows are printed, and what they are called.

#ifndef GRAPHPROF_TOOL_MERGE_MERGEDROWS_H
#define GRAPHPROF_TOOL_MERGE_MERGEDROWS_H

#include <cstddef>
#include <string>
#include <vector>

#include "ShowMerge.h"

namespace graphprof {

/// By number or, if there are more than `most`, those that hold up the others most often first.
[[nodiscard]] std::vector<std::size_t> ranksInOrder(const MergedJob &merged, std::size_t most);
/// The largest spread first.
[[nodiscard]] std::vector<std::size_t> stepsInOrder(const Split &split);
/// The longest waits, summed over all executions, first.
[[nodiscard]] std::vector<std::size_t> collectivesInOrder(const Split &split);
/// "12" of a step; "12 of decode batch=8" of a launch; of one without a name "12" or, if there are
/// several execs, "12 of exec 2".
[[nodiscard]] std::string nameOf(const StepRow &step, const MergedJob &merged);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_MERGE_MERGEDROWS_H
