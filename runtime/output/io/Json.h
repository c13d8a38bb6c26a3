// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Writes the parts of JSON that need care: texts and numbers.

#ifndef GRAPHPROF_OUTPUT_IO_JSON_H
#define GRAPHPROF_OUTPUT_IO_JSON_H

#include <cstdint>
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

/// A context value: a number, true, false, or a string. Values that JSON lacks (nan, inf) become
/// strings, and so do addresses, in hexadecimal.
[[nodiscard]] std::string jsonValue(const Value &value);

/// Context values as an object. The key of a value without one is its position among those:
/// {"0":3,"batch":8}.
[[nodiscard]] std::string jsonContext(std::span<const Value> context);

/// Nanoseconds, not negative, as microseconds with three decimals, so that nothing is lost.
[[nodiscard]] std::string jsonMicroseconds(std::int64_t ns);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_JSON_H
