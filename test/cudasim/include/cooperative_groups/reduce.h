// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reductions over a group of threads: declared, as in cooperative_groups.h.

#ifndef CUDASIM_COOPERATIVE_GROUPS_REDUCE_H
#define CUDASIM_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__CUDA__)

namespace cooperative_groups {

#define CUDASIM_OPERATION(NAME)                                                                    \
  template <typename T> struct NAME {                                                              \
    __device__ T operator()(T a, T b) const;                                                       \
  };
CUDASIM_OPERATION(plus)
CUDASIM_OPERATION(less)
CUDASIM_OPERATION(greater)
CUDASIM_OPERATION(bit_and)
CUDASIM_OPERATION(bit_or)
CUDASIM_OPERATION(bit_xor)
#undef CUDASIM_OPERATION

template <typename Group, typename T, typename Operation>
__device__ T reduce(const Group &group, T value, Operation &&operation);
template <typename Group, typename To, typename T, typename Operation>
__device__ void reduce_update_async(const Group &group, To &atomic, T value, Operation &&operation);
template <typename Group, typename To, typename T, typename Operation>
__device__ void reduce_store_async(const Group &group, To *to, T value, Operation &&operation);

} // namespace cooperative_groups

#endif

#endif // CUDASIM_COOPERATIVE_GROUPS_REDUCE_H
