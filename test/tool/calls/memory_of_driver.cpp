// RUN: %instrument %s -o %t.cpp -- %cxx
// RUN: FileCheck %s --match-full-lines < %t.cpp
// RUN: %instrument %t.cpp -o %t.again.cpp -- %cxx
// RUN: cmp %t.cpp %t.again.cpp
// RUN: %compile %t.cpp
//
// RUN: %instrument %s -o %t.ptsz.cpp -- %cxx -DCUDA_API_PER_THREAD_DEFAULT_STREAM
// RUN: cmp %t.cpp %t.ptsz.cpp
//
// Copies and allocations through the driver API, whose names are macros for a version of the function.

#include <cuda.h>

// CHECK:      #include <graphprof/cuda_driver.h>
// CHECK-NEXT: #line 1 "{{.*}}memory_of_driver.cpp"

template <auto Function, class... T> CUresult call(T... t) { return Function(t...); }

CUresult run(const void *from, void *host, CUstream s, CUmemoryPool pool, const CUmemAllocationProp *properties) {
  // CHECK-LABEL: CUresult run({{.*}}
  CUdeviceptr d = 0;
  size_t pitch = 0;
  cuMemAlloc(&d, 4), ::cuMemAlloc_v2(&d, 4), cuMemAllocManaged(&d, 4, 1);
  // CHECK: ::graphprof::cuda::cuMemAlloc(&d, 4), ::graphprof::cuda::cuMemAlloc(&d, 4), ::graphprof::cuda::cuMemAllocManaged(&d, 4, 1);
  cuMemAllocPitch(&d, &pitch, 4, 4, 4), cuMemAllocAsync(&d, 4, s), cuMemAllocFromPoolAsync(&d, 4, pool, s);
  // CHECK: ::graphprof::cuda::cuMemAllocPitch(&d, &pitch, 4, 4, 4), ::graphprof::cuda::cuMemAllocAsync(&d, 4, s), ::graphprof::cuda::cuMemAllocFromPoolAsync(&d, 4, pool, s);
  cuMemAllocHost(&host, 4), cuMemHostAlloc(&host, 4, 0);
  // CHECK: ::graphprof::cuda::cuMemAllocHost(&host, 4), ::graphprof::cuda::cuMemHostAlloc(&host, 4, 0);
  cuMemcpyHtoD(d, from, 4), cuMemcpyHtoDAsync(d, from, 4, s);
  // CHECK: ::graphprof::cuda::cuMemcpyHtoD(d, from, 4), ::graphprof::cuda::cuMemcpyHtoDAsync(d, from, 4, s);
  cuMemcpy(d, d, 4), cuMemcpyDtoH(host, d, 4), cuMemcpy2D_v2(nullptr), cuMemcpyBatchAsync(&d, &d, &pitch, 1, nullptr, nullptr, 0, s);
  // CHECK: ::graphprof::cuda::cuMemcpy(d, d, 4), ::graphprof::cuda::cuMemcpyDtoH(host, d, 4), ::graphprof::cuda::cuMemcpy2D(nullptr), ::graphprof::cuda::cuMemcpyBatchAsync(&d, &d, &pitch, 1, nullptr, nullptr, 0, s);
  CUmemGenericAllocationHandle h = 0;
  cuMemCreate(&h, 4, properties, 0), cuMemMap(d, 4, 0, h, 0), cuMemRetainAllocationHandle(&h, host);
  // CHECK: ::graphprof::cuda::cuMemCreate(&h, 4, properties, 0), ::graphprof::cuda::cuMemMap(d, 4, 0, h, 0), ::graphprof::cuda::cuMemRetainAllocationHandle(&h, host);
  cuMemRelease(h), cuMemUnmap(d, 4);
  // CHECK: ::graphprof::cuda::cuMemRelease(h), ::graphprof::cuda::cuMemUnmap(d, 4);
  auto release = &cuMemFree;
  // CHECK: auto release = &::graphprof::cuda::cuMemFree;
  return release(d) ? call<cuMemFreeAsync>(d, s) : cuMemFreeHost(host);
  // CHECK: return release(d) ? call<::graphprof::cuda::cuMemFreeAsync>(d, s) : ::graphprof::cuda::cuMemFreeHost(host);
}
