// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names of files that several runs and processes do not write at once: `trace.{rank}.json`.

#ifndef GRAPHPROF_OUTPUT_IO_FILENAME_H
#define GRAPHPROF_OUTPUT_IO_FILENAME_H

#include <string>
#include <string_view>

#include "output/data/Run.h"

namespace graphprof {

/// `pattern` with its placeholders replaced by what `run` was:
///     {host}  the machine's name
///     {pid}   the process's id
///     {rank}  its number among the processes of a job, 0 where there is one only (rankOf())
///     {time}  when it began, in UTC: 20261122-031452
///     {env:NAME}  the environment variable NAME of this process; nothing where it is not set
/// What else stands in braces stays.
[[nodiscard]] std::string expandPath(std::string_view pattern, const Run &run = thisRun());

/// The first `{word}` of `pattern` that is no placeholder; empty where there is none. A word is of
/// small letters and underscores, and may go on with a colon and the name of a variable: other
/// braces are part of the name.
[[nodiscard]] std::string_view unknownPlaceholder(std::string_view pattern);

/// `path` with `text` in front of its extension, which is that of its last part, with ".gz" behind
/// it where there is one: "out/run.json.gz" becomes "out/run.TEXT.json.gz". What comes before a
/// colon is no part of the name.
[[nodiscard]] std::string beforeExtension(std::string_view path, std::string_view text);

/// `path` with the id of this process in its name, and `more` behind the id: "run.4711.csv".
[[nodiscard]] std::string withPid(std::string_view path, std::string_view more = {});

/// The placeholders, for messages.
inline constexpr std::string_view placeholders = "{host}, {pid}, {rank}, {time}, {env:NAME}";

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_FILENAME_H
