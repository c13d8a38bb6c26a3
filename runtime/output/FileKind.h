// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a file is, told by its beginning: a recording, another output of graphprof, or neither.

#ifndef GRAPHPROF_OUTPUT_FILEKIND_H
#define GRAPHPROF_OUTPUT_FILEKIND_H

#include <cstdint>
#include <string>
#include <string_view>

namespace graphprof {

/// How a file begins, decompressed; empty: it cannot be read, or is empty.
[[nodiscard]] std::string headOf(const std::string &path);

/// The files that graphprof reads.
enum class RecordingKind : std::uint8_t { None, Binary, Benchmarks };
[[nodiscard]] RecordingKind recordingIn(std::string_view head);

/// Why the file at `path` is not one of those, as the predicate of a sentence; empty: it is. Says
/// what it is instead.
[[nodiscard]] std::string whyNoRecording(const std::string &path);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FILEKIND_H
