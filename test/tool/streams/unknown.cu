// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: FileCheck %s --check-prefix=OUT < %t.cu
// RUN: %compile %t.cu
//
// Where the stream is not known when the region begins, the region takes the stream that its thread captures, with a warning
// that gives the reason and says what to do.

#include <cuda_runtime.h>

__global__ void kernel();
void work(cudaStream_t);
void other();
void set(cudaStream_t &);
struct Pool { cudaStream_t next(); };
cudaStream_t current();
#define WORK work(s)
#define TWICE(x) do { x; x; } while (0)

__global__ void on(float *x);
template <class... Streams> void each(float *x, Streams... s) {
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 's' is not known where the region begins (it is one of a pack), so
  [[graphprof::time("fold")]] (on<<<1, 1, 0, s>>>(x), ...);
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 's' is not known where the region begins (it is one of a pack), so
  [[graphprof::time("list")]] { int all[] = {(on<<<1, 1, 0, s>>>(x), 0)...}; }
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 's' is not known where the region begins (it is one of a pack), so
  [[graphprof::time("lambda")]] ([&] { on<<<1, 1, 0, s>>>(x); }(), ...);
}
void both(float *x, cudaStream_t s, cudaStream_t t) { each(x, s, t); }

void unknown(cudaStream_t s, cudaStream_t t, Pool &pool, int i, cudaStream_t *streams) {
  // CHECK: :[[#@LINE+1]]:5: warning: this construct does not show its stream, so the region gets GPU times only while its thread captures; name it with 'stream = ...'
  [[graphprof::time("none")]] other();
  // CHECK: :[[#@LINE+1]]:5: warning: this construct works on more than one stream ('s', 't'), so the region
  [[graphprof::time("two")]] { work(s); work(t); }
  // CHECK: :[[#@LINE+1]]:5: warning: this construct works on more than one stream ('0', 's'), so
  [[graphprof::time("default and another")]] { kernel<<<1, 1>>>(); work(s); }
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 'local' is not known where the region begins ('local' is declared inside the region), so
  [[graphprof::time("local")]] { cudaStream_t local = current(); work(local); }
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 'streams[k]' is not known where the region begins ('k' is declared inside the region), so
  [[graphprof::time("loop variable")]] for (int k = 0; k < i; ++k) work(streams[k]);
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 's' is not known where the region begins ('s' changes inside the region), so
  [[graphprof::time("assigned")]] { s = current(); work(s); }
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 's' is not known where the region begins ('s' changes inside the region), so
  [[graphprof::time("created")]] { cudaStreamCreate(&s); work(s); }
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 's' is not known where the region begins ('s' changes inside the region), so
  [[graphprof::time("by reference")]] { set(s); work(s); }
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 'streams[i]' is not known where the region begins ('i' changes inside the region), so
  [[graphprof::time("index")]] { ++i; work(streams[i]); }
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 'current()' is not known where the region begins (it calls a function), so
  [[graphprof::time("call")]] work(current());
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 'pool.next()' is not known where the region begins (it calls 'next', which is not const), so
  [[graphprof::time("not const")]] work(pool.next());
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 'streams[i++]' is not known where the region begins (it is more than a name), so
  [[graphprof::time("side effect")]] work(streams[i++]);
  // CHECK: :[[#@LINE+1]]:5: warning: the stream is not known where the region begins (a macro writes it), so
  [[graphprof::time("macro in an argument")]] TWICE(WORK);
  [[graphprof::time("named", stream = t)]] { work(s); other(); }
}
// OUT-COUNT-13: ::graphprof::on_capture()
// OUT:          ::graphprof::on_stream(t)
