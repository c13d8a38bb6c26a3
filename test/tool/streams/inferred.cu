// RUN: %instrument %s -o %t.cu -- %cuda
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
//
// The stream that a region's launches and calls show, where it is one and known when the region begins.

#include <cuda_runtime.h>

__global__ void kernel();
void work(cudaStream_t, int = 0);
void defaulted(int, cudaStream_t = nullptr);
struct Stream {
  operator cudaStream_t() const;
  cudaStream_t get() const;
};
struct Context {
  cudaStream_t stream;
  cudaStream_t streams[2];
  Stream wrapped;
  cudaStream_t main() const;
};
struct Guard { Guard(cudaStream_t); };
cudaStream_t global;

void inferred(cudaStream_t s, Context &c, Context *p, Stream w, int i, float *data) {
  // CHECK-LABEL: void inferred({{.*}}
  [[graphprof::time("launch")]] kernel<<<1, 1, 0, s>>>();
  // CHECK: { GRAPHPROF_SCOPE(1, "launch", ::graphprof::on_stream(s)); kernel<<<1, 1, 0, s>>>(); }
  [[graphprof::time("default")]] kernel<<<1, 1>>>();
  // CHECK: { GRAPHPROF_SCOPE(2, "default", ::graphprof::on_stream(0)); kernel<<<1, 1>>>(); }
  [[graphprof::time("all defaults")]] { kernel<<<1, 1>>>(); defaulted(1); cudaMemsetAsync(data, 0, 4); work(0); kernel<<<1, 1, 0, nullptr>>>(); }
  // CHECK: { GRAPHPROF_SCOPE(3, "all defaults", ::graphprof::on_stream(0)); kernel<<<1, 1>>>(); defaulted(1); cudaMemsetAsync(data, 0, 4); work(0); kernel<<<1, 1, 0, nullptr>>>(); }
  [[graphprof::time("one")]] { kernel<<<1, 1, 0, s>>>(); cudaMemsetAsync(data, 0, 4, s); work((s)); Guard guard(s); }
  // CHECK: { GRAPHPROF_SCOPE(4, "one", ::graphprof::on_stream(s)); {{.*}}
  [[graphprof::time("member")]] { work(c.stream); kernel<<<1, 1, 0, c.stream>>>(); }
  // CHECK: { GRAPHPROF_SCOPE(5, "member", ::graphprof::on_stream(c.stream)); {{.*}}
  [[graphprof::time("pointer")]] work(p->stream);
  // CHECK: { GRAPHPROF_SCOPE(6, "pointer", ::graphprof::on_stream(p->stream)); {{.*}}
  [[graphprof::time("element")]] work(c.streams[i % 2]);
  // CHECK: { GRAPHPROF_SCOPE(7, "element", ::graphprof::on_stream(c.streams[i % 2])); {{.*}}
  [[graphprof::time("accessor")]] work(c.main());
  // CHECK: { GRAPHPROF_SCOPE(8, "accessor", ::graphprof::on_stream(c.main())); {{.*}}
  [[graphprof::time("conversion")]] work(w);
  // CHECK: { GRAPHPROF_SCOPE(9, "conversion", ::graphprof::on_stream(w)); {{.*}}
  [[graphprof::time("nested")]] work(c.wrapped.get());
  // CHECK: { GRAPHPROF_SCOPE(10, "nested", ::graphprof::on_stream(c.wrapped.get())); {{.*}}
  [[graphprof::time("global")]] work(global);
  // CHECK: { GRAPHPROF_SCOPE(11, "global", ::graphprof::on_stream(global)); {{.*}}
  [[graphprof::time("per thread")]] work(cudaStreamPerThread);
  // CHECK: { GRAPHPROF_SCOPE(12, "per thread", ::graphprof::on_stream(cudaStreamPerThread)); {{.*}}
  [[graphprof::time("cast")]] work(reinterpret_cast<cudaStream_t>(data));
  // CHECK: { GRAPHPROF_SCOPE(13, "cast", ::graphprof::on_stream(reinterpret_cast<cudaStream_t>(data))); {{.*}}
  [[graphprof::time("given", stream = c.stream)]] { work(s); work(global); }
  // CHECK: { GRAPHPROF_SCOPE(14, "given", ::graphprof::on_stream(c.stream)); {{.*}}
  [[graphprof::time("in a lambda")]] [&] { kernel<<<1, 1, 0, s>>>(); }();
  // CHECK: { GRAPHPROF_SCOPE(15, "in a lambda", ::graphprof::on_stream(s)); {{.*}}
}
