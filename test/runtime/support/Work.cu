// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Work.h"

#include <stdexcept>

namespace graphprof::test {

namespace {

__global__ void graphprofTestShortWork() {
  const long long begin = clock64();
  while (clock64() - begin < 20'000)
    ;
}

__global__ void graphprofTestRoomyWork() {
  __shared__ volatile char room[40 * 1024];
  room[0] = 1;
  const long long begin = clock64();
  while (clock64() - begin < 20'000 * room[0])
    ;
}

__global__ void graphprofTestLongWork() {
  const long long begin = clock64();
  while (clock64() - begin < 200'000)
    ;
}

__global__ void graphprofTestCountDown(unsigned *counter, cudaGraphConditionalHandle handle) {
  *counter -= 1;
  cudaGraphSetConditional(handle, *counter);
}

__global__ void graphprofTestSetCounter(unsigned *counter, unsigned value,
                                        cudaGraphConditionalHandle handle, unsigned given) {
  *counter = value;
  cudaGraphSetConditional(handle, given);
}

void need(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(status));
}

} // namespace

void shortWork(cudaStream_t stream) { graphprofTestShortWork<<<1, 1, 0, stream>>>(); }
void longWork(cudaStream_t stream) { graphprofTestLongWork<<<1, 1, 0, stream>>>(); }
std::int64_t halfLongWorkNs() {
  static const std::int64_t half = [] {
    cudaStream_t stream = nullptr;
    cudaEvent_t begin = nullptr, end = nullptr;
    float ms = 0;
    need(cudaStreamCreate(&stream));
    need(cudaEventCreate(&begin));
    need(cudaEventCreate(&end));
    longWork(stream); // the first one may load it
    need(cudaEventRecord(begin, stream));
    longWork(stream);
    need(cudaEventRecord(end, stream));
    need(cudaStreamSynchronize(stream));
    need(cudaEventElapsedTime(&ms, begin, end));
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaStreamDestroy(stream);
    return static_cast<std::int64_t>(static_cast<double>(ms) * 1e6 / 2);
  }();
  return half;
}
void countDown(cudaStream_t stream, unsigned *counter, cudaGraphConditionalHandle handle) {
  graphprofTestCountDown<<<1, 1, 0, stream>>>(counter, handle);
}
void setCounter(cudaStream_t stream, unsigned *counter, unsigned value,
                cudaGraphConditionalHandle handle, unsigned given) {
  graphprofTestSetCounter<<<1, 1, 0, stream>>>(counter, value, handle, given);
}
void *countDownKernel() { return reinterpret_cast<void *>(graphprofTestCountDown); }
void *shortKernel() { return reinterpret_cast<void *>(graphprofTestShortWork); }
void *roomyKernel() { return reinterpret_cast<void *>(graphprofTestRoomyWork); }
void *longKernel() { return reinterpret_cast<void *>(graphprofTestLongWork); }

} // namespace graphprof::test
