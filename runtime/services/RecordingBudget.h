// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What recording may cost, as the user named it: by the environment, or while the program runs.
// Does not know how a price is kept (graph/launch/RecordingPlan.h).

#ifndef GRAPHPROF_SERVICES_RECORDINGBUDGET_H
#define GRAPHPROF_SERVICES_RECORDINGBUDGET_H

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "Mutex.h"

namespace graphprof {

/// The terms on which launches are recorded. As they are here, every launch is, whole.
struct BudgetTerms {
  double fraction = 0;     ///< how much longer replays may become: 0.01 is 1 %. 0: any time
  std::uint64_t every = 0; ///< one launch in so many is recorded; 0: the fraction decides
  std::uint32_t parts = 0; ///< in how many parts a graph is recorded; 0: the fraction decides

  [[nodiscard]] bool recordsEverything() const { return fraction <= 0 && every <= 1 && parts <= 1; }
  /// Whether they can be meant.
  [[nodiscard]] bool areSound() const {
    return fraction >= 0 && fraction <= mostFraction && every <= mostEvery && parts <= mostParts;
  }
  static constexpr double mostFraction = 0.5;
  static constexpr std::uint64_t mostEvery = 1'000'000'000;
  static constexpr std::uint32_t mostParts = 64;
  /// Whether graphs may be recorded in parts.
  [[nodiscard]] bool splits() const { return parts > 1 || (parts == 0 && fraction > 0); }
};

/// How the terms are kept, as far as execs were launched: of each the largest of all execs.
struct BudgetChoices {
  double spent = -1;       ///< what recording costs, as a part of a replay; below 0: not known
  std::uint32_t parts = 1; ///< in how many parts a graph is recorded
  std::uint64_t every = 1; ///< of how many launches one is recorded
};

/// Any thread may call any member.
class RecordingBudget {
public:
  explicit RecordingBudget(const BudgetTerms &terms) noexcept : terms_(terms) {}
  RecordingBudget(const RecordingBudget &) = delete;
  RecordingBudget &operator=(const RecordingBudget &) = delete;

  [[nodiscard]] BudgetTerms terms() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return exemptions_ > 0 ? BudgetTerms() : terms_;
  }
  /// Holds from each exec's next launch on. Graphs that were instantiated while terms().splits()
  /// was false are not recorded in parts.
  void set(const BudgetTerms &terms) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    terms_ = terms;
    choices_ = {};
    generation_.fetch_add(1, std::memory_order_relaxed);
  }
  /// While there is an exemption, everything is recorded, as a benchmark needs it.
  void exempt(bool isExempt) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    exemptions_ += isExempt ? 1 : -1;
    generation_.fetch_add(1, std::memory_order_relaxed);
  }
  /// An exec keeps the terms so.
  void note(const BudgetChoices &choices) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    choices_.spent = std::max(choices_.spent, choices.spent);
    choices_.parts = std::max(choices_.parts, choices.parts);
    choices_.every = std::max(choices_.every, choices.every);
  }
  [[nodiscard]] BudgetChoices choices() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return choices_;
  }
  /// Differs after each change. Asked at every launch.
  [[nodiscard]] std::uint32_t generation() const noexcept {
    return generation_.load(std::memory_order_relaxed);
  }

private:
  mutable Mutex mutex_;
  BudgetTerms terms_ GUARDED_BY(mutex_);
  BudgetChoices choices_ GUARDED_BY(mutex_);
  int exemptions_ GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint32_t> generation_{1};
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_RECORDINGBUDGET_H
