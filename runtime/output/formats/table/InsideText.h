// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Prints what ran inside kernels, below the table of regions.

#ifndef GRAPHPROF_OUTPUT_FORMATS_TABLE_INSIDETEXT_H
#define GRAPHPROF_OUTPUT_FORMATS_TABLE_INSIDETEXT_H

#include <string>

#include "output/statistics/InsideKernels.h"

namespace graphprof {

/// A row for each kernel, with how much longer its timed twin takes, and below it one for each
/// region inside. Names are shortened to `maxNameWidth` unless whole ones are asked for. Empty if
/// there is no kernel.
[[nodiscard]] std::string insideText(const InsideKernels &inside, bool wholeNames);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_TABLE_INSIDETEXT_H
