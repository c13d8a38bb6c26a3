// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Turns the times of one replay's boundaries into records: its regions in capture order and, at the
// place of a conditional node, those of its bodies, one record for each iteration. Used by the
// harvest thread. Makes no CUDA call unless the buffers do.

#ifndef GRAPHPROF_GRAPH_LAUNCH_RECORDBUILDER_H
#define GRAPHPROF_GRAPH_LAUNCH_RECORDBUILDER_H

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "graph/timing/RegionTable.h"
#include "graphprof/record.h"

namespace graphprof {

class Services;

/// The bodies that an exec has run so far. A replay that runs another one is cold.
using WarmBodies = std::unordered_set<const RegionTable *>;

/// How long `region`, of `table`, took among these times of the boundaries, in ns; -1: not
/// measured.
[[nodiscard]] std::int64_t durationOf(const RegionTable &table, const Region &region,
                                      std::span<const std::int64_t> times);

class RecordBuilder {
public:
  /// All records of the replay share `common`, in which the replay is cold if it is the first.
  RecordBuilder(const Record &common, WarmBodies &warm, Services &services)
      : common_(common), warm_(warm), services_(services), cold_(common.cold) {}

  /// Adds the regions of the replay's graph. `ran` tells which iterations of its bodies belong to
  /// this replay.
  void add(const RegionTable &table, std::span<const std::int64_t> times,
           std::span<const Iterations> ran) {
    addRegions(table, times, ran, common_);
    for (Record &record : records_)
      record.cold = cold_;
  }

  /// Makes everything begin that much later. Durations stay.
  void move(std::int64_t ns) {
    for (Record &record : records_)
      record.begin_ns += record.measured() ? ns : 0;
  }
  [[nodiscard]] std::vector<Record> &records() { return records_; }
  /// Whether any of its code ran for the first time, at least that of one body. Then all of the
  /// replay is cold: what is around the body waited for it. The one place that decides this.
  [[nodiscard]] bool cold() const { return cold_; }
  /// When the last node ended, of those before boundaries that were reached.
  [[nodiscard]] std::int64_t endNs() const { return endNs_; }

private:
  void addRegions(const RegionTable &table, std::span<const std::int64_t> times,
                  std::span<const Iterations> ran, const Record &common);
  void addIterations(const BodyTable &body, Iterations ran, std::uint32_t firstRegion);

  const Record common_;
  WarmBodies &warm_;
  Services &services_;
  bool cold_;
  std::vector<Record> records_;
  std::int64_t endNs_ = ReplayBuffer::unreached;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_RECORDBUILDER_H
