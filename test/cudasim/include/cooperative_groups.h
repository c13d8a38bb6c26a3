// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Groups of threads, as CUDA declares them for device code. The simulation never executes device
// code: they are declared so that kernels parse, and host code that calls them does not compile.
// Whether a cooperative launch fits on the device is checked when it is launched.

#ifndef CUDASIM_COOPERATIVE_GROUPS_H
#define CUDASIM_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#if defined(__cplusplus) && defined(__CUDA__)

#define _CG_HAS_CLUSTER_GROUP

namespace cooperative_groups {

class thread_group {
public:
  __device__ unsigned long long size() const;
  __device__ unsigned long long num_threads() const;
  __device__ unsigned long long thread_rank() const;
  __device__ void sync() const;
  __device__ unsigned int get_type() const;
};

class thread_block : public thread_group {
public:
  struct arrival_token {};
  __device__ static void sync();
  __device__ static unsigned int thread_rank();
  __device__ static unsigned int size();
  __device__ static unsigned int num_threads();
  __device__ static dim3 group_index();
  __device__ static dim3 thread_index();
  __device__ static dim3 group_dim();
  __device__ static dim3 dim_threads();
  __device__ arrival_token barrier_arrive();
  __device__ void barrier_wait(arrival_token &&);
};

class grid_group : public thread_group {
public:
  struct arrival_token {};
  __device__ bool is_valid() const;
  __device__ void sync() const;
  __device__ unsigned long long size() const;
  __device__ unsigned long long num_threads() const;
  __device__ unsigned long long thread_rank() const;
  __device__ static dim3 group_dim();
  __device__ static dim3 dim_blocks();
  __device__ static dim3 block_index();
  __device__ static unsigned long long num_blocks();
  __device__ static unsigned long long block_rank();
  __device__ static dim3 dim_clusters();
  __device__ static unsigned long long num_clusters();
  __device__ static dim3 cluster_index();
  __device__ static unsigned long long cluster_rank();
  __device__ arrival_token barrier_arrive() const;
  __device__ void barrier_wait(arrival_token &&) const;
};

class cluster_group : public thread_group {
public:
  struct arrival_token {};
  __device__ static void sync();
  __device__ static arrival_token barrier_arrive();
  __device__ static void barrier_wait();
  __device__ static void barrier_wait(arrival_token &&);
  __device__ static unsigned int query_shared_rank(const void *address);
  template <typename T> __device__ static T *map_shared_rank(T *address, int rank);
  __device__ static dim3 block_index();
  __device__ static unsigned int block_rank();
  __device__ static dim3 thread_index();
  __device__ static unsigned int thread_rank();
  __device__ static dim3 dim_blocks();
  __device__ static unsigned int num_blocks();
  __device__ static dim3 dim_threads();
  __device__ static unsigned int num_threads();
  __device__ static unsigned int size();
};

// What coalesced groups and tiles have in common.
class cudasim_warp_group : public thread_group {
public:
  __device__ void sync() const;
  __device__ unsigned int size() const;
  __device__ unsigned int num_threads() const;
  __device__ unsigned int thread_rank() const;
  __device__ unsigned int meta_group_size() const;
  __device__ unsigned int meta_group_rank() const;
  template <typename T> __device__ T shfl(T value, unsigned int rank) const;
  template <typename T> __device__ T shfl_up(T value, unsigned int delta) const;
  template <typename T> __device__ T shfl_down(T value, unsigned int delta) const;
  __device__ int any(int predicate) const;
  __device__ int all(int predicate) const;
  __device__ unsigned int ballot(int predicate) const;
  template <typename T> __device__ unsigned int match_any(T value) const;
  template <typename T> __device__ unsigned int match_all(T value, int &predicate) const;
};

class coalesced_group : public cudasim_warp_group {};

template <unsigned int Size, typename Parent = void>
class thread_block_tile : public cudasim_warp_group {
  static_assert(Size > 0 && (Size & (Size - 1)) == 0 && Size <= 1024,
                "the size of a tile is a power of two, at most that of a block");

public:
  __device__ thread_block_tile();
  __device__ thread_block_tile(const thread_block_tile<Size, void> &);
  template <typename Other> __device__ operator thread_block_tile<Size, Other>() const;
  __device__ static constexpr unsigned int size() { return Size; }
  __device__ static constexpr unsigned int num_threads() { return Size; }
  template <typename T> __device__ T shfl_xor(T value, unsigned int mask) const;
};

template <unsigned int Size> struct block_tile_memory {
  char cudasim_bytes[Size];
};

__device__ thread_block this_thread_block();
template <unsigned int Size> __device__ thread_block this_thread_block(block_tile_memory<Size> &);
__device__ grid_group this_grid();
__device__ cluster_group this_cluster();
__device__ coalesced_group coalesced_threads();

__device__ thread_group tiled_partition(const thread_group &parent, unsigned int size);
__device__ coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size);
template <unsigned int Size, typename Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &parent);
template <typename Parent>
__device__ coalesced_group labeled_partition(const Parent &parent, int label);
template <typename Parent>
__device__ coalesced_group binary_partition(const Parent &parent, bool predicate);

template <typename Group> __device__ void sync(const Group &group);
template <typename Group> __device__ unsigned int thread_rank(const Group &group);
template <typename Group> __device__ unsigned int group_size(const Group &group);
template <typename Group, typename Function>
__device__ void invoke_one(const Group &group, Function &&function);
template <typename Group, typename Function>
__device__ auto invoke_one_broadcast(const Group &group, Function &&function)
    -> decltype(function());

} // namespace cooperative_groups

#endif

#endif // CUDASIM_COOPERATIVE_GROUPS_H
