// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Checks a {fmt} format string against the number of its arguments: "layer {}", "{0} of {1:03}",
// "{:.{}f}".
//
// Whether a type can be formatted as its specification says is for the compiler of the instrumented
// file, which knows it.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_FORMATSTRING_H
#define GRAPHPROF_TOOL_INSTRUMENT_FORMATSTRING_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace graphprof::instrument {

struct FormatProblem {
  size_t At = 0; ///< byte of the format
  std::string Message;
};

struct FormatCheck {
  std::optional<FormatProblem> Problem; ///< the first one
  std::vector<bool> Used;               ///< for each argument, up to the problem
};

FormatCheck checkFormat(llvm::StringRef Format, size_t Arguments);

} // namespace graphprof::instrument

#endif
