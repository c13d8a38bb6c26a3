// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The pieces of JSON that take thought: texts and numbers. The rest is written as it stands.

#ifndef GRAPHPROF_OUTPUT_IO_JSON_H
#define GRAPHPROF_OUTPUT_IO_JSON_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graphprof/value.h"

namespace graphprof {

/// Is it one JSON value, and nothing else?
[[nodiscard]] bool isJson(std::string_view text);

/// `text` as a JSON string, quotes included. Control characters are escaped; each byte that is not
/// part of valid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string jsonString(std::string_view text);

/// A context value: a number, true, false, or a string. What JSON cannot say (nan, inf) is a
/// string; an address is one too, in hexadecimal.
[[nodiscard]] std::string jsonValue(const Value &value);

/// Context values as an object, by their keys, or by their positions among those without one:
/// {"0":3,"batch":8}.
[[nodiscard]] std::string jsonContext(std::span<const Value> context);

/// Nanoseconds, not negative, as microseconds with three decimals: exact.
[[nodiscard]] std::string jsonMicroseconds(std::int64_t ns);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_JSON_H
