// A program without any annotation: --auto launches times each kernel inside its graph.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --auto launches -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_OUTPUT=table:all %t/program 2>%t/table
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t/table

__global__ void attention(float *x) { *x += 1.0F; }
template <class T> __global__ void mlp(T *x) { *x += 1; }

#define CHECK(call)                                                                                \
  if (cudaError_t error = (call))                                                                  \
  return static_cast<int>(error)

int main() {
  float *x = nullptr;
  cudaStream_t stream;
  CHECK(cudaMalloc(&x, sizeof(float)));
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  void *arguments[] = {&x};
  for (int layer = 0; layer < 2; ++layer) {
    attention<<<1, 32, 0, stream>>>(x);
    CHECK(cudaLaunchKernel(reinterpret_cast<const void *>(&mlp<float>), dim3(1), dim3(32),
                           arguments, 0, stream));
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int replay = 0; replay < 4; ++replay)
    CHECK(cudaGraphLaunch(exec, stream));
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}

// TABLE: {{^}}attention 6 {{.*}}us {{.*}}%
// TABLE: {{^}}mlp<float> 6 {{.*}}us {{.*}}%
// TABLE: 4 replays of 1 exec of 1 graph
