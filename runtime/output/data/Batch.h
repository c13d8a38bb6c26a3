// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What was measured as plain data: replays, host spans, allocations and frees on their way from the
// session to every output. A region's name and values stand in it once, however often it is
// replayed, and so do those of what threads did. Knows no threads and no formats.

#ifndef GRAPHPROF_OUTPUT_DATA_BATCH_H
#define GRAPHPROF_OUTPUT_DATA_BATCH_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graphprof/host_span.h"
#include "output/data/InternTable.h"
#include "output/data/Layouts.h"
#include "output/data/MemoryEvent.h"
#include "output/data/Replay.h"

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
    bool cold : 1;
    Ends ends : 1;
    std::uint32_t ofGraph : 30; ///< Record::region
  };
  struct Launch {
    Replay replay; ///< without its records
    std::size_t first = 0, count = 0;
  };
  /// What host spans share that are of the same: kind, name and values, at the same site.
  struct Act {
    std::uint64_t id; ///< from 1, in the order in which they were met
    HostKind kind;
    bool captured;
    const Site *site; ///< lives as long as the program; or null
    std::string name;
    std::vector<Value> context;
  };
  struct Thread {
    std::uint64_t id;     ///< from 1, in the order in which they were met
    std::uint64_t number; ///< the kernel's, which may be another thread's later
    std::string name;
  };
  /// A host span, but for what its act and its thread say.
  struct Span {
    std::uint64_t act, thread; ///< ids
    std::int64_t beginNs, endNs, step;
    std::uint64_t graph, exec, replay; ///< of a launch
    std::uint64_t bytes;               ///< of a copy
    int device;                        ///< of a copy; -1: not known
  };
  struct Memory {
    MemoryEvent event; ///< without its path
    std::string path;
  };
  /// What the program says of itself: a key and a JSON value.
  struct Note {
    std::string key, json;
  };

  /// What the session made it of: for outputs that hand on the very records (Output::Wants). Valid
  /// during the call in which the session hands it on; in all other batches there is nothing here.
  struct Source {
    const Replay *replay = nullptr;
    std::span<const HostSpan> spans;
  };

  /// Of each the least id: those before are not met again.
  std::uint64_t regionsFrom = 1, actsFrom = 1, threadsFrom = 1;
  /// Those that its reader has not met yet, and maybe others before them: ids follow each other.
  std::vector<Region> regions;
  std::vector<Act> acts;       ///< likewise
  std::vector<Thread> threads; ///< likewise
  std::vector<Launch> launches;
  std::vector<Timing> timings;
  std::vector<Span> spans; ///< those of a thread in the order in which they ended
  std::vector<Memory> memory;
  std::vector<Note> notes;
  std::vector<std::string> remarks; ///< sentences without a full stop
  Source source;

  [[nodiscard]] std::span<const Timing> timingsOf(const Launch &launch) const {
    return std::span(timings).subspan(launch.first, launch.count);
  }
  /// Empties it but for regions, acts and threads.
  void clearRecords() {
    launches.clear();
    timings.clear();
    spans.clear();
    memory.clear();
    notes.clear();
    remarks.clear();
    source = {};
  }
  [[nodiscard]] bool empty() const {
    return launches.empty() && spans.empty() && memory.empty() && notes.empty() && remarks.empty();
  }
  /// What it weighs where records are bounded and counted.
  [[nodiscard]] std::size_t records() const {
    return timings.size() + spans.size() + memory.size();
  }
};

/// Those of `things` that a reader has not met who has met all before `next`.
template <class Thing>
[[nodiscard]] std::span<const Thing> newOf(const std::vector<Thing> &things, std::uint64_t next) {
  if (things.empty() || things.front().id >= next)
    return things;
  const auto met = static_cast<std::size_t>(next - things.front().id);
  return std::span(things).subspan(met < things.size() ? met : things.size());
}

/// Fills batches. Bounded: with too many regions it begins anew to count which were met; likewise
/// with acts and threads.
class Batcher {
public:
  explicit Batcher(std::size_t maxRegions = 100'000) : maxKnown_(maxRegions) {}

  void add(const Replay &replay, Batch &batch);
  void add(const HostSpan &span, Batch &batch);
  static void add(const MemoryEvent &event, Batch &batch);
  /// Empties it for what comes next, but for what is known: who reads from now on meets it first.
  void clear(Batch &batch) const;
  /// The same without what is known, for readers who have met that.
  void renew(Batch &batch) const;

private:
  struct Region {
    std::uint64_t id;
    std::string path;
  };
  struct Open {
    std::uint64_t id;
    std::string_view path; // in regions_, where they stay
  };
  struct Thread {
    std::uint64_t id;
    std::string name;
  };

  // Adds to `known` and `things` or, without memory, to neither.
  template <class Thing, class Table, class Of>
  static const Of &define(std::vector<Thing> &things, Thing thing, Table &known,
                          const Identity &identity, Of of);
  void identify(const Replay &replay, Batch &batch, std::vector<std::uint64_t> &ids);
  [[nodiscard]] std::uint64_t actOf(const HostSpan &span, Batch &batch);
  [[nodiscard]] std::uint64_t threadOf(const HostSpan &span, Batch &batch);

  std::size_t maxKnown_; // of each
  // Ids: the next one, and the least that is known.
  std::uint64_t nextRegion_ = 1, regionsFrom_ = 1;
  std::uint64_t nextAct_ = 1, actsFrom_ = 1;
  std::uint64_t nextThread_ = 1, threadsFrom_ = 1;
  InternTable<Region> regions_;
  InternTable<std::uint64_t> acts_;
  std::unordered_map<std::uint64_t, Thread> threads_; // by number
  Layouts<std::uint64_t> idsOf_;
  std::vector<Open> open_; // the regions that enclose the record at hand
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_BATCH_H
