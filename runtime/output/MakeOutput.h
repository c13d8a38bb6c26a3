// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From an item of GRAPHPROF_OUTPUT to an output.

#ifndef GRAPHPROF_OUTPUT_MAKEOUTPUT_H
#define GRAPHPROF_OUTPUT_MAKEOUTPUT_H

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "output/Format.h"
#include "output/Output.h"
#include "output/data/Run.h"

namespace graphprof {

/// The items that there are, for messages.
[[nodiscard]] std::string outputItems();

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

/// Does the output for `item` get host spans, where `whom` are to get them?
[[nodiscard]] bool getsHostSpans(std::string_view item, HostSpansFor whom);

/// The output for `item`, null where there is none. docs/output.md shows the items that there are.
/// Paths take the placeholders of expandPath(). A file of another process's is spared (OfOthers),
/// but for a database, which takes the runs of many. The output keeps at most `maxRecords` records
/// in memory; `run` is what it says was measured.
[[nodiscard]] std::unique_ptr<Output> makeOutput(std::string_view item, std::size_t maxRecords,
                                                 const Run &run = thisRun(),
                                                 HostSpansFor whom = HostSpansFor::Whole);

/// Only its writer, for who has batches.
[[nodiscard]] std::unique_ptr<BatchWriter> makeWriter(std::string_view item, std::size_t maxRecords,
                                                      const Run &run, HostSpansFor whom);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_MAKEOUTPUT_H
