// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes the output for an item of GRAPHPROF_OUTPUT.

#ifndef GRAPHPROF_OUTPUT_MAKEOUTPUT_H
#define GRAPHPROF_OUTPUT_MAKEOUTPUT_H

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "output/Format.h"
#include "output/Output.h"
#include "output/Overwriting.h"
#include "output/data/Run.h"

namespace graphprof {

/// The possible items, for messages.
[[nodiscard]] std::string outputItems();

/// Why there is no output for `item`, as the predicate of a sentence: "must be a list of ...".
/// Empty if there is one.
[[nodiscard]] std::string whyNoOutput(std::string_view item);

/// Do both ask for the same: one format, with one and the same options?
[[nodiscard]] bool asksForTheSame(std::string_view item, std::string_view other);

/// The first of `others` whose file the output for `item` would overwrite, even under another name;
/// or null. Streams, devices and databases take several outputs.
[[nodiscard]] const std::string *
overwritten(std::string_view item, std::span<const std::string> others, const Run &run = thisRun());

/// Why a command must not, or cannot, write the output for `item`, as the predicate of a sentence:
/// what it would overwrite, or why no file can be made there. Empty: it may. Writes nothing.
[[nodiscard]] std::string whyNotWritten(std::string_view item, const Overwriting &allowed,
                                        const Run &run = thisRun());

/// What a recording holds.
struct FileContents {
  bool records = false, hostSpans = false, steps = false, memory = false;
  bool graphs = false; ///< what some replays' graphs are made of
};
/// Why the output for `item` is empty, as a sentence, if what it shows is not `held`; otherwise an
/// empty text.
[[nodiscard]] std::string whyEmpty(std::string_view item, const FileContents &held);

/// The file that the output for `item` writes. Empty: only a standard stream.
[[nodiscard]] std::string pathOf(std::string_view item, const Run &run = thisRun());

/// Is the output for `item` written as a whole at the end? With a schedule, each cycle then has
/// one. An output that streams serves all cycles.
[[nodiscard]] bool isWrittenWhole(std::string_view item);

/// Does it write to standard error, because the item has no path?
[[nodiscard]] bool writesToStderr(std::string_view item);

/// The item that writes to standard output what `item` writes to standard error; any other item is
/// as it was.
[[nodiscard]] std::string onStandardOutput(std::string_view item);

/// Does the output for `item` show the structure of graphs?
[[nodiscard]] bool drawsGraphs(std::string_view item);
/// Does it keep the structure of graphs whose nodes are timed?
[[nodiscard]] bool keepsGraphs(std::string_view item);

/// Does the output for `item` get host spans with this setting?
[[nodiscard]] bool getsHostSpans(std::string_view item, HostSpansFor whom);

/// The output for `item`, or null. docs/output.md lists the items. Paths may contain the
/// placeholders of expandPath(). Does not overwrite another process's file (Existing), except for a
/// database, which holds the runs of many. Keeps at most `maxRecords` records in memory. `run` is
/// described in the output.
[[nodiscard]] std::unique_ptr<Output> makeOutput(std::string_view item, std::size_t maxRecords,
                                                 const Run &run = thisRun(),
                                                 HostSpansFor whom = HostSpansFor::Whole);

/// Only the writer, for callers that have batches.
[[nodiscard]] std::unique_ptr<BatchWriter> makeWriter(std::string_view item, std::size_t maxRecords,
                                                      const Run &run, HostSpansFor whom);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_MAKEOUTPUT_H
