// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is shown of a merged job. Computes nothing.

#ifndef GRAPHPROF_TOOL_MERGE_SHOWMERGE_H
#define GRAPHPROF_TOOL_MERGE_SHOWMERGE_H

#include <cstddef>
#include <string>
#include <vector>

#include "Job.h"
#include "JobClocks.h"
#include "Matching.h"
#include "Split.h"
#include "figures/Document.h"
#include "figures/Json.h"

namespace graphprof {

/// All that is printed.
struct MergedJob {
  const Job &job;
  const Matching &matching;
  const JobClocks &clocks;
  const Split &split;
};

enum class MergeTable : unsigned char { Ranks, Steps, Collectives };

struct MergeLook {
  std::vector<MergeTable> tables = {MergeTable::Ranks, MergeTable::Steps, MergeTable::Collectives};
  std::size_t most = 10; ///< rows of each table; the rest is one line. SIZE_MAX: all
};

[[nodiscard]] Document mergeDocument(const MergedJob &merged, const MergeLook &look);
/// Every row.
[[nodiscard]] OrderedJson mergeJson(const MergedJob &merged);
/// Every row of the first of the tables; of collectives, a row for each rank in them.
[[nodiscard]] FigureTable mergeTable(const MergedJob &merged, const MergeLook &look);

/// What each clock is and how exactly it is known, a line each.
[[nodiscard]] std::vector<std::string> clockLines(const Job &job, const JobClocks &clocks);
/// What the recordings do not say or what could not be used, a sentence each.
[[nodiscard]] std::vector<std::string> mergeRemarks(const MergedJob &merged);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_MERGE_SHOWMERGE_H
