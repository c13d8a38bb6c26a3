// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What ran inside kernels, of a binary file.

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "output/formats/binary/Binary.h"
#include "output/formats/binary/BinaryReading.h"

namespace graphprof::binary {

namespace {

// A number that must be less than `behind`.
std::uint32_t below(Parts &parts, std::uint64_t behind, bool &good) {
  const std::uint64_t number = parts.number();
  good = good && number < behind;
  return static_cast<std::uint32_t>(number);
}

} // namespace

bool Reading::kernel(Parts &parts) {
  constexpr std::uint64_t any = std::numeric_limits<std::uint32_t>::max();
  const std::string_view name = parts.text(), path = parts.text();
  bool good = true;
  const std::uint32_t node = below(parts, any, good);
  KernelRun run;
  run.graph = parts.number();
  run.exec = parts.number();
  run.replay = parts.number();
  run.device = parts.small(parts.fromMinusOne());
  run.step = parts.fromMinusOne();
  const std::uint64_t flags = parts.number();
  run.cold = (flags & ColdRun) != 0;
  run.isTwin = (flags & IsTwin) != 0;
  run.durationNs = parts.durationNs();
  if (!parts.good() || !good)
    return false;
  InsideOfKernel inside = kernels_.find(run.graph, node, path, name);
  if (!insideOf(parts, inside, run))
    return false;
  if (parts.left() > 0)
    inside.launch = parts.text();
  run.kernel = kernels_.keep(run.graph, std::move(inside));
  batch_.kernelRuns.push_back(std::move(run));
  return true;
}

bool Reading::insideOf(Parts &parts, InsideOfKernel &kernel, KernelRun &run) {
  constexpr std::uint64_t any = std::numeric_limits<std::uint32_t>::max();
  bool good = true;
  // Each thing takes a byte at least.
  const auto count = [&] {
    const std::uint64_t things = parts.number();
    good = good && things <= parts.left();
    return good ? things : 0;
  };
  for (std::uint64_t i = 0, rows = count(); i < rows && good && parts.good(); ++i) {
    const std::string_view name = parts.text(), file = parts.text();
    const int line = parts.small(parts.difference());
    const std::int64_t around = parts.fromMinusOne();
    good = around < static_cast<std::int64_t>(i);
    run.rows.push_back({ReadKernels::scopeOf(kernel, name, fmt::format("{}:{}", file, line)),
                        around < 0 ? KernelRun::none : static_cast<std::uint32_t>(around)});
  }
  std::int64_t beginNs = 0;
  for (std::uint64_t i = 0, warps = count(); i < warps && good && parts.good(); ++i) {
    KernelRun::Warp &warp = run.warps.emplace_back();
    warp.block = below(parts, any, good);
    warp.warp = below(parts, any, good);
    warp.multiprocessor = below(parts, any, good);
    warp.beginNs = beginNs = parts.timeNs(beginNs);
    warp.durationNs = parts.durationNs();
    good = good && warp.durationNs >= 0;
  }
  for (std::uint64_t i = 0, times = count(); i < times && good && parts.good(); ++i) {
    KernelRun::Time &time = run.times.emplace_back();
    time.row = below(parts, run.rows.size(), good);
    time.warp = below(parts, run.warps.size(), good);
    time.iterations = below(parts, any, good);
    time.ns = parts.durationNs();
    good = good && time.ns >= 0;
  }
  return good && parts.good();
}

} // namespace graphprof::binary
