// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_MAX_EXECS: how many profiled execs there may be at once. Where one more is to be made,
// the one that was launched least recently makes room, if that is a second ago: else two that are
// launched in turn would be made and destroyed without end. It knows pairs; how one gives up its
// profiled exec is the pair's business.

#ifndef GRAPHPROF_GRAPH_LAUNCH_EXECLIMIT_H
#define GRAPHPROF_GRAPH_LAUNCH_EXECLIMIT_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "Mutex.h"

namespace graphprof {

class Pair;

/// All members may be called from any thread, also under a pair's lock.
class ExecLimit {
public:
  /// That of the configuration. Leaked on purpose, as the pairs' other owners are.
  static ExecLimit &instance() noexcept;

  /// `most`: 0 for no bound.
  explicit ExecLimit(std::size_t most) noexcept : most_(most) {}
  ExecLimit(const ExecLimit &) = delete;
  ExecLimit &operator=(const ExecLimit &) = delete;

  [[nodiscard]] bool isSet() const noexcept { return most_ > 0; }

  /// What a profiled exec takes, while there is one.
  class Place {
  public:
    Place() = default;
    Place(ExecLimit &limit, const Pair &pair) noexcept : limit_(&limit), pair_(&pair) {}
    ~Place() { giveBack(); }
    Place(Place &&other) noexcept
        : limit_(std::exchange(other.limit_, nullptr)), pair_(other.pair_) {}
    Place &operator=(Place &&other) noexcept {
      giveBack();
      limit_ = std::exchange(other.limit_, nullptr);
      pair_ = other.pair_;
      return *this;
    }

  private:
    void giveBack() noexcept {
      if (limit_)
        limit_->left(*pair_);
      limit_ = nullptr;
    }
    ExecLimit *limit_ = nullptr; // null: there is no bound
    const Pair *pair_ = nullptr;
  };

  /// A place for the profiled exec of `pair`, for which another pair may have to give up its own.
  /// nullopt where all are in use. `isLastChance`: they are looked at even though they were just
  /// now.
  [[nodiscard]] std::optional<Place> take(const std::shared_ptr<Pair> &pair, std::int64_t nowNs,
                                          bool isLastChance) EXCLUDES(mutex_);

private:
  [[nodiscard]] bool added(const std::shared_ptr<Pair> &pair) EXCLUDES(mutex_);
  void left(const Pair &pair) noexcept EXCLUDES(mutex_);
  /// Those with a place that were launched before, the oldest first.
  [[nodiscard]] std::vector<std::shared_ptr<Pair>> launchedBefore(std::int64_t hostNs)
      EXCLUDES(mutex_);

  const std::size_t most_;
  std::atomic<std::int64_t> fullUntilNs_{0}; // looking for room takes time: not at each launch
  Mutex mutex_;
  std::vector<std::pair<const Pair *, std::weak_ptr<Pair>>> places_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_EXECLIMIT_H
