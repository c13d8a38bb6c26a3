// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the redirected copies and allocations tell the library, as graph_calls.h does for graphs.
// Not for programs to call.
//
// Every function here may be called from any thread, never throws, and makes no CUDA call.

#ifndef GRAPHPROF_DETAIL_MEMORY_CALLS_H
#define GRAPHPROF_DETAIL_MEMORY_CALLS_H

#include <cstddef>

#include "graphprof/control.h"
#include "graphprof/site.h"

namespace graphprof::detail {

/// The site of every copy to the device: "h2d".
const Site &copySite() noexcept;

/// The program was given `bytes` at `address`.
void memoryAllocated(const void *address, std::size_t bytes) noexcept;
/// The program is about to free `address`; returns how many bytes of ours are known there, 0: none.
std::size_t memoryFreeing(const void *address) noexcept;
/// It was freed; or not, and is still the program's.
void memoryFreed(std::size_t bytes) noexcept;

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
  static void memoryKept(const void *address, std::size_t bytes) noexcept;

  const void *const address_;
  const std::size_t bytes_;
};

} // namespace graphprof::detail

#endif // GRAPHPROF_DETAIL_MEMORY_CALLS_H
