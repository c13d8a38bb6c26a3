// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The synthetic workload: a chain of equal kernels that occupy every multiprocessor for a given
// number of clock cycles.

#include "check.h"
#include "workload.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "statistics.h"

namespace benchmark {
namespace {

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

class Chain : public Workload {
public:
  Chain(int kernels, long long cycles, int blocks, std::string name)
      : kernels_(kernels), cycles_(cycles), blocks_(blocks), name_(std::move(name)) {}

  std::string name() const override { return name_; }
  int regions() const override { return kernels_; }
  std::string regionName(int index) const override { return "kernel " + std::to_string(index); }

  void issue(cudaStream_t stream, RegionVisitor &visitor) const override {
    for (int i = 0; i < kernels_; ++i)
      visitor.region(i, [&] {
        spin<<<blocks_, 64, 0, stream>>>(cycles_);
        CHECK(cudaGetLastError());
      });
  }

private:
  int kernels_;
  long long cycles_;
  int blocks_;
  std::string name_;
};

/// The time of a chain's kernel that spins for `cycles`, in microseconds: the median over replays.
double kernelUs(long long cycles, int blocks) {
  constexpr int kernels = 200;
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < kernels; ++i)
    spin<<<blocks, 64, 0, stream>>>(cycles);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));

  const Event begin, end;
  std::vector<double> samples;
  for (int i = 0; i < 25; ++i) {
    CHECK(cudaEventRecord(begin.get(), stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaEventRecord(end.get(), stream));
    CHECK(cudaStreamSynchronize(stream));
    if (i >= 5)
      samples.push_back(elapsedUs(begin, end) / kernels);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return median(samples);
}

long long cyclesOf(double us, const ChainCalibration &calibration) {
  return std::max(0LL,
                  calibration.cyclesAtZero + static_cast<long long>(us * calibration.cyclesPerUs));
}

} // namespace

ChainCalibration calibrateChain() {
  int device = 0, blocks = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device));
  constexpr long long few = 10'000, many = 110'000;
  const double fewUs = kernelUs(few, blocks);
  const double perUs = static_cast<double>(many - few) / (kernelUs(many, blocks) - fewUs);
  return {blocks, few - static_cast<long long>(fewUs * perUs), perUs};
}

std::unique_ptr<Workload> makeChain(int kernels, double us, const ChainCalibration &calibration) {
  char name[64];
  std::snprintf(name, sizeof name, "chain of %d kernels of %g us", kernels, us);
  return std::make_unique<Chain>(kernels, cyclesOf(us, calibration), calibration.blocks, name);
}

std::unique_ptr<Workload> makeChainOf(int blocks, int kernels, double us,
                                      const ChainCalibration &calibration) {
  char name[80];
  std::snprintf(name, sizeof name, "chain of %d kernels of %d blocks, %g us", kernels, blocks, us);
  return std::make_unique<Chain>(kernels, cyclesOf(us, calibration), blocks, name);
}

} // namespace benchmark
