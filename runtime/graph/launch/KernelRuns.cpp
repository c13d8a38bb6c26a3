// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/KernelRuns.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "graphprof/device/recording.h"

namespace graphprof {

namespace {

// After that the lower half of a multiprocessor's clock may have come around.
constexpr std::uint64_t mostNs = 1'000'000'000;

bool isUsable(const WarpReading &reading) {
  return reading.beyond == 0 && reading.endNs >= reading.beginNs &&
         reading.endNs - reading.beginNs < mostNs;
}

// Over all warps, because the timer's steps may be as long as a warp runs.
std::optional<double> nsOfCycle(const std::vector<WarpReading> &readings) {
  double ns = 0, cycles = 0;
  for (const WarpReading &reading : readings)
    if (isUsable(reading)) {
      ns += static_cast<double>(reading.endNs - reading.beginNs);
      cycles += reading.cycles;
    }
  return ns > 0 && cycles > 0 ? std::optional(ns / cycles) : std::nullopt;
}

// What one warp spent in each row.
class WarpTotals {
public:
  explicit WarpTotals(std::vector<KernelRun::Row> &rows) : rows_(rows) {}

  // Returns false if the entries are not begins and ends that belong together.
  bool add(const WarpReading &reading, std::size_t scopes) {
    for (const WarpReading::Entry &entry : reading.entries)
      if (entry.what == device::scopeEnd ? !end(entry.time) : entry.what >= scopes || !begin(entry))
        return false;
    return open_.empty();
  }
  struct Total {
    std::uint64_t cycles = 0;
    std::uint32_t iterations = 0;
  };
  [[nodiscard]] const std::vector<Total> &totals() const { return totals_; }

private:
  struct Open {
    std::uint32_t row;
    unsigned time;
  };
  bool begin(const WarpReading::Entry &entry) {
    const std::uint32_t parent = open_.empty() ? KernelRun::none : open_.back().row;
    const auto found = std::ranges::find_if(rows_, [&](const KernelRun::Row &row) {
      return row.scope == entry.what && row.parent == parent;
    });
    const auto row = static_cast<std::uint32_t>(found - rows_.begin());
    if (found == rows_.end())
      rows_.push_back({entry.what, parent});
    open_.push_back({row, entry.time});
    return true;
  }
  bool end(unsigned time) {
    if (open_.empty())
      return false;
    const Open ended = open_.back();
    open_.pop_back();
    totals_.resize(rows_.size());
    totals_[ended.row].cycles += time - ended.time; // modulo 2^32
    ++totals_[ended.row].iterations;
    return true;
  }

  std::vector<KernelRun::Row> &rows_;
  std::vector<Total> totals_;
  std::vector<Open> open_;
};

} // namespace

std::size_t addWarps(KernelRun &run, const std::vector<WarpReading> &readings,
                     ReplayBuffer &buffer) {
  std::size_t lost = 0;
  const std::optional<double> ratio = nsOfCycle(readings);
  for (const WarpReading &reading : readings) {
    WarpTotals totals(run.rows);
    if (!ratio || !isUsable(reading) || !totals.add(reading, run.kernel->scopes.size())) {
      lost += std::max<std::size_t>(1, (reading.beyond + 1) / 2);
      continue;
    }
    const auto ns = [&](std::uint64_t cycles) {
      return std::llround(*ratio * static_cast<double>(cycles));
    };
    const auto warp = static_cast<std::uint32_t>(run.warps.size());
    run.warps.push_back({reading.block, reading.warp, reading.multiprocessor,
                         buffer.hostNs(reading.beginNs), ns(reading.cycles)});
    for (std::uint32_t row = 0; row < totals.totals().size(); ++row)
      if (const auto &total = totals.totals()[row]; total.iterations > 0)
        run.times.push_back({row, warp, total.iterations, ns(total.cycles)});
  }
  return lost;
}

} // namespace graphprof
