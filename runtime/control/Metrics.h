// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Sums of what is recorded, kept in the process for those who ask for them from time to time
// (`graphprof exporter`, `top`): of each place in the source and each graph a count, a sum and a
// histogram of fixed buckets. An output like any other, attached only while somebody listens. Does
// not know sockets.
//
// A place is the path of sites around a region, without the numbers in their names: all layers of a
// model are one. So there are few. What is beyond a bound is counted, and shown as that.

#ifndef GRAPHPROF_CONTROL_METRICS_H
#define GRAPHPROF_CONTROL_METRICS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Mutex.h"
#include "output/Output.h"
#include "output/data/ById.h"
#include "output/statistics/ReplayShares.h"
#include "services/LaunchCounts.h"

namespace graphprof {

/// How long something took, of many executions. Warm ones only (ByWarmth.h).
class Durations {
public:
  /// The upper bounds of the buckets, in nanoseconds. Above the last one there is one more.
  static constexpr std::array<std::int64_t, 23> bounds = {
      500,         1'000,         2'000,         5'000,         10'000,        20'000,
      50'000,      100'000,       200'000,       500'000,       1'000'000,     2'000'000,
      5'000'000,   10'000'000,    20'000'000,    50'000'000,    100'000'000,   200'000'000,
      500'000'000, 1'000'000'000, 2'000'000'000, 5'000'000'000, 10'000'000'000};
  /// Of how many of the last ones there are a median and others.
  static constexpr std::size_t recent = 64;

  void add(std::int64_t ns);

  std::uint64_t count = 0, cold = 0, notMeasured = 0;
  std::int64_t sumNs = 0;
  std::array<std::uint64_t, bounds.size() + 1> buckets{}; ///< not cumulative

  /// The last ones, oldest first.
  [[nodiscard]] std::vector<std::int64_t> last() const;

private:
  std::array<std::int64_t, recent> last_{}; // a ring; the next one goes to count % recent
};

/// How long a region was busy, and the gaps behind it: of each warm execution that which is known
/// of it by then (graph/launch/BusyTimes.h). Sums over executions, as of durations, so that the
/// means of both are of the same mixture of graphs. (Elsewhere the newest of each region counts,
/// BusyFigures.h.)
class BusySums {
public:
  void add(const Batch::Busy &busy);

  std::uint64_t count = 0, gapCount = 0; ///< executions of which it is known
  std::int64_t sumNs = 0, gapSumNs = 0;

  /// What is known of the last executions (Durations::recent).
  [[nodiscard]] std::vector<std::int64_t> lastBusy() const { return known(lastBusy_); }
  [[nodiscard]] std::vector<std::int64_t> lastGaps() const { return known(lastGaps_); }

private:
  using Last = std::array<std::int64_t, Durations::recent>; // rings; -1: not known
  [[nodiscard]] std::vector<std::int64_t> known(const Last &last) const;
  Last lastBusy_{}, lastGaps_{};
  std::uint64_t executions_ = 0;
};

/// Any thread may call any member. The harvest thread waits while somebody copies the sums, well
/// below a millisecond.
class Metrics {
public:
  static constexpr std::size_t mostPlaces = 500, mostGraphs = 256;

  /// Adds what was recorded.
  void add(const Batch &batch) EXCLUDES(mutex_);
  /// The sums, as members of a JSON object without its braces. `launches`: of each graph.
  [[nodiscard]] std::string json(const LaunchCounts &launches) const EXCLUDES(mutex_);

  /// An output that fills `metrics`.
  [[nodiscard]] static std::unique_ptr<Output> output(std::shared_ptr<Metrics> metrics);

private:
  static constexpr std::size_t none = SIZE_MAX;
  struct Place {
    std::string path, name, source;
    Kind kind;
    Clock clock;
    std::vector<std::pair<int, std::size_t>> rows; // by device; few
  };
  struct Row {
    std::size_t place;
    int device;
    Durations durations;
    BusySums busy;
  };
  struct Graph {
    std::uint64_t number;
    int device;
    Durations durations;
  };
  /// Of a region of the batches.
  struct Placed {
    std::size_t place, outermost; ///< none: beyond the bound
  };

  Placed placed(const Batch::Region &region) REQUIRES(mutex_);
  std::size_t rowOf(std::size_t place, int device) REQUIRES(mutex_);
  void add(const Batch &batch, const Batch::Launch &launch) REQUIRES(mutex_);
  void addReplay(const Replay &replay) REQUIRES(mutex_);

  mutable Mutex mutex_;
  ById<Placed> placed_ GUARDED_BY(mutex_);
  std::map<std::string, std::size_t, std::less<>> byKey_ GUARDED_BY(mutex_); // a place's
  std::vector<Place> places_ GUARDED_BY(mutex_);
  std::vector<Row> rows_ GUARDED_BY(mutex_); // at most mostPlaces
  std::map<std::pair<std::uint64_t, int>, Graph> graphs_ GUARDED_BY(mutex_);
  ReplayShares shares_ GUARDED_BY(mutex_); // by row
  std::uint64_t otherRecords_ GUARDED_BY(mutex_) = 0, otherReplays_ GUARDED_BY(mutex_) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_CONTROL_METRICS_H
