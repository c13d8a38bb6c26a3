// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/Findings.h"

#include <fmt/format.h>

namespace graphprof {

bool Findings::add(const std::string &text) {
  const MutexLock lock(mutex_);
  if (counts_.size() >= most && !counts_.contains(text)) {
    ++beyond_;
    return false;
  }
  return ++counts_[text] == 1;
}

std::string Findings::sentence() const {
  const MutexLock lock(mutex_);
  const std::size_t captures = captures_.load(std::memory_order_relaxed);
  if (counts_.empty())
    return captures > 0 ? fmt::format("checked {} capture{}: nothing found", captures,
                                      captures == 1 ? "" : "s")
                        : std::string();
  std::size_t calls = beyond_;
  for (const auto &[text, count] : counts_)
    calls += count;
  return fmt::format("checked {} capture{}: {} finding{}, in {} call{}", captures,
                     captures == 1 ? "" : "s", counts_.size(), counts_.size() == 1 ? "" : "s",
                     calls, calls == 1 ? "" : "s");
}

} // namespace graphprof
