// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which copies are timed, of those that a thread makes in a step of its own (graphprof/step.h).
// Outside of steps no copy is timed, so setting up the program costs nothing.
//
// A timed copy is a region: "h2d" from the host to the device, "d2h" the other way, "d2d" within
// devices, with its bytes and its kind of host memory ("pinned", "pageable", "managed"). Copies
// between two devices (cudaMemcpyPeer) are not timed.
//
// graphprof/c_steps.h has the same for C.
//
// Source of the modes and names: TraceML's init(mode=..., patch_h2d=...) and wrap_h2d().

#ifndef GRAPHPROF_COPIES_H
#define GRAPHPROF_COPIES_H

#include <cstdint>

#include "graphprof/detail/export.h"

namespace graphprof {
inline namespace v1 {

enum class CopyMode : std::uint8_t {
  Auto,      ///< every copy that the tool redirects
  Selective, ///< copies while their thread has a patch_h2d, and copies from wrap_h2d()
  Manual,    ///< only copies from wrap_h2d()
};

/// For all threads. If the program sets nothing, GRAPHPROF_COPIES decides: "auto", "selective" or
/// "manual", with ",d2h" and ",d2d" for the other directions.
struct CopyOptions {
  CopyMode mode = CopyMode::Auto;
  bool d2h = false; ///< from the device to the host too
  bool d2d = false; ///< within devices too
};
GRAPHPROF_API void set_copies(const CopyOptions &options) noexcept;
/// The options in effect: those that were set, otherwise those of the environment.
[[nodiscard]] GRAPHPROF_API CopyOptions copies() noexcept;

namespace detail {
/// The next copy of this thread is timed if it is from there. Does nothing outside of steps.
GRAPHPROF_API void wrapCopy(const void *source) noexcept;
/// A patch_h2d of this thread begins, or ends.
GRAPHPROF_API void patchCopies(bool begins) noexcept;
} // namespace detail

/// Host memory, as wrap_h2d() returns it.
template <class T> class WrappedH2D {
public:
  explicit WrappedH2D(T *source) noexcept : source_(source) {}
  operator T *() const noexcept { // NOLINT(google-explicit-constructor): it is handed to copies
    detail::wrapCopy(source_);
    return source_;
  }

private:
  T *source_;
};

/// The copy that gets it is timed, in every mode:
///
///     cudaMemcpy(device, graphprof::wrap_h2d(batch.data()), bytes, cudaMemcpyHostToDevice);
///
/// If several copies get it, each is timed. In CopyMode::Auto a copy is timed once, with or without
/// it.
template <class T> WrappedH2D<T> wrap_h2d(T *source) noexcept { return WrappedH2D<T>(source); }
/// Wrapped already.
template <class T> void wrap_h2d(WrappedH2D<T> source) = delete;

/// While it exists, this thread's copies are timed in CopyMode::Selective. Guards nest.
class [[nodiscard]] patch_h2d {
public:
  GRAPHPROF_API patch_h2d() noexcept;
  GRAPHPROF_API ~patch_h2d();
  patch_h2d(const patch_h2d &) = delete;
  patch_h2d &operator=(const patch_h2d &) = delete;
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_COPIES_H
