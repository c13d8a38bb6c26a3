// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where a region is in the program, as outputs say it.

#ifndef GRAPHPROF_OUTPUT_DATA_SOURCE_H
#define GRAPHPROF_OUTPUT_DATA_SOURCE_H

#include <string>
#include <string_view>

#include "graphprof/record.h"

namespace graphprof {

/// "src/model.cu:12"; empty for a node, which has no source.
[[nodiscard]] std::string sourceOf(const Site *site, Kind kind);
/// "forward", likewise.
[[nodiscard]] std::string_view functionOf(const Site *site, Kind kind);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_SOURCE_H
