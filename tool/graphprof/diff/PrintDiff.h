// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A comparison as text, JSON and Markdown. Computes nothing.

#ifndef GRAPHPROF_TOOL_DIFF_PRINTDIFF_H
#define GRAPHPROF_TOOL_DIFF_PRINTDIFF_H

#include <cstddef>
#include <string>

#include "Compare.h"

namespace graphprof {

struct DiffLook {
  std::size_t most = 40; ///< findings
  bool all = false;      ///< also those that are the same, and any number
  std::size_t width = 0; ///< of a line; 0: any
};

/// "2 slower, 1 faster, 250 same".
[[nodiscard]] std::string summaryOf(const Comparison &comparison);

[[nodiscard]] std::string diffText(const Side &before, const Side &after,
                                   const Comparison &comparison, const DiffLook &look);
[[nodiscard]] std::string diffMarkdown(const Side &before, const Side &after,
                                       const Comparison &comparison, const DiffLook &look);
[[nodiscard]] std::string diffJson(const Side &before, const Side &after,
                                   const Comparison &comparison, const Floors &floors);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_DIFF_PRINTDIFF_H
