// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The database as an output. Separate from Sqlite.cpp, which is built only with SQLite.

#include "output/Format.h"
#include "output/formats/sqlite/Sqlite.h"

namespace graphprof {

namespace {} // namespace

constinit const Format formats::sqlite = {
    .endings = {".db", ".sqlite", ".sqlite3"},
    .items = "PATH.db",
    .hostSpans = ShowsHostSpans::OnRequest,
    .showsMemory = true,
    .keepsGraphs = true,
    .sumsSteps = true,
    .addsToFile = true,
    .checkPath = [](std::string_view) { return whyNoSqlite(); },
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      return makeSqlite(settings.path, settings.run, settings.hostSpans ? settings.maxRecords : 0,
                        settings.settled);
    },
};

} // namespace graphprof
