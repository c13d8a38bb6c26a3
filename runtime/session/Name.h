// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The name of a region: its site's format applied to its context values. Knows no records.

#ifndef GRAPHPROF_SESSION_NAME_H
#define GRAPHPROF_SESSION_NAME_H

#include <span>
#include <string>

#include "graphprof/value.h"

namespace graphprof {

/// Applies the fmt format string `format` to the positional values among `values`, in order; values
/// with a key take no part.
///
///     formatName("attention {}", {{Value(3), key("batch", 8)}})  // "attention 3"
///
/// The tool has checked format and arguments. Where a format fails all the same (it was written by
/// hand, or asks a number's precision of a text), the name is the format as it stands.
[[nodiscard]] std::string formatName(const char *format, std::span<const Value> values);

} // namespace graphprof

#endif // GRAPHPROF_SESSION_NAME_H
