// RUN: %instrument --auto launches %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument --auto launches %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// --auto launches times every launch, wherever an expression may stand.
// SAID: 1 region, 0 redirected calls, 21 launches timed (1 on a stream that is not known there: {{.*}}), 8 not (1 among several in one use of a macro, 1 in a constexpr function, 3 in an unevaluated operand, 3 outside the bodies of functions), 1 ignored construct

#include <cuda_runtime.h>

template <class T> __global__ void scale(T *x) {}
__global__ void step(float *x) {}
namespace math { __global__ void add(float *x) {} }
void *const Step = (void *)step;

#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) throw 1; } while (false)
#define TWICE(call) ((call), (call))
#define LAUNCH(k, s, x) k<<<1, 1, 0, s>>>(x)
#define CHECKED(k, s, x) do { k<<<1, 1, 0, s>>>(x); CHECK(cudaSuccess); } while (false)
#define WITH_SEMICOLON(k, s, x) k<<<1, 1, 0, s>>>(x);
#define TWO(k, s, x) do { k<<<1, 1, 0, s>>>(x); k<<<1, 1, 0, s>>>(x); } while (false)
#define SEQUENCE(k, s, x) k<<<1, 1, 0, s>>>(x); x = nullptr

cudaStream_t next();
int value(cudaError_t);

static cudaError_t global = cudaLaunchKernel(Step, 1, 1, nullptr, 0, 0);
// CHECK: static cudaError_t global = cudaLaunchKernel(Step, 1, 1, nullptr, 0, 0);
struct Member { cudaError_t error = cudaLaunchKernel(Step, 1, 1, nullptr, 0, 0); };
// CHECK: struct Member { cudaError_t error = cudaLaunchKernel(Step, 1, 1, nullptr, 0, 0); };
void defaults(cudaError_t error = cudaLaunchKernel(Step, 1, 1, nullptr, 0, 0)) {}
// CHECK: void defaults(cudaError_t error = cudaLaunchKernel(Step, 1, 1, nullptr, 0, 0)) {}
constexpr int constant(bool launch) { return launch ? value(cudaLaunchKernel(Step, 1, 1, nullptr, 0, 0)) : 0; }
// CHECK: constexpr int constant(bool launch) { return launch ? value(cudaLaunchKernel(Step, 1, 1, nullptr, 0, 0)) : 0; }

template <class T, class Kernel> void generic(T *x, cudaStream_t s, Kernel kernel) {
  scale<T><<<1, 1, 0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "scale<T>", ::graphprof::on_stream(s)), scale<T><<<1, 1, 0, s>>>(x));
  scale<<<1, 1>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "scale", ::graphprof::on_stream(0)), scale<<<1, 1>>>(x));
  kernel<<<1, 1, 0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "kernel", ::graphprof::on_stream(s)), kernel<<<1, 1, 0, s>>>(x));
}

struct Layer {
  cudaError_t error;
  Layer(cudaStream_t s) : error(cudaLaunchKernel(Step, 1, 1, nullptr, 0, s)) {}
  // CHECK: Layer(cudaStream_t s) : error((GRAPHPROF_TIMED({{[0-9]+}}, "Step", ::graphprof::on_stream(s)), cudaLaunchKernel(Step, 1, 1, nullptr, 0, s))) {}
};

