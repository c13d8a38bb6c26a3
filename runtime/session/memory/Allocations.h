// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Counts the program's allocations and frees, as far as their calls are redirected. Knows
// addresses, sizes and kinds of memory, but not CUDA.
//
// Threads: any thread may call any member; each takes one lock.

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
  /// Returns the host's time in ns. Called under the lock, so that changes are ordered by time.
  using Now = std::int64_t (*)();

  struct Block {
    std::uint64_t bytes = 0; ///< 0: there is no block
    MemoryKind kind = MemoryKind::Device;
    int device = -1; ///< -1: the host
  };
  /// A block was allocated or freed.
  struct Change {
    std::int64_t atNs;
    std::uint64_t allocated; ///< bytes of this kind on this device after the change
  };

  /// Notes `block` at `address`. `inStep`: it was allocated in a step. If another block is known at
  /// the address, it was freed unseen, and is forgotten.
  Change allocated(const void *address, Block block, bool inStep, Now now);
  /// Forgets the block at `address` and returns it.
  [[nodiscard]] std::pair<Block, Change> freeing(const void *address, Now now);
  /// After freeing(): the block was freed, or it was not and is at `address` again.
  void freed(Block block);
  void kept(const void *address, Block block);

  /// A sentence without a full stop: the number and size of allocations, those in steps, and what
  /// was freed. Empty if nothing was allocated.
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
  // Blocks that are not freed, by address.
  std::unordered_map<const void *, Block> blocks_ GUARDED_BY(mutex_);
  std::map<std::pair<int, MemoryKind>, std::uint64_t> now_ GUARDED_BY(mutex_); // bytes in blocks_
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_MEMORY_ALLOCATIONS_H
