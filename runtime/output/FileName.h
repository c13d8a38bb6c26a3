// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names of files that several runs and processes do not write at once: `trace.{rank}.json`.

#ifndef GRAPHPROF_OUTPUT_FILENAME_H
#define GRAPHPROF_OUTPUT_FILENAME_H

#include <string>
#include <string_view>

#include "output/Run.h"

namespace graphprof {

/// `pattern` with its placeholders replaced by what `run` was:
///     {host}  the machine's name
///     {pid}   the process's id
///     {rank}  its number among the processes of a job, 0 where there is one only (rankOf())
///     {time}  when it began, in UTC: 20261122-031452
/// What else stands in braces stays.
[[nodiscard]] std::string expandPath(std::string_view pattern, const Run &run = thisRun());

/// The first `{word}` of `pattern` that is no placeholder; empty where there is none. A word is of
/// small letters and underscores: other braces are part of the name.
[[nodiscard]] std::string_view unknownPlaceholder(std::string_view pattern);

/// The placeholders, for messages.
inline constexpr std::string_view placeholders = "{host}, {pid}, {rank}, {time}";

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FILENAME_H
