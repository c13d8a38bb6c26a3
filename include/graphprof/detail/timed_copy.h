// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected copies of C++: which are timed, and how. Not for programs to call.
//
// Every function here may be called from any thread and never throws.

#ifndef GRAPHPROF_DETAIL_TIMED_COPY_H
#define GRAPHPROF_DETAIL_TIMED_COPY_H

#include <cstddef>
#include <cstdint>

#include "graphprof/control.h"
#include "graphprof/detail/export.h"
#include "graphprof/detail/seam.h"
#include "graphprof/scope.h"
#include "graphprof/site.h"
#include "graphprof/step.h"
#include "graphprof/value_ref.h"

namespace graphprof {
inline namespace v1 {
namespace detail {

/// The site of a copy that is timed, "h2d", "d2h" or "d2d", its bytes, and where its host memory
/// is; null: it is not. graphprof/copies.h says which are. Called in a step.
struct TimedCopy {
  const Site *site = nullptr;
  std::size_t bytes = 0;
  const char *memory = nullptr;
};
/// Asks the driver about memory.
[[nodiscard]] GRAPHPROF_API TimedCopy timedCopy(const graphprof_seam_copy &copy,
                                                CUstream_st *stream) noexcept;
/// Is it one of those?
[[nodiscard]] GRAPHPROF_API bool isCopySite(const Site &site) noexcept;

/// Makes a copy in `stream` with `copy()`, timed where it is to be, as `described()` says what it
/// is. One that fails is no region.
template <class Described, class Copy>
auto copied(CUstream_st *stream, Described described, Copy copy) {
  if (!active() || current_step() < 0)
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

} // namespace detail
} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_DETAIL_TIMED_COPY_H
