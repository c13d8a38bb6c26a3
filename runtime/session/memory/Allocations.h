// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The tally of the program's allocations and frees, as far as they were redirected. It knows
// addresses, sizes and kinds of memory, and nothing of CUDA.
//
// Threads: all members may be called from any thread; each takes one lock.

#ifndef GRAPHPROF_SESSION_MEMORY_ALLOCATIONS_H
#define GRAPHPROF_SESSION_MEMORY_ALLOCATIONS_H

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "Mutex.h"
#include "graphprof/memory.h"
#include "output/data/MemoryEvent.h"

namespace graphprof {

class Allocations {
public:
  /// The host's time, in ns. Asked under the lock, so that changes are in the order of their times.
  using Now = std::int64_t (*)();

  struct Block {
    std::uint64_t bytes = 0; ///< 0: there is none
    MemoryKind kind = MemoryKind::Device;
    int device = -1; ///< -1: the host's
  };
  /// A block came or went.
  struct Change {
    std::int64_t atNs;
    std::uint64_t allocated; ///< bytes of the same kind on the same device from then on
  };

  /// `block` at `address`; `inStep`: as part of a step. What was known at the address is gone: it
  /// was freed where nobody saw it.
  Change allocated(const void *address, Block block, bool inStep, Now now);
  /// Forgets what is at `address` and returns it.
  [[nodiscard]] std::pair<Block, Change> freeing(const void *address, Now now);
  /// What freeing() returned was freed; or it was not, and is at `address` as before.
  void freed(Block block);
  void kept(const void *address, Block block);

  /// One sentence without a full stop: how often, how much, how much of it in steps, and what was
  /// freed. Empty where nothing was allocated.
  [[nodiscard]] std::string sentence() const;

  /// What is allocated now, by device and kind.
  [[nodiscard]] std::vector<MemoryHeld> held() const;

private:
  struct Tally {
    std::uint64_t times = 0, bytes = 0;
    void add(std::uint64_t more) {
      ++times;
      bytes += more;
    }
  };
  std::uint64_t &bytesOf(const Block &block) REQUIRES(mutex_) {
    return now_[{block.device, block.kind}];
  }

  mutable Mutex mutex_;
  Tally allocated_ GUARDED_BY(mutex_), inSteps_ GUARDED_BY(mutex_), freed_ GUARDED_BY(mutex_);
  // of what is not freed, by address
  std::unordered_map<const void *, Block> blocks_ GUARDED_BY(mutex_);
  std::map<std::pair<int, MemoryKind>, std::uint64_t> now_ GUARDED_BY(mutex_); // bytes in blocks_
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_MEMORY_ALLOCATIONS_H
