// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The kernels of bench(): a gate that holds a stream until its work is enqueued, one that reads the
// SM clock, and one that empties the L2 cache.
//
// cuda/make-ptx makes BenchKernels.ptx from this file, for builds without nvcc.

static __device__ unsigned long long deviceTimeNs() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

// Gives up after a while and reports that. Otherwise a host that cannot enqueue more behind the
// closed gate would wait for ever.
extern "C" __global__ void graphprof_gate(const volatile unsigned long long *open,
                                          volatile unsigned long long *late,
                                          unsigned long long patienceNs) {
  const unsigned long long begin = deviceTimeNs();
  while (*open == 0)
    if (deviceTimeNs() - begin > patienceNs) {
      *late = 1;
      return;
    }
}

// Launched with more blocks than multiprocessors. Each multiprocessor counts its own cycles, so the
// same one must always answer. Source: nvbench's get_timestamps_kernel.
extern "C" __global__ void graphprof_sm_clock(volatile unsigned long long *reading) {
  unsigned multiprocessor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  if (multiprocessor != 0)
    return;
  reading[0] = deviceTimeNs();
  reading[1] = clock64();
}

// Only reads, so that the next kernel need not write the cache back.
extern "C" __global__ void graphprof_flush(const uint4 *data, unsigned long long count,
                                           unsigned *never) {
  unsigned sum = 0;
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i =
           static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += stride) {
    uint4 value;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(data + i));
    sum += value.x ^ value.y ^ value.z ^ value.w;
  }
  if (never) // null; makes the compiler keep the loads
    *never = sum;
}
