// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Checks a {fmt} format string against its values: "layer {}", "{0} of {1:03}", "{:.{}f}". The
// rules are those of graphprof/detail/format_check.h, which the compiler of the instrumented file
// applies; here the messages point at the annotation. A value of unknown type fits every field.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_FACTS_FORMATSTRING_H
#define GRAPHPROF_TOOL_INSTRUMENT_FACTS_FORMATSTRING_H

#include "graphprof/detail/format_check.h"

#include "llvm/ADT/ArrayRef.h"
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
  std::vector<bool> Used;               ///< for each value, up to the problem
};

/// A positional value of an annotation.
struct FormatValue {
  std::string Text; ///< as written
  detail::FormatType Type = detail::FormatType::Unknown;
};

/// The text that a format without fields stands for: "{{" becomes "{".
std::string withoutFields(llvm::StringRef Format);

FormatCheck checkFormat(llvm::StringRef Format, llvm::ArrayRef<FormatValue> Values);

} // namespace graphprof::instrument

#endif
