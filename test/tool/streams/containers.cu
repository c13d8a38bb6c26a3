// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: grep -v '^ *//' %t.cu | FileCheck %s --check-prefix=OUT
// RUN: %compile %t.cu
//
// The stream is an element of a container, a pointer's or an optional one. It counts where nothing in the construct changes
// the container or the index, and no condition in the construct decides whether there is such an element.

#include <cstdlib>

#include <array>
#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

using Streams = std::vector<cudaStream_t>;
struct Context { Streams streams; cudaStream_t stream; std::vector<Context> inner; };
__global__ void kernel();
void work(cudaStream_t);
void fill(Streams &);
void look(const Streams &);
void fill(Streams *);

struct Layer {
  Streams streams_;
  cudaStream_t stream_;
  void forward(int i) { [[graphprof::time("member")]] work(streams_[i]); }
  // OUT: GRAPHPROF_SCOPE({{[0-9]+}}, "member", ::graphprof::on_stream(streams_[i]));
  void own() { [[graphprof::time("own")]] if (stream_) work(stream_); }
  // OUT: GRAPHPROF_SCOPE({{[0-9]+}}, "own", ::graphprof::on_stream(stream_));
};

template <class T> void generic(T t, Streams &streams, int i) {
  [[graphprof::time("generic")]] { t(); work(streams[i]); }
  // OUT: GRAPHPROF_SCOPE({{[0-9]+}}, "generic", ::graphprof::on_stream(streams[i]));
}

void known(Streams &streams, const Streams &fixed, std::array<cudaStream_t, 4> &array, Context &c, int i,
           std::unique_ptr<cudaStream_t[]> &owned, std::optional<cudaStream_t> &maybe, Context *p) {
  // OUT-LABEL: void known(
  [[graphprof::time("launch")]] kernel<<<1, 1, 0, streams[i]>>>();
  // OUT: ::graphprof::on_stream(streams[i])
  [[graphprof::time("block")]] { look(streams); work(streams[i]); kernel<<<1, 1, 0, streams[i]>>>(); }
  // OUT: ::graphprof::on_stream(streams[i])
  [[graphprof::time("sum")]] work(streams[(i + 1) % streams.size()]);
  // OUT: ::graphprof::on_stream(streams[(i + 1) % streams.size()])
  [[graphprof::time("const")]] work(fixed[i]);
  // OUT: ::graphprof::on_stream(fixed[i])
  [[graphprof::time("array")]] work(array[i]);
  // OUT: ::graphprof::on_stream(array[i])
  [[graphprof::time("nested")]] work(c.inner[i].streams.front());
  // OUT: ::graphprof::on_stream(c.inner[i].streams.front())
  [[graphprof::time("at")]] work(streams.at(i));
  // OUT: ::graphprof::on_stream(streams.at(i))
  [[graphprof::time("owned")]] work(owned[i]);
  // OUT: ::graphprof::on_stream(owned[i])
  [[graphprof::time("optional")]] work(*maybe);
  // OUT: ::graphprof::on_stream(*maybe)
  [[graphprof::time("read by others")]] for (auto &s : streams) { cudaStreamSynchronize(s); kernel<<<1, 1, 0, c.stream>>>(); }
  // OUT: ::graphprof::on_capture()
  [[graphprof::time("another condition")]] for (int k = 0; k < 4; ++k) work(p->stream);
  // OUT: ::graphprof::on_stream(p->stream)
}
// CHECK: warning: the stream 's' is not known where the region begins ('s' is declared inside the region)

void unknown(Streams &streams, Streams &others, std::map<int, cudaStream_t> &map, int i, Context *p, cudaStream_t t,
             std::optional<cudaStream_t> &maybe) {
  // OUT-LABEL: void unknown(
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 'streams[i]' is not known where the region begins ('streams' changes inside the region), so
  [[graphprof::time("grows")]] { streams.push_back(t); work(streams[i]); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}('streams' changes inside the region), so
  [[graphprof::time("assigned")]] { streams = others; work(streams[i]); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}('streams' changes inside the region), so
  [[graphprof::time("element assigned")]] { streams[i] = t; work(streams[i]); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}('streams' changes inside the region), so
  [[graphprof::time("element created")]] { cudaStreamCreate(&streams[i]); kernel<<<1, 1, 0, streams[i]>>>(); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}('streams' changes inside the region), so
  [[graphprof::time("elements created")]] { for (auto &s : streams) cudaStreamCreate(&s); kernel<<<1, 1, 0, streams[0]>>>(); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}('streams' changes inside the region), so
  [[graphprof::time("by a reference")]] { auto &first = streams.front(); first = t; kernel<<<1, 1, 0, streams[0]>>>(); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}('streams' changes inside the region), so
  [[graphprof::time("by iterator")]] { *streams.begin() = t; work(streams[0]); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}('streams' changes inside the region), so
  [[graphprof::time("handed on")]] { fill(streams); work(streams[i]); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}('streams' changes inside the region), so
  [[graphprof::time("its address")]] { fill(&streams); work(streams[i]); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}('streams' changes inside the region), so
  [[graphprof::time("swapped")]] { std::swap(streams, others); work(streams[i]); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}('i' changes inside the region), so
  [[graphprof::time("index")]] { ++i; work(streams[i]); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}(it calls 'operator[]', which is not const), so
  [[graphprof::time("map makes it")]] work(map[i]);
  // CHECK: :[[#@LINE+1]]:5: warning: the stream 'streams[i]' is not known where the region begins (the region tests 'i' first), so
  [[graphprof::time("bounds")]] if (i < 4) work(streams[i]);
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}(the region tests 'streams' first), so
  [[graphprof::time("empty")]] { if (streams.empty()) return; work(streams[0]); }
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}(the region tests 'p' first), so
  [[graphprof::time("pointer")]] if (p) work(p->stream);
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}(the region tests 'p' first), so
  [[graphprof::time("choice")]] p ? work(p->stream) : work(p->stream);
  // CHECK: :[[#@LINE+1]]:5: warning: {{.*}}(the region tests 'maybe' first), so
  [[graphprof::time("optional")]] if (maybe) work(*maybe);
}
// OUT-COUNT-17: ::graphprof::on_capture()
