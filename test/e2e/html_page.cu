// graphprof html shows what a program's recording holds: what its threads did, with the launches that
// lead to replays, the replays' regions, and memory: the same bytes as the trace's counter.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_MEMORY=1 GRAPHPROF_HOST_SPANS=1 GRAPHPROF_OUTPUT=%t/run.gprof,%t/trace.json %t/program
// RUN: %python %S/Inputs/html_page.py %graphprof %t/trace.json %t/run.gprof >%t/shown
// RUN: FileCheck %s --input-file=%t/shown
//
// CHECK:      thread {{.*}}decode cudaGraphLaunch->replay 0 decode cudaGraphLaunch->replay 1{{$}}
// CHECK-NEXT: replay 0: layer 0, layer 0/attention, layer 0/mlp{{$}}
// CHECK-NEXT: replay 1: layer 0, layer 0/attention, layer 0/mlp{{$}}
// CHECK-NEXT: cuda:0 device: 4096 at the peak, 0 at the end; in load 4096, in no region 0{{$}}
// CHECK-NEXT: trace: 4096 at the peak{{$}}

__global__ void work(float *x) { *x += 1.0F; }

int main() {
  float *x = nullptr;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  [[graphprof::time("load", stream = stream)]] cudaMalloc(&x, 4096);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("layer {}", 0)]] {
    [[graphprof::time("attention")]] work<<<1, 32, 0, stream>>>(x);
    [[graphprof::time("mlp")]] work<<<2, 32, 0, stream>>>(x);
  }
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 2; ++replay) [[graphprof::time("decode", stream = stream)]]
    cudaGraphLaunch(exec, stream);
  const bool good = cudaStreamSynchronize(stream) == cudaSuccess;
  cudaFree(x);
  return good ? 0 : 1;
}
