// A stream's work is shown in the stream's order, though events time the copies and stamps the replays: a copy has ended when the
// replay behind it begins, and the other way round. So all of it is in one row of the trace. With several branches, the rows say
// which of them shows a branch. The table, CSV and the trace have the same times.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %instrument --strict -o copy.cu %s -- %simflags
// RUN: %simcc copy.cu -o program
// RUN: env GRAPHPROF_CLOCK=stamp GRAPHPROF_OUTPUT=stamp.csv,stamp.json ./program && %python %S/Inputs/stream_order.py stamp
// RUN: env GRAPHPROF_CLOCK=event GRAPHPROF_OUTPUT=event.csv,event.json ./program && %python %S/Inputs/stream_order.py event
// RUN: env CUDASIM_REAL_TIME=1 GRAPHPROF_CLOCK=stamp GRAPHPROF_OUTPUT=real.csv,real.json ./program && %python %S/Inputs/stream_order.py real

__global__ void left(float *x) { *x += 1.0F; }
__global__ void right(float *x) { *x += 2.0F; }

int main() {
  constexpr int n = 1 << 16;
  float *x = nullptr, *pinned = nullptr;
  cudaStream_t stream, side;
  cudaEvent_t fork, join;
  cudaMalloc(&x, n * sizeof(float));
  cudaMallocHost(&pinned, n * sizeof(float));
  cudaStreamCreate(&stream);
  cudaStreamCreate(&side);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("first", stream = stream)]] { left<<<1, 32, 0, stream>>>(x); }
  cudaEventRecord(fork, stream);
  cudaStreamWaitEvent(side, fork, 0);
  [[graphprof::time("left", stream = stream)]] { left<<<1, 32, 0, stream>>>(x); }
  [[graphprof::time("right", stream = side)]] { right<<<1, 32, 0, side>>>(x); }
  cudaEventRecord(join, side);
  cudaStreamWaitEvent(stream, join, 0);
  [[graphprof::time("last", stream = stream)]] { right<<<1, 32, 0, stream>>>(x); }
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 8; ++i) {
    [[graphprof::step]] {
      cudaMemcpyAsync(x, pinned, n * sizeof(float), cudaMemcpyHostToDevice, stream);
      cudaGraphLaunch(exec, stream);
      cudaMemcpyAsync(x, pinned, n * sizeof(float), cudaMemcpyHostToDevice, stream);
      cudaMemcpyAsync(x, pinned, n * sizeof(float), cudaMemcpyHostToDevice, stream);
      cudaGraphLaunch(exec, stream);
    }
  }
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}
