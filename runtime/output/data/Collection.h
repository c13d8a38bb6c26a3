// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Keeps recordings: the records of batches, host spans, allocations and frees, with the names and
// context values that they refer to, each text once. Does not know what they are kept for.

#ifndef GRAPHPROF_OUTPUT_DATA_COLLECTION_H
#define GRAPHPROF_OUTPUT_DATA_COLLECTION_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graphprof/host_span.h"
#include "output/data/Batch.h"
#include "output/data/BatchView.h"
#include "output/data/MemoryEvent.h"
#include "output/data/Replay.h"

namespace graphprof {

/// One thread at a time adds. After the last add() comes seal(); then any thread may read.
class Collection {
public:
  /// Adds a replay with `timings`, which are its own in a batch that `view` has taken last.
  void add(const BatchView &view, const Replay &replay, std::span<const Batch::Timing> timings);
  /// Adds a host span of such a batch. `name`: instead of its own, if not empty.
  void add(const BatchView &view, const Batch::Span &span, std::string_view name = {});
  void add(const MemoryEvent &event);
  /// Add everything of a sealed collection that size() counts, and its host spans.
  void addRecords(const Collection &other);
  void addSpans(const Collection &other);
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
  struct Text {
    std::string name;
    std::vector<Value> context;
  };
  // By the ids of batches, which are never used again; nothing in them moves.
  struct Texts {
    std::unordered_map<std::uint64_t, Text> regions, acts;
    std::unordered_set<std::string> others; // names of threads and steps, paths of memory_
  };

  // The text of a region or an act.
  template <class Thing>
  static const Text &textOf(std::unordered_map<std::uint64_t, Text> &texts, std::uint64_t id,
                            const Thing &thing);
  std::vector<Record> &roomFor(std::size_t records);
  void shareTexts(const Collection &other);

  std::size_t size_ = 0;
  std::deque<std::vector<Record>> pieces_; // until sealed; so growing moves no record
  std::vector<Replay> replays_;            // until sealed, their records are in pieces_
  std::vector<Record> records_;            // when sealed
  std::vector<HostSpan> spans_;
  std::shared_ptr<Texts> texts_ = std::make_shared<Texts>();
  std::vector<std::shared_ptr<const Texts>> textsOfOthers_; // that were added to this one
  std::vector<MemoryEvent> memory_;
  std::vector<MemoryHeld> held_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_COLLECTION_H
