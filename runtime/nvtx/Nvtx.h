// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions, steps, ranges and marks for NVTX tools (Nsight Systems), in the domain "graphprof". Does
// nothing if no tool listens, or if graphprof was built without NVTX.

#ifndef GRAPHPROF_NVTX_NVTX_H
#define GRAPHPROF_NVTX_NVTX_H

#include <cstdint>
#include <memory>

#include "cuda/Driver.h"

namespace graphprof {
class Capture;
}

namespace graphprof::nvtx {

/// Does a tool listen? Checked once.
[[nodiscard]] bool listens() noexcept;

/// A range of this thread. Ranges nest.
void push(const char *name) noexcept;
void pop() noexcept;
void mark(const char *name) noexcept;

/// A range that may end on another thread.
[[nodiscard]] std::uint64_t start(const char *name) noexcept;
void end(std::uint64_t range) noexcept;

/// The capture that this thread began in `stream` is about to end. Also ends the regions of the
/// program's own ranges that are still open in it.
void captureEnds(driver::Stream stream) noexcept;
/// This thread adds to `capture`, which another thread began. From now on the open
/// ranges of this thread are regions of that capture, too.
void joined(const std::shared_ptr<Capture> &capture);

} // namespace graphprof::nvtx

#endif // GRAPHPROF_NVTX_NVTX_H
