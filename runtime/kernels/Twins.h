// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The timed twins of kernels that the program's shared objects have told of
// (graphprof/device/recording.h). Knows no graph.

#ifndef GRAPHPROF_KERNELS_TWINS_H
#define GRAPHPROF_KERNELS_TWINS_H

#include <functional>

#include "graphprof/device/recording.h"

namespace graphprof {

/// Calls `use` for each twin, in the order in which they came. They stay meanwhile: an object that
/// is being unloaded waits. Any thread may call it.
void forEachKernelTwin(const std::function<void(const device::Twin &)> &use);

/// Whether there is any. One load.
[[nodiscard]] bool anyKernelTwin() noexcept;

} // namespace graphprof

#endif // GRAPHPROF_KERNELS_TWINS_H
