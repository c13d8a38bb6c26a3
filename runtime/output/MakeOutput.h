// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From an item of GRAPHPROF_OUTPUT to an output: the one list of formats.

#ifndef GRAPHPROF_OUTPUT_MAKEOUTPUT_H
#define GRAPHPROF_OUTPUT_MAKEOUTPUT_H

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "output/Output.h"
#include "output/data/Run.h"

namespace graphprof {

/// The items that there are, for messages.
inline constexpr std::string_view outputItems =
    "table, key_averages, replays, table:PATH, key_averages:PATH, replays:PATH, PATH.json[.gz], "
    "PATH.db, PATH.csv, PATH.jsonl, "
    "PATH.gprof, PATH.dot, PATH.svg, graph:PATH.json, steps:PATH";

/// Which outputs get host spans, of those that can show them.
enum class HostSpansFor : unsigned char {
  None,
  Whole, ///< traces and key averages; nothing that is written while the program runs, which is to
         ///< cost little
  All,   ///< the binary file, SQLite and JSON lines too
};

/// Why there is no output for `item`, as the predicate of a sentence: "must be a list of ...".
/// Empty where there is one.
[[nodiscard]] std::string whyNoOutput(std::string_view item);

/// The file that the output for `item` writes. Empty: none but a standard stream.
[[nodiscard]] std::string pathOf(std::string_view item, const Run &run = thisRun());

/// Is the output for `item` written at the end, at once? With a schedule there is one for each
/// cycle. One that streams is there for all.
[[nodiscard]] bool isWrittenWhole(std::string_view item);

/// Is it shown on standard error, for want of a path?
[[nodiscard]] bool writesToStderr(std::string_view item);

/// Does the output for `item` show what graphs are made of?
[[nodiscard]] bool drawsGraphs(std::string_view item);

/// The output for `item`, null where there is none:
///     table    table:PATH      the table, on standard error or in a file
///     key_averages  key_averages:PATH  the table in torch.profiler's form;
///     key_averages+statistics,
///                              +sort_by=COLUMN, +row_limit=N, +time_unit=UNIT,
///                              +top_level_events_only, before the path, as table_options'
///     replays  replays:PATH    every replay as text
///     PATH.json[.gz]           a Chrome trace
///     PATH.db .sqlite .sqlite3 a SQLite database
///     PATH.csv                 comma-separated values
///     PATH.jsonl               JSON lines
///     PATH.gprof               the binary format
///     PATH.dot .svg            pictures of the graphs; graph:PATH.json: the same as JSON
///     steps:PATH               TraceML's table of steps, in a SQLite database
/// Paths take the placeholders of expandPath(). A file of another process's is spared (OfOthers),
/// but for a database, which takes the runs of many. The output keeps at most `maxRecords` records
/// in memory; `run` is what it says was measured.
[[nodiscard]] std::unique_ptr<Output> makeOutput(std::string_view item, std::size_t maxRecords,
                                                 const Run &run = thisRun(),
                                                 HostSpansFor hostSpans = HostSpansFor::Whole);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_MAKEOUTPUT_H
