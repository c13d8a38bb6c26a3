// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Memory that is taken, given back and taken again, and never freed, because freeing it can
// synchronize. Blocks have 2^n words, so that one that was given back often fits. Does not know
// what memory that is.

#ifndef GRAPHPROF_BLOCKPOOL_H
#define GRAPHPROF_BLOCKPOOL_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>

#include "Mutex.h"
#include "Thrown.h"

namespace graphprof {

/// `Block` has a number of `words`. Any thread may call any member.
template <class Block> class BlockPool {
public:
  /// A block of at least `words` words. If none is free, what `allocate(words)` returns.
  template <class Allocate> Block take(std::size_t words, Allocate allocate) EXCLUDES(mutex_) {
    constexpr std::size_t smallestWords = 1024;
    const std::size_t rounded = std::bit_ceil(std::max(words, smallestWords));
    {
      const MutexLock lock(mutex_);
      if (const auto found = free_.find(rounded); found != free_.end()) {
        const Block block = found->second;
        free_.erase(found);
        return block;
      }
    }
    return allocate(rounded);
  }
  void giveBack(const Block &block) noexcept EXCLUDES(mutex_) {
    (void)survived([&] { // if not, it is never used again
      const MutexLock lock(mutex_);
      free_.emplace(block.words, block);
    });
  }

private:
  Mutex mutex_;
  std::multimap<std::size_t, Block> free_ GUARDED_BY(mutex_); // by words
};

} // namespace graphprof

#endif // GRAPHPROF_BLOCKPOOL_H
