// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The tally of the program's allocations and frees, as far as they were redirected. It knows
// addresses and sizes, and nothing of CUDA.
//
// Threads: all members may be called from any thread; each takes one lock.

#ifndef GRAPHPROF_SESSION_ALLOCATIONS_H
#define GRAPHPROF_SESSION_ALLOCATIONS_H

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace graphprof {

class Allocations {
public:
  /// `bytes` at `address`; `inStep`: as part of a step.
  void allocated(const void *address, std::uint64_t bytes, bool inStep);
  /// Forgets what is at `address` and returns its size; 0 where nothing is known there.
  [[nodiscard]] std::uint64_t freeing(const void *address);
  /// What freeing() returned was freed; or it was not, and is at `address` as before.
  void freed(std::uint64_t bytes);
  void kept(const void *address, std::uint64_t bytes);

  /// One sentence without a full stop: how often, how much, how much of it in steps, and what was
  /// freed. Empty where nothing was allocated.
  [[nodiscard]] std::string sentence() const;

private:
  struct Tally {
    std::uint64_t times = 0, bytes = 0;
    void add(std::uint64_t more) {
      ++times;
      bytes += more;
    }
  };

  mutable std::mutex mutex_; // guards all below
  Tally allocated_, inSteps_, freed_;
  std::unordered_map<const void *, std::uint64_t> sizes_; // of what is not freed, by address
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_ALLOCATIONS_H
