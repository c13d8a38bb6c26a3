// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is shown of a comparison. Computes nothing.

#ifndef GRAPHPROF_TOOL_DIFF_SHOWDIFF_H
#define GRAPHPROF_TOOL_DIFF_SHOWDIFF_H

#include <cstddef>
#include <string>

#include "Compare.h"
#include "figures/Document.h"
#include "figures/Json.h"

namespace graphprof {

struct DiffLook {
  std::size_t most = 40; ///< findings
  bool all = false;      ///< also those that are the same, and any number
};

/// "2 slower, 1 faster, 250 same".
[[nodiscard]] std::string summaryOf(const Comparison &comparison);

[[nodiscard]] Document diffDocument(const Side &before, const Side &after,
                                    const Comparison &comparison, const DiffLook &look);
[[nodiscard]] OrderedJson diffJson(const Side &before, const Side &after,
                                   const Comparison &comparison, const Floors &floors);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_DIFF_SHOWDIFF_H
