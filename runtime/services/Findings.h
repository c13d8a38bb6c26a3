// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What GRAPHPROF_CHECK found: each text once, and how often it came. Knows no CUDA.

#ifndef GRAPHPROF_SERVICES_FINDINGS_H
#define GRAPHPROF_SERVICES_FINDINGS_H

#include <atomic>
#include <cstddef>
#include <map>
#include <string>

#include "Mutex.h"

namespace graphprof {

/// Any thread may call any member.
class Findings {
public:
  /// A program whose faults are all different must not fill the memory.
  static constexpr std::size_t most = 100;

  /// Counts `text`. Returns true if it is new, and so to be said.
  [[nodiscard]] bool add(const std::string &text) EXCLUDES(mutex_);
  /// A capture began.
  void captured() noexcept { captures_.fetch_add(1, std::memory_order_relaxed); }

  /// A sentence without a full stop: how many there were, in how many calls. Empty if
  /// there was nothing to check.
  [[nodiscard]] std::string sentence() const EXCLUDES(mutex_);

private:
  mutable Mutex mutex_; // nothing is called while it is held
  std::map<std::string, std::size_t> counts_ GUARDED_BY(mutex_);
  std::size_t beyond_ GUARDED_BY(mutex_) = 0; // of texts that were not kept
  std::atomic<std::size_t> captures_{0};
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_FINDINGS_H
