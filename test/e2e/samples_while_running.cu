// The samples of steps that have ended are in the database while the program is in later ones.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/program.cu %s -- %simflags
// RUN: %simcc %t/program.cu -o %t/program
// RUN: env GRAPHPROF_OUTPUT=steps:%t/steps.db %python %S/Inputs/rows_while_running.py %t/program %t/steps.db | FileCheck %s
// CHECK: {{^}}running 0 1 2 True True True{{$}}

#include <unistd.h>

#include <poll.h>

int main() {
  char host[64] = {}, *device = nullptr;
  cudaStream_t stream;
  if (cudaStreamCreate(&stream) || cudaMalloc(&device, sizeof host))
    return 1;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (poll(&input, 1, 2) == 0) [[graphprof::step]] {
    if (cudaMemcpyAsync(device, host, sizeof host, cudaMemcpyHostToDevice, stream) ||
        cudaStreamSynchronize(stream))
      return 1;
  }
  return cudaFree(device);
}
