// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// An annotation inside a lambda's declarator times the lambda's body, wherever it stands there: behind the introducer,
// behind the parameters, behind what follows them. So does one behind a function's name or parameters.

#include <cuda_runtime.h>

void work(cudaStream_t);
template <class F> void call(F f) { f(); }

void lambdas(cudaStream_t s) {
  auto first = [=] [[graphprof::time]] () { work(s); };
  // CHECK: auto first = [=] () { GRAPHPROF_SCOPE(1, "first", ::graphprof::on_stream(s)); work(s); };
  auto second = [=](int n) [[graphprof::time("second {}", n)]] { work(s); };
  // CHECK: auto second = [=](int n) { GRAPHPROF_SCOPE(2, "second {}", ::graphprof::on_stream(s), n); work(s); };
  auto third = [=]() mutable noexcept [[graphprof::time]] -> int { work(s); return 1; };
  // CHECK: auto third = [=]() mutable noexcept -> int { GRAPHPROF_SCOPE(3, "third", ::graphprof::on_stream(s)); work(s); return 1; };
  call([=]() [[graphprof::time]] { work(s); });
  // CHECK: call([=]() { GRAPHPROF_SCOPE(4, "lambdas:[[#@LINE-1]]", ::graphprof::on_stream(s)); work(s); });
  auto generic = [=](auto n) [[graphprof::time("generic {}", n)]] { work(s); };
  // CHECK: auto generic = [=](auto n) { GRAPHPROF_SCOPE(5, "generic {}", ::graphprof::on_stream(s), n); work(s); };
  auto outer = [=]() [[graphprof::time]] { auto inner = [=]() [[graphprof::time]] { work(s); }; inner(); };
  // CHECK: auto outer = [=]() { GRAPHPROF_SCOPE(6, "outer", ::graphprof::on_stream(s)); auto inner = [=]() { GRAPHPROF_SCOPE(7, "inner", ::graphprof::on_stream(s)); work(s); }; inner(); };
  generic(1), second(2), first(), third(), outer();
}

void behindName [[graphprof::time]] (cudaStream_t s) { work(s); }
// CHECK: void behindName (cudaStream_t s) { GRAPHPROF_SCOPE(8, "behindName", ::graphprof::on_stream(s)); work(s); }
void behindParameters(cudaStream_t s) [[graphprof::time]] { work(s); }
// CHECK: void behindParameters(cudaStream_t s) { GRAPHPROF_SCOPE(9, "behindParameters", ::graphprof::on_stream(s)); work(s); }
template <class T> struct Special { void go(cudaStream_t); };
template <> [[graphprof::time]] void Special<int>::go(cudaStream_t s) { work(s); }
// CHECK: template <> void Special<int>::go(cudaStream_t s) { GRAPHPROF_SCOPE(10, "go", ::graphprof::on_stream(s)); work(s); }
void onDefault(cudaStream_t s, int n = [](cudaStream_t t) { work(t); return 1; }(nullptr)) [[graphprof::time]] { work(s); }
// CHECK: void onDefault({{.*}}) { GRAPHPROF_SCOPE(11, "onDefault", ::graphprof::on_stream(s)); work(s); }
