// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/sqlite/SqliteKernels.h"

#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace graphprof::sqlite {

KernelRows::KernelRows(Database &database, std::int64_t run)
    : database_(database), run_(run),
      kernel_(database, "INSERT INTO kernel_runs VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?)"),
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

KernelsInTables::KernelsInTables(const ReadOnly &database, std::int64_t run)
    : kernels_(database, "SELECT id, name, path, graph, exec, replay, node, device, step, cold, "
                         "twin, duration_ns FROM kernel_runs WHERE run = ? ORDER BY id"),
      regions_(database, "SELECT region, name, source, inside FROM kernel_regions "
                         "WHERE kernel_run = ? ORDER BY region"),
      warps_(database, "SELECT number, block, warp, multiprocessor, begin_ns, duration_ns "
                       "FROM kernel_warps WHERE kernel_run = ? ORDER BY number"),
      times_(database, "SELECT region, number, iterations, duration_ns FROM kernel_times "
                       "WHERE kernel_run = ? ORDER BY number, region") {
  kernels_.of(run);
}

bool KernelsInTables::next(KernelRun &into) {
  if (!kernels_.next())
    return false;
  into = {};
  into.graph = static_cast<std::uint64_t>(kernels_.number(3));
  into.exec = static_cast<std::uint64_t>(kernels_.number(4));
  into.replay = static_cast<std::uint64_t>(kernels_.number(5));
  into.device = static_cast<int>(kernels_.number(7, -1));
  into.step = kernels_.number(8, -1);
  into.cold = kernels_.number(9) != 0;
  into.isTwin = kernels_.number(10) != 0;
  into.durationNs = kernels_.number(11, -1);
  InsideOfKernel kernel = known_.find(into.graph, static_cast<std::uint32_t>(kernels_.number(6)),
                                      kernels_.text(2), kernels_.text(1));
  readInside(kernels_.number(0), kernel, into);
  into.kernel = known_.keep(into.graph, std::move(kernel));
  return true;
}

void KernelsInTables::readInside(std::int64_t row, InsideOfKernel &kernel, KernelRun &run) {
  regions_.of(row);
  while (regions_.next()) {
    const std::int64_t around = regions_.number(3, -1);
    if (regions_.number(0) != static_cast<std::int64_t>(run.rows.size()) ||
        around >= static_cast<std::int64_t>(run.rows.size()))
      throw Unreadable{"a region inside a kernel is not in its place"};
    run.rows.push_back({ReadKernels::scopeOf(kernel, regions_.text(1), regions_.text(2)),
                        around < 0 ? KernelRun::none : static_cast<std::uint32_t>(around)});
  }
  warps_.of(row);
  while (warps_.next()) {
    if (warps_.number(0) != static_cast<std::int64_t>(run.warps.size()) || warps_.number(5) < 0)
      throw Unreadable{"a warp of a kernel is not in its place"};
    run.warps.push_back(
        {static_cast<std::uint32_t>(warps_.number(1)), static_cast<std::uint32_t>(warps_.number(2)),
         static_cast<std::uint32_t>(warps_.number(3)), warps_.number(4), warps_.number(5)});
  }
  times_.of(row);
  while (times_.next()) {
    const std::int64_t region = times_.number(0), warp = times_.number(1);
    if (region < 0 || region >= static_cast<std::int64_t>(run.rows.size()) || warp < 0 ||
        warp >= static_cast<std::int64_t>(run.warps.size()) || times_.number(3) < 0)
      throw Unreadable{"a time inside a kernel is of a region or a warp that does not exist"};
    run.times.push_back({static_cast<std::uint32_t>(region), static_cast<std::uint32_t>(warp),
                         static_cast<std::uint32_t>(times_.number(2)), times_.number(3)});
  }
}

} // namespace graphprof::sqlite
