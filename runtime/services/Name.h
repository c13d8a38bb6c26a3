// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The name of a region: the site's format applied to its context values. Does not know records.

#ifndef GRAPHPROF_SERVICES_NAME_H
#define GRAPHPROF_SERVICES_NAME_H

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "graphprof/value.h"

namespace graphprof {

/// Applies the fmt format string `format` to the positional values among `values`, in order. Values
/// with a key are skipped.
///
///     formatName("attention {}", {{Value(3), key("batch", 8)}})  // "attention 3"
///
/// The compiler checks formats that it knows. If another format fails, the name is the format
/// itself, and `fits`, if given, is set to false. An empty name becomes "(no name)".
[[nodiscard]] std::string formatName(const char *format, std::span<const Value> values,
                                     bool *fits = nullptr);

/// The format whose result is `name`.
[[nodiscard]] std::string asFormat(std::string_view name);

/// Shortens `name` to at most `most` bytes, the last three of them "...", without cutting a UTF-8
/// sequence in two. Returns whether it was longer. `most` is at least 3.
bool shortenName(std::string &name, std::size_t most);

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_NAME_H
