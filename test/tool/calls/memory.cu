// RUN: %instrument %s -o %t.cu --report %t.json -- %cuda 2>&1 | FileCheck %s --check-prefix=SUMMARY
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile -Werror %t.cu
// RUN: %instrument %s -o %t.plain.cu --no-memory -- %cuda 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: cmp %s %t.plain.cu
//
// Copies and allocations, in every form in which real programs refer to them: functions with overloads and templates of
// the same name. A file with nothing else to change gets the header too.

// CHECK:      #include <graphprof/cuda.h>
// CHECK-NEXT: #line 1 "{{.*}}memory.cu"
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if ((call) != cudaSuccess)                                                                                         \
      throw cudaGetErrorString(call);                                                                                  \
  } while (0)
#define NEW(pointer, count) cudaMalloc(&pointer, (count) * sizeof *pointer)
// CHECK: #define NEW(pointer, count) ::graphprof::cuda::cudaMalloc(&pointer, (count) * sizeof *pointer)
#define DEVICE_FREE cudaFree
// CHECK: #define DEVICE_FREE ::graphprof::cuda::cudaFree

__constant__ float table[4];

template <class Result, class... T> struct Callable {
  template <class Function> Callable(Function function) : call(function) {}
  Result (*call)(T...);
};
template <auto Function, class... T> void cudaTry(T... t) { Function(t...); }
template <class Function, class... T> void apply(Function f, T... t) { f(t...); }
struct Owner {
  operator void **();
};

void allocations(float *p, void *raw, cudaStream_t s, cudaMemPool_t pool, Owner owner) {
  // CHECK-LABEL: void allocations({{.*}}
  cudaMalloc(&p, 4);
  // CHECK: ::graphprof::cuda::cudaMalloc(&p, 4);
  cudaMalloc((void **)&p, 4);
  // CHECK: ::graphprof::cuda::cudaMalloc((void **)&p, 4);
  ::cudaMalloc<float>(&p, 4);
  // CHECK: ::graphprof::cuda::cudaMalloc<float>(&p, 4);
  cudaMalloc(owner, 4);
  // CHECK: ::graphprof::cuda::cudaMalloc(owner, 4);
  CHECK(cudaMallocHost(&raw, 4));
  // CHECK: CHECK(::graphprof::cuda::cudaMallocHost(&raw, 4));
  CHECK(cudaMallocHost(&p, 4, 0));
  // CHECK: CHECK(::graphprof::cuda::cudaMallocHost(&p, 4, 0));
  cudaMallocHost(owner, 4, 0);
  // CHECK: ::graphprof::cuda::cudaMallocHost(owner, 4, 0);
  cudaMallocAsync(&raw, 4, s), cudaMallocFromPoolAsync(&raw, 4, pool, s), cudaMallocManaged(&raw, 4);
  // CHECK: ::graphprof::cuda::cudaMallocAsync(&raw, 4, s), ::graphprof::cuda::cudaMallocFromPoolAsync(&raw, 4, pool, s), ::graphprof::cuda::cudaMallocManaged(&raw, 4);
  if (size_t pitch = 0; cudaMallocPitch(&raw, &pitch, 4, 4) || cudaHostAlloc(&raw, 4, 0))
    // CHECK: if (size_t pitch = 0; ::graphprof::cuda::cudaMallocPitch(&raw, &pitch, 4, 4) || ::graphprof::cuda::cudaHostAlloc(&raw, 4, 0))
    NEW(p, 4);
  // CHECK: NEW(p, 4);
  DEVICE_FREE(p), cudaFreeHost(raw), cudaFreeAsync(raw, s);
  // CHECK: DEVICE_FREE(p), ::graphprof::cuda::cudaFreeHost(raw), ::graphprof::cuda::cudaFreeAsync(raw, s);
}

void rows(cudaPitchedPtr *p, cudaExtent e, cudaArray_t a, const cudaChannelFormatDesc *c) {
  // CHECK-LABEL: void rows({{.*}}
  CHECK(cudaMalloc3D(p, e));
  // CHECK: CHECK(::graphprof::cuda::cudaMalloc3D(p, e));
  cudaMallocArray(&a, c, 4, 4), cudaFreeArray(a);
  // CHECK: cudaMallocArray(&a, c, 4, 4), cudaFreeArray(a);
}

