// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Who still holds memory that the program maps itself (cuMemCreate): it is freed when the last
// reference to its handle has been released and its last mapping taken away, in either order. Knows
// handles and addresses, and nothing of CUDA.
//
// release() and unmap() are told before the call, because the handle or the address may be given
// out again as soon as it is free; where the call fails, restore() takes it back.
//
// Threads: all members may be called from any thread; each takes one lock.

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
  /// What a call takes away.
  struct Taken {
    Handle reference = 0; ///< to this handle, where there is no mapping in `mappings`
    std::vector<Mapping> mappings;
    std::vector<Handle> freed; ///< what nothing is left of
    [[nodiscard]] bool empty() const { return reference == 0 && mappings.empty(); }
  };

  /// There is memory behind `handle`, with one reference. What was known of it is gone: it was
  /// freed where nobody saw it.
  void created(Handle handle);
  /// One more. Of a handle that is not known, as one that came from another process, nothing is
  /// noted, here and below.
  void retained(Handle handle);
  void mapped(const Mapping &mapping);

  /// A reference goes.
  [[nodiscard]] Taken release(Handle handle);
  /// The mappings that begin there go.
  [[nodiscard]] Taken unmap(std::uint64_t address, std::uint64_t bytes);
  void restore(const Taken &taken);

private:
  struct Holders {
    unsigned references = 0, mappings = 0;
  };
  void drop(std::unordered_map<Handle, Holders>::iterator memory, Taken &taken) REQUIRES(mutex_);

  Mutex mutex_;
  std::unordered_map<Handle, Holders> memory_ GUARDED_BY(mutex_); // what somebody holds
  // by address, of what is in memory_
  std::map<std::uint64_t, Mapping> mappings_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_MEMORY_MAPPEDMEMORY_H
