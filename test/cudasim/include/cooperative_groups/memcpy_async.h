// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Copies by a group of threads: declared, as in cooperative_groups.h.

#ifndef CUDASIM_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define CUDASIM_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__CUDA__)

namespace cooperative_groups {

template <typename Group, typename To, typename From, typename Size>
__device__ void memcpy_async(const Group &group, To *to, const From *from, const Size &bytes);
template <typename Group, typename To, typename ToSize, typename From, typename FromSize>
__device__ void memcpy_async(const Group &group, To *to, const ToSize &toSize, const From *from,
                             const FromSize &fromSize);
template <typename Group> __device__ void wait(const Group &group);
template <unsigned int Stages, typename Group> __device__ void wait_prior(const Group &group);

} // namespace cooperative_groups

#endif

#endif // CUDASIM_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
