// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The name of a region: its site's format applied to its context values. Knows no records.

#ifndef GRAPHPROF_SESSION_NAME_H
#define GRAPHPROF_SESSION_NAME_H

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "graphprof/value.h"

namespace graphprof {

/// Applies the fmt format string `format` to the positional values among `values`, in order; values
/// with a key take no part.
///
///     formatName("attention {}", {{Value(3), key("batch", 8)}})  // "attention 3"
///
/// The compiler has checked formats that it knows. Where one fails all the same (it was made while
/// the program ran), the name is the format as it stands; `fits`, if given, says whether it did
/// not.
[[nodiscard]] std::string formatName(const char *format, std::span<const Value> values,
                                     bool *fits = nullptr);

/// The format that yields `name` itself.
[[nodiscard]] std::string asFormat(std::string_view name);

/// Shortens `name` to at most `most` bytes, the last three of them "...", without cutting a UTF-8
/// sequence in two. Returns whether it was longer. `most` is at least 3.
bool shortenName(std::string &name, std::size_t most);

} // namespace graphprof

#endif // GRAPHPROF_SESSION_NAME_H
