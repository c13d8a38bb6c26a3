// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The SQLite database: one run a row of `runs`, several runs and processes in one file. What its
// tables and views hold, docs/sqlite.md says. It can be read while the program runs.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITE_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITE_H

#include <memory>
#include <string>

#include "output/BatchWriter.h"
#include "output/data/Run.h"

namespace graphprof {

/// Is SQLite part of this graphprof?
[[nodiscard]] bool sqliteBuiltIn();
/// Why there is no database, as the predicate of a sentence; empty where there is one.
[[nodiscard]] inline std::string whyNoSqlite() {
  return sqliteBuiltIn() ? "" : "graphprof is built without SQLite";
}

/// Only TraceML's table of steps, in a database of any program's, of TraceML's own too. It wants
/// host spans. Null where SQLite is not built in.
[[nodiscard]] std::unique_ptr<BatchWriter> makeStepSqlite(const std::string &path, const Run &run);

/// Adds a run to the database at `path`, which is made where there is none. Null where SQLite is
/// not built in. A batch is one transaction: readers see all of it or nothing.
[[nodiscard]] std::unique_ptr<BatchWriter> makeSqlite(const std::string &path, const Run &run);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITE_H
