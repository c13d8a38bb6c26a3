// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: grep -v '^ *//' %t.cu | FileCheck %s
// RUN: %compile %t.cu
// RUN: %instrument %s -o - -- %cuda -DCUDA_API_PER_THREAD_DEFAULT_STREAM > %t.thread.cu
// RUN: grep -v '^ *//' %t.thread.cu | FileCheck %s --check-prefix=PER-THREAD
//
// A region without a name behind a macro: named after the one call in the macro's arguments, as without the macro.

#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    cudaError_t error = (call);                                                                                        \
    if (error != cudaSuccess)                                                                                          \
      fail(cudaGetErrorString(error), #call);                                                                          \
  } while (0)
#define CHECK_CALL(...) check((__VA_ARGS__), #__VA_ARGS__, __LINE__)
#define OUTER(call, text) CHECK(call)
#define TWICE(call) call, call
#define LAUNCH(e, s) cudaGraphLaunch(e, s)
#define SEVERAL(x) do { prepare(); x; } while (0)

void fail(const char *, const char *);
void check(cudaError_t, const char *, int);
void prepare();
cudaError_t work(cudaStream_t, cudaGraphExec_t = nullptr);
cudaGraphExec_t exec();
__global__ void kernel(int);
struct Layer { cudaError_t forward(cudaStream_t); };

cudaError_t names(cudaGraphExec_t e, cudaStream_t s, Layer &layer) {
  [[graphprof::time]] CHECK(cudaGraphLaunch(e, s));
  // CHECK: GRAPHPROF_SCOPE(1, "cudaGraphLaunch", ::graphprof::on_stream(s))
  // PER-THREAD: GRAPHPROF_SCOPE(1, "cudaGraphLaunch", ::graphprof::on_stream(s))
  [[graphprof::time]] CHECK_CALL(cudaGraphLaunch(e, s));
  // CHECK: GRAPHPROF_SCOPE(2, "cudaGraphLaunch",
  [[graphprof::time]] OUTER(layer.forward(s), "text");
  // CHECK: GRAPHPROF_SCOPE(3, "forward",
  [[graphprof::time]] TWICE(work(s));
  // CHECK: GRAPHPROF_SCOPE(4, "work",
  [[graphprof::time]] CHECK(work(s, exec()));
  // CHECK: GRAPHPROF_SCOPE(5, "work",
  [[graphprof::time]] SEVERAL((kernel<<<1, 1, 0, s>>>(1)));
  // CHECK: GRAPHPROF_SCOPE(6, "kernel",
  [[graphprof::time]] cudaGraphLaunch(e, s);
  // CHECK: GRAPHPROF_SCOPE(7, "cudaGraphLaunch",
  // PER-THREAD: GRAPHPROF_SCOPE(7, "cudaGraphLaunch",
  // What has no call of its own, or more than one.
  [[graphprof::time]] LAUNCH(e, s);
  // CHECK: GRAPHPROF_SCOPE(8, "names:[[#@LINE-1]]",
  [[graphprof::time]] CHECK(work(s) == cudaSuccess ? work(s) : cudaSuccess);
  // CHECK: GRAPHPROF_SCOPE(9, "names:[[#@LINE-1]]",
  [[graphprof::time]] CHECK_CALL(work(s)), CHECK_CALL(work(s));
  // CHECK: GRAPHPROF_SCOPE(10, "names:[[#@LINE-1]]",
  [[graphprof::time]] CHECK([&] { return work(s); }());
  // CHECK: GRAPHPROF_SCOPE(11, "names:[[#@LINE-1]]",
  return cudaSuccess;
}
