// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What was recorded, kept: copies of replays' records, host spans, allocations and frees, with the
// names and context values that these point to, each text once. It knows neither why they are kept
// nor for whom.

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

/// One thread at a time adds; seal() comes behind the last add(), and then any thread may look.
class Collection {
public:
  /// Adds a replay and those of its records that are given.
  void add(const Replay &replay, std::span<const Record> records);
  void add(const MemoryEvent &event);
  void add(std::span<const HostSpan> spans);
  /// The same for all of another one that size() counts, which is sealed.
  void addRecords(const Collection &other);
  /// What was allocated when it began; the first time counts.
  void hold(std::vector<MemoryHeld> held);
  /// Puts all records in one place, and host spans in order. Nothing is added afterwards.
  void seal();

  /// How many records, allocations and frees were added; host spans are counted apart.
  [[nodiscard]] std::size_t size() const { return size_ + memory_.size(); }
  /// Allocations and frees, in the order in which they were added.
  [[nodiscard]] const std::vector<MemoryEvent> &memory() const { return memory_; }
  [[nodiscard]] const std::vector<MemoryHeld> &held() const { return held_; }
  /// Sealed: in the order in which they were added, those of a replay in capture order.
  [[nodiscard]] const std::vector<Record> &records() const { return records_; }
  [[nodiscard]] const std::vector<Replay> &replays() const { return replays_; }
  /// Sealed: thread by thread, each thread's by their begin, of those that begin together the
  /// longest first: what contains a span stands before it.
  [[nodiscard]] const std::vector<HostSpan> &spans() const { return spans_; }

private:
  static constexpr std::size_t piece = 4096;

  std::size_t size_ = 0;
  std::deque<std::vector<Record>> pieces_; // until sealed, so that growing moves no record
  std::vector<Replay> replays_;            // until sealed, their spans lie in pieces_
  std::vector<Record> records_;            // once sealed
  std::vector<HostSpan> spans_;
  Texts texts_;
  Layouts<const Texts::Text *> textsOf_;
  std::vector<MemoryEvent> memory_;
  std::vector<MemoryHeld> held_;
  std::unordered_set<std::string> paths_; // of memory_
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_COLLECTION_H
