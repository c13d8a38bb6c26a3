// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Kernel launches with attributes, in streams and captures, where the programmatic ones become
// edges. The layout of attributes is the same in both APIs.

#ifndef CUDASIM_SRC_LAUNCH_H
#define CUDASIM_SRC_LAUNCH_H

#include "Op.h"

#include <span>

namespace cudasim {

// Keeps an attribute that nodes have, too. Others are dropped.
void keepAttribute(KernelOp &op, const cudaLaunchAttribute &attribute);

// The most shared memory of a block with these attributes.
std::size_t mostSharedBytes(std::span<const cudaLaunchAttribute> attributes);

cudaError_t launch(Device &device, cudaStream_t stream, KernelOp op,
                   std::span<const cudaLaunchAttribute> attributes = {});

} // namespace cudasim

#endif // CUDASIM_SRC_LAUNCH_H
