// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The SQLite database: each run is a row of `runs`; a file may hold runs of several processes.
// docs/sqlite.md describes its tables and views. It can be read while the program runs.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITE_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITE_H

#include <cstddef>
#include <memory>
#include <string>

#include "output/BatchWriter.h"
#include "output/data/Run.h"

namespace graphprof {

/// Is SQLite part of this graphprof?
[[nodiscard]] bool sqliteBuiltIn();
/// Why there is no database, as the predicate of a sentence; empty if there is one.
[[nodiscard]] inline std::string whyNoSqlite() {
  return sqliteBuiltIn() ? "" : "graphprof is built without SQLite";
}

/// Writes only TraceML's table of steps, into a database of any program, including TraceML's own.
/// It wants host spans. Null if SQLite is not built in.
/// `maxSteps`, `settled`: as in StepSamples.
[[nodiscard]] std::unique_ptr<BatchWriter> makeStepSqlite(const std::string &path, const Run &run,
                                                          std::size_t maxSteps = 1'000'000,
                                                          bool settled = false);

/// Adds a run to the database at `path`, and makes the file if necessary. Null if SQLite is not
/// built in. A batch is one transaction: readers see all of it or nothing. `maxSteps` as above; 0:
/// it gets no host spans, so it knows of no step.
[[nodiscard]] std::unique_ptr<BatchWriter> makeSqlite(const std::string &path, const Run &run,
                                                      std::size_t maxSteps = 1'000'000,
                                                      bool settled = false);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITE_H
