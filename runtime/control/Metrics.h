// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Sums of what is recorded, kept in the process for those who ask for them from time to time
// (`graphprof exporter`, `top`): of each place in the source and each graph a count, a sum and
// quantiles. An output like any other, attached only while somebody listens. Does
// not know sockets.
//
// A place is the path of sites around a region, without the numbers in their names: all layers of a
// model are one. So there are few. What is beyond a bound is counted, and shown as that. Layers may
// be of different lengths, so a median of all their executions would tell which ones came last, or
// how many are how long. Each has a median of its own, and their place the mean of these.

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

/// Quantiles of what came in the last minute or two, off by at most 4 %.
class RecentQuantiles {
public:
  void add(std::int64_t ns, std::int64_t nowNs);
  /// The q-quantile; -1 if nothing came.
  [[nodiscard]] double quantileNs(double q, std::int64_t nowNs) const;

  static constexpr std::int64_t halfNs = 60'000'000'000; ///< of two halves, the older one goes

private:
  // Each is 2^(1/10) times, 7.2 %, wider than the one before, from 128 ns to 137 s.
  static constexpr std::size_t bucketsOfOctave = 10, octaves = 30, firstOctave = 7;
  using Counts = std::array<std::uint32_t, bucketsOfOctave * octaves>;
  /// Which of the halves still count at that time.
  [[nodiscard]] bool newerCounts(std::int64_t nowNs) const { return nowNs - sinceNs_ < 2 * halfNs; }
  [[nodiscard]] bool olderCounts(std::int64_t nowNs) const { return nowNs - sinceNs_ < halfNs; }

  Counts newer_{}, older_{};
  std::int64_t sinceNs_ = 0; // the newer half
};

/// How long something took, of many executions. Warm ones only (ByWarmth.h).
struct Durations {
  void add(std::int64_t ns, std::int64_t nowNs);

  std::uint64_t count = 0, cold = 0, notMeasured = 0;
  std::int64_t sumNs = 0;
  RecentQuantiles recent;
};

/// How long a region was busy, and the gaps behind it: of each warm execution that which is known
/// of it by then (graph/launch/BusyTimes.h). Sums over executions, as of durations, so that the
/// means of both are of the same mixture of graphs. (Elsewhere the newest of each region counts,
/// BusyFigures.h.)
struct BusySums {
  void add(const Batch::Busy &busy);

  std::uint64_t count = 0, gapCount = 0; ///< executions of which it is known
  std::int64_t sumNs = 0, gapSumNs = 0;
};

/// The last executions of one region, by its whole name.
class LastExecutions {
public:
  static constexpr std::size_t most = 32;

  /// `ns` is negative if it was not measured.
  void add(std::int64_t ns, const Batch::Busy &busy, std::int64_t nowNs);

  std::int64_t newestNs = 0; ///< when the newest came
  Batch::Busy busy;          ///< what was known by the newest
  /// Oldest first.
  [[nodiscard]] std::vector<std::int64_t> durations() const;

private:
  std::array<std::int64_t, most> last_{}; // a ring
  std::uint64_t count_ = 0;
};

/// Any thread may call any member. The harvest thread waits while somebody copies the sums, well
/// below a millisecond.
class Metrics {
public:
  static constexpr std::size_t mostPlaces = 500, mostGraphs = 256, mostLayers = 4'096;

  [[nodiscard]] static std::int64_t nowNs();
  /// Adds what was recorded, at nowNs().
  void add(const Batch &batch, std::int64_t nowNs) EXCLUDES(mutex_);
  /// The sums at nowNs(), as members of a JSON object without its braces. `launches`: of each
  /// graph.
  [[nodiscard]] std::string json(const LaunchCounts &launches, std::int64_t nowNs) const
      EXCLUDES(mutex_);

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
    std::vector<LastExecutions> layers;
  };
  /// Graphs of one name, or one without a name.
  struct Graph {
    std::uint64_t number; ///< the first one's
    std::string name;     ///< what they serve; empty: no name
    int device;
    Durations durations;
  };
  /// Of a region of the batches.
  struct Placed {
    std::size_t place, outermost;                    ///< none: beyond the bound
    std::string path;                                ///< with numbers
    std::vector<std::pair<int, std::size_t>> layers; ///< of its place's row, by device
  };

  Placed placed(const Batch::Region &region) REQUIRES(mutex_);
  std::size_t rowOf(std::size_t place, int device) REQUIRES(mutex_);
  /// Null: beyond the bound.
  LastExecutions *layerOf(Placed &placed, std::size_t row, int device) REQUIRES(mutex_);
  void add(const Batch &batch, const Batch::Launch &launch, std::int64_t nowNs) REQUIRES(mutex_);
  void addReplay(const Replay &replay, std::int64_t nowNs) REQUIRES(mutex_);

  mutable Mutex mutex_;
  ById<Placed> placed_ GUARDED_BY(mutex_);
  std::map<std::string, std::size_t, std::less<>> byKey_ GUARDED_BY(mutex_); // a place's
  std::vector<Place> places_ GUARDED_BY(mutex_);
  std::vector<Row> rows_ GUARDED_BY(mutex_); // at most mostPlaces
  std::map<std::pair<std::string, int>, Graph> graphs_ GUARDED_BY(mutex_);
  std::map<std::pair<std::size_t, std::string>, std::size_t>
      layers_ GUARDED_BY(mutex_);          // by row and path: which of the row's
  ReplayShares shares_ GUARDED_BY(mutex_); // by row
  std::uint64_t otherRecords_ GUARDED_BY(mutex_) = 0, otherReplays_ GUARDED_BY(mutex_) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_CONTROL_METRICS_H
