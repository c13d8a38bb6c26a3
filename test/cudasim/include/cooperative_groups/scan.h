// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Scans over a group of threads: declared, as in cooperative_groups.h.

#ifndef CUDASIM_COOPERATIVE_GROUPS_SCAN_H
#define CUDASIM_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__cplusplus) && defined(__CUDA__)

namespace cooperative_groups {

template <typename Group, typename T> __device__ T inclusive_scan(const Group &group, T value);
template <typename Group, typename T, typename Operation>
__device__ T inclusive_scan(const Group &group, T value, Operation &&operation);
template <typename Group, typename T> __device__ T exclusive_scan(const Group &group, T value);
template <typename Group, typename T, typename Operation>
__device__ T exclusive_scan(const Group &group, T value, Operation &&operation);

} // namespace cooperative_groups

#endif

#endif // CUDASIM_COOPERATIVE_GROUPS_SCAN_H
