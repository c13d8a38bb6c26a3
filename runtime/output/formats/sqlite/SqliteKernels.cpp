// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/sqlite/SqliteKernels.h"

#include <cstddef>

#include <fmt/format.h>

namespace graphprof::sqlite {

KernelRows::KernelRows(Database &database, std::int64_t run)
    : database_(database), run_(run),
      kernel_(database, "INSERT INTO kernel_runs VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
      region_(database, "INSERT INTO kernel_regions VALUES (?,?,?,?,?)"),
      warp_(database, "INSERT INTO kernel_warps VALUES (?,?,?,?,?,?,?)"),
      time_(database, "INSERT INTO kernel_times VALUES (?,?,?,?,?)") {}

void KernelRows::add(std::span<const KernelRun> runs) {
  for (const KernelRun &run : runs) {
    kernel_.number(run_)
        .text(run.kernel->kernel)
        .textIf(run.kernel->path)
        .number(static_cast<std::int64_t>(run.graph))
        .number(static_cast<std::int64_t>(run.exec))
        .number(static_cast<std::int64_t>(run.replay))
        .number(run.kernel->node)
        .numberIf(run.device >= 0, run.device)
        .numberIf(run.step >= 0, run.step)
        .number(run.cold ? 1 : 0)
        .number(run.isTwin ? 1 : 0)
        .numberIf(run.durationNs >= 0, run.durationNs)
        .textIf(run.kernel->launch)
        .run();
    const std::int64_t row = database_.lastId();
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
      const InsideOfKernel::Scope &scope = run.kernel->scopes[run.rows[i].scope];
      region_.number(row)
          .number(static_cast<std::int64_t>(i))
          .text(scope.name)
          .text(fmt::format("{}:{}", scope.file, scope.line))
          .numberIf(run.rows[i].parent != KernelRun::none, run.rows[i].parent)
          .run();
    }
    for (std::size_t i = 0; i < run.warps.size(); ++i) {
      const KernelRun::Warp &warp = run.warps[i];
      warp_.number(row)
          .number(static_cast<std::int64_t>(i))
          .number(warp.block)
          .number(warp.warp)
          .number(warp.multiprocessor)
          .number(warp.beginNs)
          .number(warp.durationNs)
          .run();
    }
    for (const KernelRun::Time &time : run.times)
      time_.number(row)
          .number(time.row)
          .number(time.warp)
          .number(time.iterations)
          .number(time.ns)
          .run();
  }
}

} // namespace graphprof::sqlite
