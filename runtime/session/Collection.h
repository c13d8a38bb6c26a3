// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Replays that are kept: copies of their records, with the names and context values that these
// point to, each text once. It knows neither why they are kept nor for whom.

#ifndef GRAPHPROF_SESSION_COLLECTION_H
#define GRAPHPROF_SESSION_COLLECTION_H

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "output/Output.h"
#include "output/data/Layouts.h"
#include "output/data/Texts.h"

namespace graphprof {

/// One thread at a time adds; seal() comes behind the last add(), and then any thread may look.
class Collection {
public:
  /// Adds a replay and those of its records that are given.
  void add(const Replay &replay, std::span<const Record> records);
  void add(const MemoryEvent &event);
  /// The same for all of another one, which is sealed.
  void add(const Collection &other);
  /// What was allocated when it began; the first time counts.
  void hold(std::vector<MemoryHeld> held);
  /// Puts all records in one place. Nothing is added afterwards.
  void seal();

  /// How many records, allocations and frees were added.
  [[nodiscard]] std::size_t size() const { return size_ + memory_.size(); }
  /// Allocations and frees, in the order in which they were added.
  [[nodiscard]] const std::vector<MemoryEvent> &memory() const { return memory_; }
  [[nodiscard]] const std::vector<MemoryHeld> &held() const { return held_; }
  /// Sealed: in the order in which they were added, those of a replay in capture order.
  [[nodiscard]] const std::vector<Record> &records() const { return records_; }
  [[nodiscard]] const std::vector<Replay> &replays() const { return replays_; }

private:
  static constexpr std::size_t piece = 4096;

  std::size_t size_ = 0;
  std::deque<std::vector<Record>> pieces_; // until sealed, so that growing moves no record
  std::vector<Replay> replays_;            // until sealed, their spans lie in pieces_
  std::vector<Record> records_;            // once sealed
  Texts texts_;
  Layouts<const Texts::Text *> textsOf_;
  std::vector<MemoryEvent> memory_;
  std::vector<MemoryHeld> held_;
  std::unordered_set<std::string> paths_; // of memory_
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_COLLECTION_H
