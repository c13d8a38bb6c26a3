// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is shown of critical paths. Does not read recordings and computes nothing but medians.

#ifndef GRAPHPROF_TOOL_CRITICAL_SHOWCRITICAL_H
#define GRAPHPROF_TOOL_CRITICAL_SHOWCRITICAL_H

#include <cstddef>
#include <string>

#include "CriticalFigures.h"
#include "figures/Document.h"
#include "figures/Json.h"

namespace graphprof {

struct CriticalLook {
  enum class Sort : unsigned char { Path, Slack, Name, Order };
  Sort sort = Sort::Path;
  std::string filter;    ///< a regular expression: only rows whose paths match it
  std::size_t most = 25; ///< rows of a graph
};

[[nodiscard]] Document criticalDocument(const CriticalFigures &all, const CriticalLook &look);
[[nodiscard]] OrderedJson criticalJson(const CriticalFigures &all, const CriticalLook &look);
/// The rows of all graphs.
[[nodiscard]] FigureTable criticalTable(const CriticalFigures &all, const CriticalLook &look);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_CRITICAL_SHOWCRITICAL_H
