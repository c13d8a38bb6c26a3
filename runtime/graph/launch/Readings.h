// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From the times of one replay's boundaries to its records: its regions in capture order, and where
// a conditional node stands among them those of its bodies, one record an iteration. The harvest
// thread's; makes no CUDA call where the buffers make none.

#ifndef GRAPHPROF_GRAPH_LAUNCH_READINGS_H
#define GRAPHPROF_GRAPH_LAUNCH_READINGS_H

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "graph/timing/RegionTable.h"
#include "graphprof/record.h"

namespace graphprof {

class Session;

/// Which bodies an exec has come to so far: the first time is cold.
using WarmBodies = std::unordered_set<const RegionTable *>;

class Readings {
public:
  /// `common` is what all records of the replay share.
  Readings(const Record &common, WarmBodies &warm, Session &session)
      : common_(common), warm_(warm), session_(session) {}

  /// The regions of the replay's graph; `ran` says which iterations of its bodies were this
  /// replay's.
  void add(const RegionTable &table, std::span<const std::int64_t> times,
           std::span<const Iterations> ran) {
    addRegions(table, times, ran, common_);
  }

  [[nodiscard]] const std::vector<Record> &records() const { return records_; }
  /// The last boundary that was reached.
  [[nodiscard]] std::int64_t endNs() const { return endNs_; }

private:
  void addRegions(const RegionTable &table, std::span<const std::int64_t> times,
                  std::span<const Iterations> ran, const Record &common);
  void addIterations(const BodyTable &body, Iterations ran, std::uint32_t firstRegion);

  const Record common_;
  WarmBodies &warm_;
  Session &session_;
  std::vector<Record> records_;
  std::int64_t endNs_ = ReplayBuffer::unreached;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_READINGS_H
