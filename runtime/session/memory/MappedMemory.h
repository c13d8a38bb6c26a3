// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Counts who holds memory that the program maps itself (cuMemCreate). Such memory is freed when the
// last reference to its handle is released and its last mapping is removed, in either order. Knows
// handles and addresses, but not CUDA.
//
// Call release() and unmap() before CUDA's call: the driver may reuse the handle or the address as
// soon as it is free. If the call fails, restore() undoes it.
//
// Threads: any thread may call any member; each takes one lock.

#ifndef GRAPHPROF_SESSION_MEMORY_MAPPEDMEMORY_H
#define GRAPHPROF_SESSION_MEMORY_MAPPEDMEMORY_H

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "Mutex.h"

namespace graphprof {

class MappedMemory {
public:
  using Handle = std::uint64_t;
  struct Mapping {
    std::uint64_t address, bytes;
    Handle handle;
  };
  /// What a call removes.
  struct Taken {
    Handle reference = 0; ///< to this handle, if `mappings` is empty
    std::vector<Mapping> mappings;
    std::vector<Handle> freed; ///< memory that nothing holds any more
    [[nodiscard]] bool empty() const { return reference == 0 && mappings.empty(); }
  };

  /// `handle` has memory now, with one reference. If the handle is known already, its memory was
  /// freed unseen, and is forgotten.
  void created(Handle handle);
  /// Adds a reference. This and the functions below ignore unknown handles, such as those from
  /// another process.
  void retained(Handle handle);
  void mapped(const Mapping &mapping);

  /// Removes a reference.
  [[nodiscard]] Taken release(Handle handle);
  /// Removes the mappings that begin in this range.
  [[nodiscard]] Taken unmap(std::uint64_t address, std::uint64_t bytes);
  void restore(const Taken &taken);

private:
  struct Holders {
    unsigned references = 0, mappings = 0;
  };
  void drop(std::unordered_map<Handle, Holders>::iterator memory, Taken &taken) REQUIRES(mutex_);

  Mutex mutex_;
  std::unordered_map<Handle, Holders> memory_ GUARDED_BY(mutex_); // memory that somebody holds
  // Mappings of the memory in memory_, by address.
  std::map<std::uint64_t, Mapping> mappings_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_MEMORY_MAPPEDMEMORY_H
