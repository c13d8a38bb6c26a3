// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Whole pieces of JSON: a string, a region's context. JsonWriter makes documents of them.

#ifndef GRAPHPROF_OUTPUT_IO_JSON_H
#define GRAPHPROF_OUTPUT_IO_JSON_H

#include <span>
#include <string>
#include <string_view>

#include "graphprof/value.h"

namespace graphprof {

/// Is `text` exactly one JSON value?
[[nodiscard]] bool isJson(std::string_view text);

/// `text` as a JSON string with quotes. Control characters are escaped. Each byte that is not part
/// of valid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string jsonString(std::string_view text);
/// Appends the same.
void appendJsonString(std::string &out, std::string_view text);

/// Context values as an object (JsonWriter::members): {"0":3,"batch":8}.
[[nodiscard]] std::string jsonContext(std::span<const Value> context);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_JSON_H
