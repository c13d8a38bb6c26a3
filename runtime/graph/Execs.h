// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds every pair by the program's exec. It also knows which execs have none, so that their
// launches are counted, and of which execs the program has enabled or disabled nodes. Does not know
// graphs.
//
// Threads: one lock, held only to look something up or to store it. Launches find their pair in a
// small cache of each thread, so that launching threads do not wait for each other.

#ifndef GRAPHPROF_GRAPH_EXECS_H
#define GRAPHPROF_GRAPH_EXECS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "Mutex.h"
#include "clock/Device.h"
#include "cuda/DriverApi.h"
#include "graph/launch/ExecLimit.h"
#include "graph/launch/Pair.h"

namespace graphprof {

class GraphMemory;
class Harvester;
class Services;

/// Any thread may call any member.
class Execs {
public:
  /// `harvester` gets the pairs of execs whose destruction was not seen; `memory` is told what
  /// graphprof's own execs take.
  Execs(Services &services, Harvester &harvester, GraphMemory &memory) noexcept;

  /// The pair of `exec`. Null without one, or if the exec that had this handle is gone.
  std::shared_ptr<Pair> pairOf(driver::Exec exec) noexcept EXCLUDES(mutex_);
  /// A pair for an exec of the program's; add() stores it.
  [[nodiscard]] std::shared_ptr<Pair> makePair(driver::Exec exec, unsigned long long flags,
                                               Pair::LaunchHistory past,
                                               std::shared_ptr<ExecLifetime> lifetime) {
    return std::make_shared<Pair>(services_, memory_, limit_, exec, flags, past,
                                  std::move(lifetime));
  }
  void add(driver::Exec exec, std::shared_ptr<Pair> pair) EXCLUDES(mutex_);
  /// The program destroys `exec`. Removes and returns its pair, or null.
  std::shared_ptr<Pair> destroyed(driver::Exec exec) EXCLUDES(mutex_);
  /// Removes and returns the pairs of execs whose destruction was not seen, if there may be many.
  std::vector<std::shared_ptr<Pair>> takeGone() EXCLUDES(mutex_);

  /// The program instantiated `exec`, which has nothing to time. `lost`: its graph has regions that
  /// cannot be timed, which is counted elsewhere.
  void madeUntimed(driver::Exec exec, bool lost) noexcept EXCLUDES(mutex_);
  /// It launched an exec without a pair while graphprof records. Counts each exec once.
  void launchedUntimed(driver::Exec exec) noexcept EXCLUDES(mutex_);

  /// The program enables or disables a node of an exec. Updates keep that setting, so an exec that
  /// is made from the updated graph would differ.
  void nodeSwitching(driver::Exec exec) noexcept EXCLUDES(mutex_);
  [[nodiscard]] bool switched(driver::Exec exec) EXCLUDES(mutex_);

  /// A change of some exec was not followed: from now on execs run as the program made them, and
  /// are counted. Leaves what is timed in place, which is the program's own exec, unchanged.
  void dropRepeating() noexcept EXCLUDES(mutex_);
  /// Execs may have been changed in a way that is not known. The same, and what is timed in place
  /// is not trusted any more either. Returns how many execs were timed until now.
  std::size_t invalidate() noexcept EXCLUDES(mutex_);
  /// The contexts of `devices` end. Removes and returns the pairs of execs that are timed there.
  std::vector<std::shared_ptr<Pair>> takeOn(std::span<Device *const> devices) EXCLUDES(mutex_);

private:
  std::shared_ptr<Pair> findPair(driver::Exec exec) REQUIRES(mutex_);
  /// The pair stored for a handle, whichever exec has the handle now.
  std::shared_ptr<Pair> pairUnder(driver::Exec exec) noexcept EXCLUDES(mutex_);
  /// The caches of all threads are out of date.
  void changed() noexcept { generation_.fetch_add(1, std::memory_order_release); }

  Services &services_;
  Harvester &harvester_;
  GraphMemory &memory_;
  ExecLimit limit_;

  Mutex mutex_;
  std::unordered_map<driver::Exec, std::shared_ptr<Pair>> pairs_ GUARDED_BY(mutex_);
  std::unordered_set<driver::Exec> switched_ GUARDED_BY(mutex_); // with or without a pair
  bool anySwitched_ GUARDED_BY(mutex_) = false; // there was no memory to note which
  // Execs without a pair that the program made, and whether each was launched; and others that it
  // launched. At most mostUntimed; further ones are not told apart.
  static constexpr std::size_t mostUntimed = 10'000;
  enum class Untimed : std::uint8_t { Made, Launched };
  std::unordered_map<driver::Exec, Untimed> untimed_ GUARDED_BY(mutex_);
  std::uint64_t goneAtLastLook_ GUARDED_BY(mutex_) = 0; // the last ExecLifetime::gone()
  std::atomic<std::uint64_t> generation_{1};            // counts changes of pairs_
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_EXECS_H
