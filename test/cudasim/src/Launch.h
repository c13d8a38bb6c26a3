// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A launch of a kernel with attributes: what they make of it in a stream and in a capture, where
// the programmatic ones become edges. Both APIs' attributes are one layout.

#ifndef CUDASIM_SRC_LAUNCH_H
#define CUDASIM_SRC_LAUNCH_H

#include "Op.h"

#include <span>

namespace cudasim {

// Of those that a node has too; others are not kept.
void keepAttribute(KernelOp &op, const cudaLaunchAttribute &attribute);

cudaError_t launch(Device &device, cudaStream_t stream, KernelOp op,
                   std::span<const cudaLaunchAttribute> attributes = {});

} // namespace cudasim

#endif // CUDASIM_SRC_LAUNCH_H
