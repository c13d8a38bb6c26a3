// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the redirected copies and allocations tell the library, as graph_calls.h does for graphs.
// Not for programs to call.
//
// Every function here may be called from any thread and never throws. None makes a CUDA call, but
// that timedCopy() asks the driver about memory.

#ifndef GRAPHPROF_DETAIL_MEMORY_CALLS_H
#define GRAPHPROF_DETAIL_MEMORY_CALLS_H

#include <cstddef>
#include <cstdint>

#include "graphprof/control.h"
#include "graphprof/detail/seam.h"
#include "graphprof/memory.h"
#include "graphprof/scope.h"
#include "graphprof/site.h"
#include "graphprof/step.h"
#include "graphprof/value.h"

namespace graphprof::detail {

/// The site of a copy that is timed, "h2d", "d2h" or "d2d", its bytes, and where its host memory
/// is; null: it is not. graphprof/copies.h says which are. Called in a step.
struct TimedCopy {
  const Site *site = nullptr;
  std::size_t bytes = 0;
  const char *memory = nullptr;
};
[[nodiscard]] TimedCopy timedCopy(const graphprof_seam_copy &copy, CUstream_st *stream) noexcept;
/// Is it one of those?
[[nodiscard]] bool isCopySite(const Site &site) noexcept;

/// Makes a copy in `stream` with `copy()`, timed where it is to be, as `described()` says what it
/// is. One that fails is no region.
template <class Described, class Copy>
auto copied(CUstream_st *stream, Described described, Copy copy) {
  if (!active() || currentStep() < 0)
    return copy();
  const TimedCopy timed = timedCopy(described(), stream);
  if (!timed.site)
    return copy();
  Scope scope(*timed.site, StreamRef(stream), key("bytes", timed.bytes),
              key("memory", timed.memory));
  const auto result = copy();
  if (result != decltype(copy())())
    scope.discard();
  return result;
}

/// The program was given `bytes` at `address`; from a pool in the order of `stream`.
void memoryAllocated(const void *address, std::size_t bytes, MemoryKind kind,
                     CUstream_st *stream = nullptr) noexcept;
/// The same in the memory of `device`, its ordinal; -1: in the host's.
void memoryAllocatedOn(int device, const void *address, std::size_t bytes,
                       MemoryKind kind) noexcept;

/// What an array is asked for with: how many elements in each direction, 0 where it has not that
/// many dimensions; the flags are the same in both APIs.
struct ArrayShape {
  std::size_t width, height, depth;
  unsigned flags;
  unsigned levels; ///< of a mipmapped array, else 1
};
/// The program was given an array. The runtime API says what an element is by its
/// cudaChannelFormatKind and channels, of so many bits together, the driver API by its
/// CUarray_format and how many channels it has.
void channelArrayAllocated(const void *array, const ArrayShape &shape, int kind,
                           int channelBits) noexcept;
void formatArrayAllocated(const void *array, const ArrayShape &shape, int format,
                          unsigned channels) noexcept;

/// The program is about to free `address`; returns how many bytes of ours are known there, 0: none.
/// Where there are some, one of the next two follows on this thread.
std::size_t memoryFreeing(const void *address) noexcept;
/// It was freed.
void memoryFreed(std::size_t bytes) noexcept;
/// It was not, and is still the program's.
void memoryKept(const void *address, std::size_t bytes) noexcept;

// Memory that the program maps itself is freed when its handle has been released, as often as it
// was retained, and its last mapping is gone.

/// The program was given `handle`, to `bytes` of `device`; -1: of the host's.
void mappableCreated(unsigned long long handle, std::size_t bytes, int device) noexcept;
void mappableRetained(unsigned long long handle) noexcept;
void mappableMapped(unsigned long long handle, unsigned long long address,
                    std::size_t bytes) noexcept;
/// The program is about to release `handle`, or to take the mappings away that lie there. Null
/// where none of them is known; else the argument of mappableTaken(), which follows.
struct MappableTaken;
MappableTaken *mappableReleasing(unsigned long long handle) noexcept;
MappableTaken *mappableUnmapping(unsigned long long address, std::size_t bytes) noexcept;
void mappableTaken(MappableTaken *taken, bool succeeded) noexcept;

/// A call that frees `address`.
class Freeing {
public:
  explicit Freeing(const void *address) noexcept
      : address_(address), bytes_(address && active() ? memoryFreeing(address) : 0) {}

  /// Passes on what the call returned, 0 where it succeeded.
  template <class Result> Result result(Result result) const noexcept {
    if (bytes_ > 0 && result == Result())
      memoryFreed(bytes_);
    else if (bytes_ > 0)
      memoryKept(address_, bytes_);
    return result;
  }

private:
  const void *const address_;
  const std::size_t bytes_;
};

} // namespace graphprof::detail

#endif // GRAPHPROF_DETAIL_MEMORY_CALLS_H
