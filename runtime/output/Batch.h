// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What was measured as plain data that outlives the call: replays on their way to an output that
// writes on a thread of its own. A region's name and values stand in it once, however often it is
// replayed. Knows no threads and no formats.

#ifndef GRAPHPROF_OUTPUT_BATCH_H
#define GRAPHPROF_OUTPUT_BATCH_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "output/Layouts.h"
#include "output/Output.h"

namespace graphprof {

struct Batch {
  /// A region in its place: the same name and values, at the same site, inside the same regions.
  struct Region {
    std::uint64_t id;     ///< from 1, in the order in which they were met
    std::uint64_t parent; ///< id of the region around it, smaller than its own; 0: none
    const Site *site;     ///< lives as long as the program
    std::string name;
    std::string path; ///< names from the outermost region to this one, by slashes
    int depth;
    Kind kind;
    Clock clock;
    std::vector<Value> context;
  };
  /// A record, but for what its replay and its region say.
  struct Timing {
    std::uint64_t region;    ///< id
    std::int64_t beginNs;    ///< since the Unix epoch; 0 where it was not measured
    std::int64_t durationNs; ///< -1: not measured
    std::int64_t iteration;  ///< -1: in no body
    std::int64_t step;       ///< where it is in no graph; else that of the replay
    std::uint64_t stream;    ///< likewise
    int device;              ///< likewise
    bool cold;
  };
  struct Launch {
    Replay replay; ///< without its records
    std::size_t first = 0, count = 0;
  };
  struct Memory {
    MemoryEvent event; ///< without its path
    std::string path;
  };
  /// What the program says of itself: a key and a JSON value.
  struct Note {
    std::string key, json;
  };

  /// Regions before this one are not met again.
  std::uint64_t regionsFrom = 1;
  std::vector<Region> regions; ///< those that were not met before
  std::vector<Launch> launches;
  std::vector<Timing> timings;
  std::vector<Memory> memory;
  std::vector<Note> notes;
  std::vector<std::string> remarks; ///< sentences without a full stop

  [[nodiscard]] std::span<const Timing> timingsOf(const Launch &launch) const {
    return std::span(timings).subspan(launch.first, launch.count);
  }
  [[nodiscard]] bool empty() const {
    return launches.empty() && memory.empty() && notes.empty() && remarks.empty();
  }
  /// What it weighs where records are bounded and counted.
  [[nodiscard]] std::size_t records() const { return timings.size() + memory.size(); }
};

/// Fills batches. Bounded: with too many regions it begins anew to count which were met.
class Batcher {
public:
  explicit Batcher(std::size_t maxRegions = 100'000) : maxRegions_(maxRegions) {}

  void add(const Replay &replay, Batch &batch);
  /// Makes an empty one of it, for what comes next.
  void renew(Batch &batch) const;

private:
  // What makes a region: as a record says it, and as it is kept.
  struct Seen {
    const Site *site;
    std::uint64_t parent;
    std::string_view name;
    std::span<const Value> context;
    Kind kind;
    Clock clock;
  };
  struct Kept {
    const Site *site;
    std::uint64_t parent;
    std::string name;
    std::vector<Value> context;
    Kind kind;
    Clock clock;
    std::string path;
    [[nodiscard]] Seen seen() const { return {site, parent, name, context, kind, clock}; }
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Seen &seen) const;
    std::size_t operator()(const Kept &kept) const { return (*this)(kept.seen()); }
  };
  struct Same {
    using is_transparent = void;
    static bool same(const Seen &one, const Seen &other);
    bool operator()(const Kept &one, const Kept &other) const {
      return same(one.seen(), other.seen());
    }
    bool operator()(const Seen &one, const Kept &other) const { return same(one, other.seen()); }
    bool operator()(const Kept &one, const Seen &other) const { return same(one.seen(), other); }
  };
  struct Open {
    std::uint64_t id;
    std::string_view path; // in known_, where nodes stay
  };

  void identify(const Replay &replay, Batch &batch, std::vector<std::uint64_t> &ids);

  std::size_t maxRegions_;
  std::uint64_t next_ = 1, from_ = 1; // ids
  std::unordered_map<Kept, std::uint64_t, Hash, Same> known_;
  Layouts<std::uint64_t> idsOf_;
  std::vector<Open> open_; // the regions that enclose the record at hand
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_BATCH_H
