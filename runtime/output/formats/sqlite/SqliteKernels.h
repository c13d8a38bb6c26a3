// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The tables kernel_runs, kernel_regions, kernel_warps and kernel_times of a database: what ran
// inside kernels.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEKERNELS_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEKERNELS_H

#include <cstdint>
#include <span>

#include "output/data/KernelRun.h"
#include "output/formats/sqlite/SqliteDatabase.h"

namespace graphprof::sqlite {

/// Writes those of one run of a program. Throws Refused.
class KernelRows {
public:
  KernelRows(Database &database, std::int64_t run);
  void add(std::span<const KernelRun> runs);

private:
  Database &database_;
  const std::int64_t run_;
  Statement kernel_, region_, warp_, time_;
};

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEKERNELS_H
