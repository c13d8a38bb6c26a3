// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Compares what the program launched with what graphprof recorded. Recording is switched while
// other threads launch, so for some launches only graphprof knows whether they were recorded. The
// ledger has bounds.

#ifndef GRAPHPROF_TEST_STRESS_LEDGER_H
#define GRAPHPROF_TEST_STRESS_LEDGER_H

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "graphprof/graphprof.h"

namespace graphprof::test {

/// The number of launches or regions that were certainly, and that were possibly, made while
/// recording.
struct Bounds {
  std::atomic<std::uint64_t> surely{0}, perhaps{0};
};

/// Switches recording, and tells other threads the state that their launches met.
class Switch {
public:
  void set(bool on) {
    const std::lock_guard lock(mutex_);
    ++changes_;
    on_ = on;
    on ? start() : stop();
    ++changes_;
  }

  /// A launch, or an eager region's begin, happens during the life of this object.
  class Look {
  public:
    explicit Look(const Switch &look) : switch_(look), before_(look.changes_), on_(look.on_) {}
    [[nodiscard]] bool isOn() const { return on_; }
    void count(Bounds &bounds) const {
      const bool known = before_ % 2 == 0 && before_ == switch_.changes_;
      if (!known)
        ++bounds.perhaps;
      else if (on_)
        ++bounds.surely;
    }

  private:
    const Switch &switch_;
    const std::uint64_t before_;
    const bool on_;
  };

private:
  std::mutex mutex_;
  std::atomic<std::uint64_t> changes_{0}; // odd during a change
  std::atomic<bool> on_{true};
};

/// What the program did.
struct Ledger {
  Switch recording;
  Bounds launches;                              ///< of execs with regions
  Bounds eager;                                 ///< regions outside graphs
  std::atomic<std::uint64_t> failedCaptures{0}; ///< with regions
  std::atomic<std::uint64_t> lostUpdates{0};    ///< at most: those that graphprof could not follow
};

/// What a Profiler received.
class Book {
public:
  void enter(const Record &record) {
    if (record.kind != Kind::Region)
      return; // a record of node mode, which the program does not know
    const std::lock_guard lock(mutex_);
    if (record.duration_ns < 0)
      wrong_ += "not measured: " + std::string(record.name) + "\n";
    if (record.exec == 0) {
      ++eager_;
      return;
    }
    Replay &replay = replays_[{record.exec, record.replay}];
    ++replay.seen;
    replay.expected = record.context[1].as_unsigned();
  }

  [[nodiscard]] std::uint64_t replays() const { return replays_.size(); }
  [[nodiscard]] std::uint64_t eager() const { return eager_; }
  /// Reports replays with missing or duplicate regions.
  [[nodiscard]] std::string wrong() const {
    std::string wrong = wrong_;
    for (const auto &[which, replay] : replays_)
      if (replay.seen != replay.expected)
        wrong += "exec " + std::to_string(which.first) + " replay " + std::to_string(which.second) +
                 ": " + std::to_string(replay.seen) + " regions of " +
                 std::to_string(replay.expected) + "\n";
    return wrong;
  }

private:
  struct Replay {
    std::uint64_t seen = 0, expected = 0;
  };
  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Replay> replays_; // by exec and replay
  std::uint64_t eager_ = 0;
  std::string wrong_;
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_STRESS_LEDGER_H
