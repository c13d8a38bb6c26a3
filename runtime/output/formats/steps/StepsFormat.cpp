// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// TraceML's table of steps as an output. SqliteSteps writes the rows.

#include "output/Format.h"
#include "output/formats/sqlite/Sqlite.h"

namespace graphprof {

// Steps are host spans.
constinit const Format formats::steps = {
    .word = "steps",
    .items = "steps:PATH",
    .hostSpans = ShowsHostSpans::Always,
    .sumsSteps = true,
    .showsSteps = true,
    .addsToFile = true,
    .checkPath = [](std::string_view) { return whyNoSqlite(); },
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      return makeStepSqlite(settings.path, settings.run, settings.maxRecords, settings.settled);
    },
};

} // namespace graphprof
