// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Replays that are kept until it is known whether they count: the outputs get those of samples, not
// those of warm-up runs. Does not know what is measured.

#ifndef GRAPHPROF_BENCH_HELDREPLAYS_H
#define GRAPHPROF_BENCH_HELDREPLAYS_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graphprof/record.h"
#include "output/data/Replay.h"

namespace graphprof::bench_detail {

/// A replay with its records. What is the same in all replays of a layout is kept once, so that one
/// costs 16 bytes a record.
class HeldReplay {
public:
  /// The replay as it came. Its records are in `storage`.
  [[nodiscard]] Replay in(std::vector<Record> &storage) const;
  [[nodiscard]] std::int64_t launchNs() const { return replay_.launchNs; }

private:
  friend class HeldReplays;
  // The records of a replay, with what they point to.
  struct Regions {
    std::vector<std::string> names;
    std::vector<std::vector<Value>> contexts;
    std::vector<Record> records;
  };
  struct Times {
    std::int64_t beginNs, durationNs;
  };

  std::shared_ptr<const Regions> regions_;
  Replay replay_;            // without its records
  std::vector<Times> times_; // of the records; empty: as in `regions_`
};

/// Keeps replays of a few graphs. Not thread-safe.
class HeldReplays {
public:
  [[nodiscard]] HeldReplay hold(const Replay &replay);

private:
  std::map<std::uint64_t, std::shared_ptr<const HeldReplay::Regions>> layouts_;
};

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_HELDREPLAYS_H
