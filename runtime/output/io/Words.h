// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The words for a record's properties in files, and fast conversion of numbers to text where there
// are millions of them.

#ifndef GRAPHPROF_OUTPUT_IO_WORDS_H
#define GRAPHPROF_OUTPUT_IO_WORDS_H

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "graphprof/host_span.h"
#include "graphprof/memory.h"
#include "graphprof/record.h"

namespace graphprof {

/// "region", "kernel", "memcpy", "memset", "host", "graph".
[[nodiscard]] std::string_view word(Kind kind);
/// "stamp", "event", "host".
[[nodiscard]] std::string_view word(Clock clock);
[[nodiscard]] std::string_view word(MemoryKind kind);
/// "completion", "next_begin".
[[nodiscard]] std::string_view word(Ends ends);
[[nodiscard]] std::string_view word(GapCause cause); ///< empty: unknown
/// "region", "launch", "step", "copy", "mark", "range".
[[nodiscard]] std::string_view word(HostKind kind);
/// What one of these words stands for: false if it is none of them.
[[nodiscard]] bool fromWord(std::string_view text, Kind &kind);
[[nodiscard]] bool fromWord(std::string_view text, Clock &clock);
[[nodiscard]] bool fromWord(std::string_view text, Ends &ends);
[[nodiscard]] bool fromWord(std::string_view text, GapCause &cause);
[[nodiscard]] bool fromWord(std::string_view text, MemoryKind &kind);
[[nodiscard]] bool fromWord(std::string_view text, HostKind &kind);
inline void append(std::string &out, std::integral auto number) {
  std::array<char, 24> digits; // NOLINT(*-member-init): written before it is read
  const char *const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_WORDS_H
