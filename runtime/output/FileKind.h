// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a file is, told by its beginning: a recording, another output of graphprof, or neither.

#ifndef GRAPHPROF_OUTPUT_FILEKIND_H
#define GRAPHPROF_OUTPUT_FILEKIND_H

#include <string>
#include <string_view>

namespace graphprof {

/// How a file begins, decompressed; empty: it cannot be read, or is empty.
[[nodiscard]] std::string headOf(const std::string &path);

/// Whether a file that begins so is a binary file, the only one that graphprof reads.
[[nodiscard]] bool isRecording(std::string_view head);

/// Why the file at `path` is none, as the predicate of a sentence; empty: it is one. Says what it
/// is instead.
[[nodiscard]] std::string whyNoRecording(const std::string &path);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FILEKIND_H
