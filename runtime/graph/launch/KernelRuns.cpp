// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/KernelRuns.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "graphprof/device/recording.h"

namespace graphprof {

namespace {

// After that the lower half of a multiprocessor's clock may have come around.
constexpr std::uint64_t mostNs = 1'000'000'000;

bool isUsable(const WarpReading &reading) {
  return reading.beyond == 0 && reading.endNs >= reading.beginNs &&
         reading.endNs - reading.beginNs < mostNs;
}

// Of a warp that is left out as a whole.
std::size_t timesIn(const WarpReading &reading) {
  return std::max<std::size_t>(1, (reading.beyond + 1) / 2);
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

// What one warp spent in each row, and when.
class WarpTotals {
public:
  WarpTotals(std::vector<KernelRun::Row> &rows, bool withSpans)
      : rows_(rows), mostSpans_(withSpans ? KernelRun::mostSpansOfWarp : 0) {}

  // Returns false if the entries are not begins and ends that belong together.
  bool add(const WarpReading &reading, std::size_t scopes) {
    for (const WarpReading::Entry &entry : reading.entries) {
      const unsigned time = entry.time - reading.beginClock; // modulo 2^32
      if (entry.what == device::scopeEnd ? !end(time)
                                         : entry.what >= scopes || !begin(entry.what, time))
        return false;
    }
    return open_.empty();
  }
  struct Total {
    std::uint64_t cycles = 0;
    std::uint32_t iterations = 0;
  };
  [[nodiscard]] const std::vector<Total> &totals() const { return totals_; }
  struct Span {
    std::uint32_t row;
    unsigned begin, end; // in cycles since the warp's begin
  };
  [[nodiscard]] const std::vector<Span> &spans() const { return spans_; }

private:
  struct Open {
    std::uint32_t row;
    unsigned time;
    std::size_t span; // its place, if it is kept
  };
  bool begin(unsigned scope, unsigned time) {
    const std::uint32_t parent = open_.empty() ? KernelRun::none : open_.back().row;
    const auto found = std::ranges::find_if(rows_, [&](const KernelRun::Row &row) {
      return row.scope == scope && row.parent == parent;
    });
    const auto row = static_cast<std::uint32_t>(found - rows_.begin());
    if (found == rows_.end())
      rows_.push_back({scope, parent});
    open_.push_back({row, time, spans_.size()});
    if (spans_.size() < mostSpans_)
      spans_.push_back({row, time, time});
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
    if (ended.span < mostSpans_)
      spans_[ended.span].end = time;
    return true;
  }

  std::vector<KernelRun::Row> &rows_;
  const std::size_t mostSpans_;
  std::vector<Total> totals_;
  std::vector<Open> open_;
  std::vector<Span> spans_; // in the order of their begins
};

// Turns readings into warps of a run.
class WarpAdder {
public:
  WarpAdder(KernelRun &run, ReplayBuffer &buffer, double nsOfCycle, bool withSpans)
      : run_(run), buffer_(buffer), nsOfCycle_(nsOfCycle), withSpans_(withSpans) {}

  // Those of one block. Returns how many times are lost.
  std::size_t add(std::span<const WarpReading> block) {
    // Each timer value is of its warp's begin or of up to a step before.
    std::optional<std::int64_t> beginNs; // where the first one's clock was read
    for (const WarpReading &reading : block)
      if (isUsable(reading)) {
        const auto ns = static_cast<std::int64_t>(reading.beginNs) - behind(block, reading);
        beginNs = beginNs ? std::max(*beginNs, ns) : ns;
      }
    std::size_t lost = 0;
    for (const WarpReading &reading : block) {
      WarpTotals totals(run_.rows, withSpans_);
      if (!beginNs || !isUsable(reading) || !totals.add(reading, run_.kernel->scopes.size()))
        lost += timesIn(reading);
      else
        add(reading, *beginNs + behind(block, reading), totals);
    }
    return lost;
  }
  [[nodiscard]] std::vector<KernelRun::Span> takeSpans() { return std::move(spans_); }

private:
  [[nodiscard]] std::int64_t ns(std::uint64_t cycles) const {
    return std::llround(nsOfCycle_ * static_cast<double>(cycles));
  }
  // How long after the first one of its block a warp began.
  [[nodiscard]] std::int64_t behind(std::span<const WarpReading> block,
                                    const WarpReading &reading) const {
    const auto cycles = static_cast<std::int32_t>(reading.beginClock - block.front().beginClock);
    return cycles < 0 ? -ns(static_cast<std::uint64_t>(-std::int64_t{cycles}))
                      : ns(static_cast<std::uint64_t>(cycles));
  }
  void add(const WarpReading &reading, std::int64_t beginNs, const WarpTotals &totals) {
    const auto warp = static_cast<std::uint32_t>(run_.warps.size());
    const std::int64_t durationNs = ns(reading.cycles);
    run_.warps.push_back({reading.block, reading.warp, reading.multiprocessor,
                          buffer_.hostNs(static_cast<std::uint64_t>(beginNs)), durationNs});
    for (std::uint32_t row = 0; row < totals.totals().size(); ++row)
      if (const auto &total = totals.totals()[row]; total.iterations > 0)
        run_.times.push_back({row, warp, total.iterations, ns(total.cycles)});
    for (const WarpTotals::Span &span : totals.spans()) {
      const std::int64_t from = std::min(ns(span.begin), durationNs),
                         to = std::min(ns(span.end), durationNs);
      spans_.push_back({span.row, warp, static_cast<std::uint32_t>(from),
                        static_cast<std::uint32_t>(std::max(from, to) - from)});
    }
  }

  KernelRun &run_;
  ReplayBuffer &buffer_;
  const double nsOfCycle_;
  const bool withSpans_;
  std::vector<KernelRun::Span> spans_;
};

} // namespace

std::size_t addWarps(KernelRun &run, const std::vector<WarpReading> &readings, ReplayBuffer &buffer,
                     bool withSpans) {
  // Without a ratio no reading is usable.
  WarpAdder adder(run, buffer, nsOfCycle(readings).value_or(0), withSpans);
  std::size_t lost = 0;
  for (auto first = readings.begin(); first != readings.end();) {
    const auto last = std::find_if(
        first, readings.end(), [&](const WarpReading &each) { return each.block != first->block; });
    lost += adder.add(std::span(first, last));
    first = last;
  }
  if (withSpans)
    run.spans = std::make_shared<const std::vector<KernelRun::Span>>(adder.takeSpans());
  return lost;
}

} // namespace graphprof
