// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Answers of several ranks to `graphprof attach PID where --json`, side by side: which ranks wait
// in a collective, and which has not come. Knows no communicators, and says only what the answers
// say.

#ifndef GRAPHPROF_TOOL_MERGE_STUCKRANKS_H
#define GRAPHPROF_TOOL_MERGE_STUCKRANKS_H

#include <span>
#include <string>
#include <vector>

namespace graphprof::tool {

/// Whether the file begins as an answer does, and no recording, or is a pipe: recordings are read
/// more than once.
[[nodiscard]] bool mayBeAnswer(const std::string &file);

/// Reads the answers, and compares them. As text, whose last line says where to look, or as JSON.
/// Throws UnreadableRecording if a file is no such answer, or two are of one rank.
[[nodiscard]] std::string stuckRanks(std::span<const std::string> files, bool json);

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_MERGE_STUCKRANKS_H
