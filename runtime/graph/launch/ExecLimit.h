// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_MAX_EXECS: bounds how many profiled execs exist at once. If one more is to be made, the
// one that was launched least recently makes room, but only if that was a second ago. Otherwise
// execs that are launched in turn would be made and destroyed without end. An exec that could not
// be made again keeps its place. Knows pairs, but not how a pair gives up its profiled exec.

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

/// Any thread may call any member, even under a pair's lock.
class ExecLimit {
public:
  /// `most` is the bound; 0: none.
  explicit ExecLimit(std::size_t most) noexcept : most_(most) {}
  ExecLimit(const ExecLimit &) = delete;
  ExecLimit &operator=(const ExecLimit &) = delete;

  [[nodiscard]] bool isSet() const noexcept { return most_ > 0; }

  /// Held by a profiled exec while it exists.
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

  /// A place for the profiled exec of `pair`, for which another pair may give up its own. nullopt
  /// if all places are in use. `isLastChance`: searches even if the last search was just now.
  [[nodiscard]] std::optional<Place> take(const std::shared_ptr<Pair> &pair, std::int64_t nowNs,
                                          bool isLastChance) EXCLUDES(mutex_);

  /// A further place for `pair`, if one is free now.
  [[nodiscard]] std::optional<Place> spare(const std::shared_ptr<Pair> &pair) EXCLUDES(mutex_);

private:
  [[nodiscard]] bool added(const std::shared_ptr<Pair> &pair) EXCLUDES(mutex_);
  void left(const Pair &pair) noexcept EXCLUDES(mutex_);
  /// The pairs with a place whose last launch was before `hostNs`, oldest first.
  [[nodiscard]] std::vector<std::shared_ptr<Pair>> launchedBefore(std::int64_t hostNs)
      EXCLUDES(mutex_);

  const std::size_t most_;
  std::atomic<std::int64_t> fullUntilNs_{0}; // a search takes time: not at each launch
  Mutex mutex_;
  std::vector<std::pair<const Pair *, std::weak_ptr<Pair>>> places_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_EXECLIMIT_H
