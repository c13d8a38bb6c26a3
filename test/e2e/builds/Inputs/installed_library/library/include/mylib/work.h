// A region in the library's source, one in its header, and a graph that the header destroys.
#pragma once
#include <cuda_runtime_api.h>

namespace mylib {

void work(void *memory, cudaStream_t stream);

inline void prepare(void *memory, cudaStream_t stream) {
  [[graphprof::time("in the library's header", stream = stream)]] { work(memory, stream); }
}

class Graph {
public:
  explicit Graph(cudaGraph_t graph) { cudaGraphInstantiate(&exec, graph, 0); }
  ~Graph() { cudaGraphExecDestroy(exec); }
  void launch(cudaStream_t stream) { cudaGraphLaunch(exec, stream); }

private:
  cudaGraphExec_t exec = nullptr;
};

} // namespace mylib
