// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How much memory of a device was allocated at each time, by kind, and which blocks were there at
// the peak. Bounded, and says what was left out. Every number is one that a recording says: the
// bytes of a kind after an allocation or a free.

#ifndef GRAPHPROF_TOOL_HTML_KEPTMEMORY_H
#define GRAPHPROF_TOOL_HTML_KEPTMEMORY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "output/data/Batch.h"
#include "output/data/MemoryEvent.h"
#include "recordings/Recordings.h"

namespace graphprof {

class MemoryOverTime {
public:
  static constexpr std::size_t kinds = 5; ///< MemoryKind's, with its numbers
  using Sizes = std::array<std::int64_t, kinds>;
  /// What was allocated from a time on.
  struct State {
    std::int64_t atNs = 0; ///< since the Unix epoch
    Sizes bytes{};
    [[nodiscard]] std::int64_t total() const;
  };
  /// Neighbours: the state in which the most was allocated, and the last one.
  struct Bin {
    State most, last;
    std::uint64_t events = 0;
  };

  explicit MemoryOverTime(std::size_t mostBins) : most_(mostBins) {}
  /// In the order of their times.
  void add(const MemoryEvent &event);

  [[nodiscard]] const std::vector<Bin> &bins() const { return bins_; }
  [[nodiscard]] const State &peak() const { return peak_; }
  /// Which event, from 1, it was behind.
  [[nodiscard]] std::uint64_t peakEvent() const { return peakEvent_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t perBin() const { return perBin_; }
  /// Of which there was an allocation or a free.
  [[nodiscard]] bool has(MemoryKind kind) const { return seen_[static_cast<std::size_t>(kind)]; }

private:
  const std::size_t most_;
  std::uint64_t perBin_ = 1, events_ = 0, peakEvent_ = 0;
  std::vector<Bin> bins_;
  std::array<bool, kinds> seen_{};
  State now_, peak_;
};

/// Puts the allocations and frees of several threads into the order of their times, as far as it
/// sees: they come a little out of order.
class MemoryInOrder {
public:
  /// Those before take(event, path) are given, if there are many.
  template <class Take> void add(const Batch &batch, Take take) {
    waiting_.insert(waiting_.end(), batch.memory.begin(), batch.memory.end());
    if (waiting_.size() >= many)
      give(waiting_.size() / 2, take);
  }
  template <class Take> void finish(Take take) { give(waiting_.size(), take); }

private:
  static constexpr std::size_t many = 32'768;
  void sort();
  template <class Take> void give(std::size_t count, Take take) {
    sort();
    for (std::size_t i = 0; i < count; ++i)
      take(waiting_[i]);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  std::vector<Batch::Memory> waiting_;
};

/// By run, in the order in which runs are read, and device; -1: the host's.
using MemoryPlace = std::pair<std::size_t, int>;

class KeptMemory {
public:
  KeptMemory(std::size_t mostPlaces, std::size_t mostBins) : most_(mostPlaces), bins_(mostBins) {}
  void beginRun();
  void add(const Batch &batch);
  void finish();

  [[nodiscard]] const std::map<MemoryPlace, MemoryOverTime> &places() const { return places_; }
  /// Allocations and frees of devices for which there was no room.
  [[nodiscard]] std::uint64_t leftOut() const { return leftOut_; }

private:
  void take(const Batch::Memory &memory);

  const std::size_t most_, bins_;
  std::size_t run_ = SIZE_MAX;
  MemoryInOrder order_;
  std::map<MemoryPlace, MemoryOverTime> places_;
  std::uint64_t leftOut_ = 0;
};

/// The blocks that are there at a device's peak: reads the recordings again, up to the peak.
class BlocksAtPeak : public RecordingsListener {
public:
  struct Block {
    std::int64_t bytes;
    std::uint64_t address;
    std::int64_t timeNs; ///< since the Unix epoch
    std::int64_t step;   ///< -1: none
    MemoryKind kind;
    std::string path; ///< of the regions in which it was allocated; empty: none
  };
  struct Blocks {
    std::vector<Block> largest; ///< the largest first
    std::size_t more = 0;       ///< of the others: how many, and their bytes
    std::int64_t moreBytes = 0;
    std::int64_t unseenBytes = 0; ///< of the peak: whose allocations are not in the recording
    bool known = true;            ///< false: more blocks than can be followed
  };

  BlocksAtPeak(const std::map<MemoryPlace, MemoryOverTime> &places, std::size_t mostBlocks);

  void file(const std::string & /*path*/) override {}
  void begin(const Run &run) override;
  void add(const Batch &batch) override;
  void end(const RecordedEnd &end) override;

  /// Null: not read.
  [[nodiscard]] const Blocks *of(const MemoryPlace &place) const {
    const auto found = blocks_.find(place);
    return found == blocks_.end() ? nullptr : &found->second;
  }

private:
  struct Following {
    std::int64_t peakBytes = 0;
    std::uint64_t left = 0;                        // events up to the peak
    std::unordered_map<std::uint64_t, Block> live; // by address
    bool known = true;
  };
  void take(const Batch::Memory &memory);
  [[nodiscard]] Blocks largest(const Following &of) const;

  const std::size_t most_;
  std::size_t run_ = SIZE_MAX;
  MemoryInOrder order_;
  std::map<MemoryPlace, Following> following_;
  std::map<MemoryPlace, Blocks> blocks_;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_HTML_KEPTMEMORY_H
