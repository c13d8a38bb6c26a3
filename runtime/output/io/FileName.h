// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// File names that differ between runs and processes: `trace.{rank}.json`.

#ifndef GRAPHPROF_OUTPUT_IO_FILENAME_H
#define GRAPHPROF_OUTPUT_IO_FILENAME_H

#include <string>
#include <string_view>

#include "output/data/Run.h"

namespace graphprof {

/// `pattern` with its placeholders replaced by the values of `run`:
///     {host}  the machine's name
///     {pid}   the process's id
///     {rank}  its number among the processes of a job, or 0 (rankOf())
///     {time}  when it began, in UTC: 20261122-031452
///     {env:NAME}  the environment variable NAME of this process, or nothing
/// Other text in braces stays as it is.
[[nodiscard]] std::string expandPath(std::string_view pattern, const Run &run = thisRun());

/// The first `{word}` of `pattern` that is not a placeholder; empty if there is none. A word
/// consists of small letters and underscores, perhaps followed by a colon and the name of a
/// variable. Other braces are part of the file name.
[[nodiscard]] std::string_view unknownPlaceholder(std::string_view pattern);

/// `path` with `text` inserted before the extension of its last part; ".gz" counts as part of an
/// extension: "out/run.json.gz" becomes "out/run.TEXT.json.gz". What comes before a colon is not
/// part of the name.
[[nodiscard]] std::string beforeExtension(std::string_view path, std::string_view text);

/// `path` with this process's id in its name, followed by `more`: "run.4711.csv".
[[nodiscard]] std::string withPid(std::string_view path, std::string_view more = {});

/// The placeholders, for messages.
inline constexpr std::string_view placeholders = "{host}, {pid}, {rank}, {time}, {env:NAME}";

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_FILENAME_H
