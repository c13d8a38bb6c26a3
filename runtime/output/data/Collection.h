// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Keeps recordings: copies of replays' records, host spans, allocations and frees, with the names
// and context values that they refer to, each text once. Does not know what they are kept for.

#ifndef GRAPHPROF_OUTPUT_DATA_COLLECTION_H
#define GRAPHPROF_OUTPUT_DATA_COLLECTION_H

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "graphprof/host_span.h"
#include "output/data/Layouts.h"
#include "output/data/MemoryEvent.h"
#include "output/data/Replay.h"
#include "output/data/Texts.h"

namespace graphprof {

/// One thread at a time adds. After the last add() comes seal(); then any thread may read.
class Collection {
public:
  /// Adds a replay with the given records.
  void add(const Replay &replay, std::span<const Record> records);
  void add(const MemoryEvent &event);
  void add(std::span<const HostSpan> spans);
  /// Adds everything of a sealed collection that size() counts.
  void addRecords(const Collection &other);
  /// Sets what was allocated at the begin. Only the first call counts.
  void hold(std::vector<MemoryHeld> held);
  /// Joins all records and sorts the host spans. Nothing may be added afterwards.
  void seal();

  /// The number of records, allocations and frees. Host spans are counted separately.
  [[nodiscard]] std::size_t size() const { return size_ + memory_.size(); }
  /// In the order in which they were added.
  [[nodiscard]] const std::vector<MemoryEvent> &memory() const { return memory_; }
  [[nodiscard]] const std::vector<MemoryHeld> &held() const { return held_; }
  /// Sealed. In the order in which they were added; those of a replay are in capture order.
  [[nodiscard]] const std::vector<Record> &records() const { return records_; }
  [[nodiscard]] const std::vector<Replay> &replays() const { return replays_; }
  /// Sealed. Sorted by thread, then by begin; those that begin together, longest first. So a span
  /// comes after the spans that contain it.
  [[nodiscard]] const std::vector<HostSpan> &spans() const { return spans_; }

private:
  static constexpr std::size_t piece = 4096;

  std::size_t size_ = 0;
  std::deque<std::vector<Record>> pieces_; // until sealed; so growing moves no record
  std::vector<Replay> replays_;            // until sealed, their records are in pieces_
  std::vector<Record> records_;            // when sealed
  std::vector<HostSpan> spans_;
  Texts texts_;
  Layouts<const Texts::Text *> textsOf_;
  std::vector<MemoryEvent> memory_;
  std::vector<MemoryHeld> held_;
  std::unordered_set<std::string> paths_; // of memory_
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_COLLECTION_H
