// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Critical paths as text, Markdown, JSON and CSV. Does not read recordings and computes nothing but
// medians.

#ifndef GRAPHPROF_TOOL_CRITICAL_PRINTCRITICAL_H
#define GRAPHPROF_TOOL_CRITICAL_PRINTCRITICAL_H

#include <cstddef>
#include <string>

#include "CriticalFigures.h"

namespace graphprof {

struct CriticalLook {
  enum class Sort : unsigned char { Path, Slack, Name, Order };
  Sort sort = Sort::Path;
  std::string filter;    ///< a regular expression: only rows whose paths match it
  std::size_t most = 25; ///< rows of a graph
  std::size_t width = 0; ///< of a line; 0: any
};

[[nodiscard]] std::string criticalText(const CriticalFigures &all, const CriticalLook &look);
[[nodiscard]] std::string criticalMarkdown(const CriticalFigures &all, const CriticalLook &look);
[[nodiscard]] std::string criticalJson(const CriticalFigures &all, const CriticalLook &look);
[[nodiscard]] std::string criticalCsv(const CriticalFigures &all, const CriticalLook &look);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_CRITICAL_PRINTCRITICAL_H