void copies(float *p, const float *from, cudaStream_t s) {
  // CHECK-LABEL: void copies({{.*}}
  cudaMemcpy(p, from, 16, cudaMemcpyHostToDevice);
  // CHECK: ::graphprof::cuda::cudaMemcpy(p, from, 16, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(p, from, 16, cudaMemcpyDeviceToHost, s);
  // CHECK: ::graphprof::cuda::cudaMemcpyAsync(p, from, 16, cudaMemcpyDeviceToHost, s);
  cudaMemcpy2D(p, 4, from, 4, 4, 4, {}), cudaMemcpy2DAsync(p, 4, from, 4, 4, 4, {});
  // CHECK: ::graphprof::cuda::cudaMemcpy2D(p, 4, from, 4, 4, 4, {}), ::graphprof::cuda::cudaMemcpy2DAsync(p, 4, from, 4, 4, 4, {});
  cudaMemcpyToSymbol(table, from, 16);
  // CHECK: ::graphprof::cuda::cudaMemcpyToSymbol(table, from, 16);
  cudaMemcpyToSymbol<float[4]>(table, from, 16);
  // CHECK: ::graphprof::cuda::cudaMemcpyToSymbol<float[4]>(table, from, 16);
  cudaMemcpyToSymbolAsync(static_cast<const void *>(table), from, 16, 0, cudaMemcpyHostToDevice);
  // CHECK: ::graphprof::cuda::cudaMemcpyToSymbolAsync(static_cast<const void *>(table), from, 16, 0, cudaMemcpyHostToDevice);
  cudaMemcpyFromSymbol(p, table, 16), cudaMemcpyFromSymbolAsync(p, static_cast<const void *>(table), 16, 0, {}, s);
  // CHECK: ::graphprof::cuda::cudaMemcpyFromSymbol(p, table, 16), ::graphprof::cuda::cudaMemcpyFromSymbolAsync(p, static_cast<const void *>(table), 16, 0, {}, s);
  cudaMemcpy2DToArrayAsync(nullptr, 0, 0, from, 4, 4, 4, {}, s), cudaMemcpy2DFromArray(p, 4, nullptr, 0, 0, 4, 4, {});
  // CHECK: ::graphprof::cuda::cudaMemcpy2DToArrayAsync(nullptr, 0, 0, from, 4, 4, 4, {}, s), ::graphprof::cuda::cudaMemcpy2DFromArray(p, 4, nullptr, 0, 0, 4, 4, {});
  cudaMemcpy3D(nullptr), cudaMemcpyBatchAsync({}, {}, {}, 0, {}, {}, 0, s);
  // CHECK: ::graphprof::cuda::cudaMemcpy3D(nullptr), ::graphprof::cuda::cudaMemcpyBatchAsync({}, {}, {}, 0, {}, {}, 0, s);
  cudaMemsetAsync(p, 0, 16); // not a listed function
  // CHECK: cudaMemsetAsync(p, 0, 16); // not a listed function
}

void pointers(void *raw) {
  // CHECK-LABEL: void pointers({{.*}}
  cudaError_t (*c)(void **, size_t) = cudaMalloc;
  // CHECK: cudaError_t (*c)(void **, size_t) = ::graphprof::cuda::cudaMalloc;
  cudaError_t (*typed)(float **, size_t) = &cudaMalloc;
  // CHECK: cudaError_t (*typed)(float **, size_t) = &::graphprof::cuda::cudaMalloc;
  auto one = &cudaMallocHost<double>;
  // CHECK: auto one = &::graphprof::cuda::cudaMallocHost<double>;
  auto chosen = static_cast<cudaError_t (*)(void **, size_t, unsigned)>(cudaMallocHost);
  // CHECK: auto chosen = static_cast<cudaError_t (*)(void **, size_t, unsigned)>(::graphprof::cuda::cudaMallocHost);
  auto symbol = (cudaError_t (*)(const void *, const void *, size_t, size_t, cudaMemcpyKind))cudaMemcpyToSymbol;
  // CHECK: auto symbol = (cudaError_t (*)(const void *, const void *, size_t, size_t, cudaMemcpyKind))::graphprof::cuda::cudaMemcpyToSymbol;
  Callable<cudaError_t, void *> release = cudaFree;
  // CHECK: Callable<cudaError_t, void *> release = ::graphprof::cuda::cudaFree;
  cudaTry<cudaFree>(raw), apply(cudaFreeHost, raw), apply([](void *p) { cudaFree(p); }, raw);
  // CHECK: cudaTry<::graphprof::cuda::cudaFree>(raw), apply(::graphprof::cuda::cudaFreeHost, raw), apply([](void *p) { ::graphprof::cuda::cudaFree(p); }, raw);
  (void)c, (void)typed, (void)one, (void)chosen, (void)symbol, (void)release;
}

namespace program {
template <class T> struct Buffer {
  T *data = nullptr;
  explicit Buffer(size_t count) { CHECK(cudaMalloc(&data, count * sizeof(T))); }
  // CHECK: explicit Buffer(size_t count) { CHECK(::graphprof::cuda::cudaMalloc(&data, count * sizeof(T))); }
  void again(size_t count) { cudaMalloc<T>(&data, count); }
  // CHECK: void again(size_t count) { ::graphprof::cuda::cudaMalloc<T>(&data, count); }
  void fill(const T &value) { cudaMemcpyToSymbol(value, data, sizeof(T)); }
  // CHECK: void fill(const T &value) { ::graphprof::cuda::cudaMemcpyToSymbol(value, data, sizeof(T)); }
  ~Buffer() { cudaFree(data); }
  // CHECK: ~Buffer() { ::graphprof::cuda::cudaFree(data); }
};
template struct Buffer<int>;
using ::cudaFree;
// CHECK: using ::cudaFree;
void release(void *p) { program::cudaFree(p); }
// CHECK: void release(void *p) { ::graphprof::cuda::cudaFree(p); }
} // namespace program

// SUMMARY: memory.cu -> {{.*}}: 0 regions, 44 redirected calls;{{.*}}
// WITHOUT: memory.cu -> {{.*}}: 0 regions, 0 redirected calls{{$}}
// REPORT:      "name": "cudaMalloc",
// REPORT-NEXT: "kind": "memory"