cudaError_t places(float *x, cudaStream_t s, bool which, int n) {
  scale< float ><<<1, 2, 0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "scale< float >", ::graphprof::on_stream(s)), scale< float ><<<1, 2, 0, s>>>(x));
  math::add<<<1, 2, 0, next()>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "add", ::graphprof::on_capture()), math::add<<<1, 2, 0, next()>>>(x));
  CHECK(cudaLaunchKernel((const void *)&math::add, 1, 1, nullptr, 0, s));
  // CHECK: CHECK((GRAPHPROF_TIMED({{[0-9]+}}, "add", ::graphprof::on_stream(s)), cudaLaunchKernel((const void *)&math::add, 1, 1, nullptr, 0, s)));
  CHECK(cudaLaunchKernel((const void *)&scale<float>, 1, 1, nullptr, 0, s));
  // CHECK: CHECK((GRAPHPROF_TIMED({{[0-9]+}}, "scale<float>", ::graphprof::on_stream(s)), cudaLaunchKernel((const void *)&scale<float>, 1, 1, nullptr, 0, s)));
  TWICE(cudaLaunchKernel((void *)step, 1, 1, nullptr, 0, s));
  // CHECK: TWICE((GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(s)), cudaLaunchKernel((void *)step, 1, 1, nullptr, 0, s)));
  LAUNCH(step, s, x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(s)), LAUNCH(step, s, x));
  if (which) CHECKED(step, s, x); else WITH_SEMICOLON(math::add, s, x)
  // CHECK: if (which) { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_stream(s)); CHECKED(step, s, x); } else { GRAPHPROF_SCOPE({{[0-9]+}}, "add", ::graphprof::on_stream(s)); WITH_SEMICOLON(math::add, s, x) }
  TWO(step, s, x);
  // CHECK: TWO(step, s, x);
  SEQUENCE(step, s, x);
  // CHECK: { GRAPHPROF_SCOPE({{[0-9]+}}, "step", ::graphprof::on_stream(s)); SEQUENCE(step, s, x); }
  if (which) step<<<1, 1, 0, s>>>(x);
  // CHECK: if (which) (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(s)), step<<<1, 1, 0, s>>>(x));
  for (int i = 0; i < n; step<<<1, 1, 0, s>>>(x)) ++i;
  // CHECK: for (int i = 0; i < n; (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(s)), step<<<1, 1, 0, s>>>(x))) ++i;
  which ? step<<<1, 1>>>(x) : void();
  // CHECK: which ? (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(0)), step<<<1, 1>>>(x)) : void();
  switch (n) { case 1: step<<<1, 1>>>(x); }
  // CHECK: switch (n) { case 1: (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(0)), step<<<1, 1>>>(x)); }
  auto later = [=](cudaStream_t t) { step<<<1, 1, 0, t>>>(x); };
  // CHECK: auto later = [=](cudaStream_t t) { (GRAPHPROF_TIMED({{[0-9]+}}, "step", ::graphprof::on_stream(t)), step<<<1, 1, 0, t>>>(x)); };
  cudaError_t braced{cudaLaunchKernel(Step, 1, 1, nullptr, 0, s)};
  // CHECK: cudaError_t braced{(GRAPHPROF_TIMED({{[0-9]+}}, "Step", ::graphprof::on_stream(s)), cudaLaunchKernel(Step, 1, 1, nullptr, 0, s))};
  cudaLaunchConfig_t config = {};
  if (auto error = cudaLaunchKernelExC(&config, Step, nullptr)) return error;
  // CHECK: if (auto error = (GRAPHPROF_TIMED({{[0-9]+}}, "Step", ::graphprof::on_stream(config.stream)), cudaLaunchKernelExC(&config, Step, nullptr))) return error;
  using Type = decltype(cudaLaunchKernel(Step, 1, 1, nullptr, 0, s));
  // CHECK: using Type = decltype(cudaLaunchKernel(Step, 1, 1, nullptr, 0, s));
  static_assert(!noexcept(cudaLaunchKernel(Step, 1, 1, nullptr, 0, s)) && sizeof(cudaLaunchKernel(Step, 1, 1, nullptr, 0, s)) != 0);
  // CHECK: static_assert(!noexcept(cudaLaunchKernel(Step, 1, 1, nullptr, 0, s)) && sizeof(cudaLaunchKernel(Step, 1, 1, nullptr, 0, s)) != 0);
  [[graphprof::time("named")]] step<<<1, 1, 0, s>>>(x);
  // CHECK: { GRAPHPROF_SCOPE({{[0-9]+}}, "named", ::graphprof::on_stream(s)); step<<<1, 1, 0, s>>>(x); }
  [[graphprof::ignore]] step<<<1, 1, 0, s>>>(x);
  // CHECK: /*{{\[\[}}graphprof::ignore]]*/ step<<<1, 1, 0, s>>>(x);
  return cudaLaunchKernel(Step, 1, 1, nullptr, 0, s);
  // CHECK: return (GRAPHPROF_TIMED({{[0-9]+}}, "Step", ::graphprof::on_stream(s)), cudaLaunchKernel(Step, 1, 1, nullptr, 0, s));
}
