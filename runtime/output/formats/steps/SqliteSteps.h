// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// TraceML's table of steps, step_time_samples, with its columns, types and indexes, so that readers
// of TraceML's databases can read this one.

#ifndef GRAPHPROF_OUTPUT_FORMATS_STEPS_SQLITESTEPS_H
#define GRAPHPROF_OUTPUT_FORMATS_STEPS_SQLITESTEPS_H

#include <cstdint>
#include <span>

#include "output/data/Run.h"
#include "output/formats/sqlite/SqliteDatabase.h"
#include "output/formats/steps/StepSamples.h"

namespace graphprof::sqlite {

/// The statements that make the table if it does not exist.
extern const char *const stepTable;

/// One thread at a time, in the caller's transactions.
class StepRows {
public:
  StepRows(Database &database, const Run &run);
  void add(std::span<const StepSample> samples, std::int64_t nowNs);

private:
  const Run run_;
  Statement insert_;
  std::int64_t seq_ = 0;
};

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_STEPS_SQLITESTEPS_H
