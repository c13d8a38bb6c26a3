// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "kernels/Phases.h"

#include "graphprof/device/twin.h"

namespace graphprof::test {

namespace {

__device__ void spend(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles)
    ;
}

__device__ void write(Written *written, int value, bool isTwin) {
  if (blockIdx.x != 0 || threadIdx.x != 0)
    return;
  written->value = value;
  ++(isTwin ? written->twins : written->kernels);
}

__global__ void graphprofTestPhases(Written *written, int value, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    spend(loadCycles);
    spend(3 * loadCycles);
  }
  write(written, value, false);
}

__global__ void graphprofTestPhasesTwin(GRAPHPROF_RECORDING graphprof_recording, Written *written,
                                        int value, int rounds) {
  ::graphprof::device::Recorder graphprof_recorder(graphprof_recording);
  for (int round = 0; round < rounds; ++round) {
    {
      ::graphprof::device::Scope graphprof_scope_0(graphprof_recorder, 0);
      spend(loadCycles);
    }
    {
      ::graphprof::device::Scope graphprof_scope_1(graphprof_recorder, 1);
      spend(3 * loadCycles / 2);
      ::graphprof::device::Scope graphprof_scope_2(graphprof_recorder, 2);
      spend(3 * loadCycles / 2);
    }
  }
  write(written, value, true);
}
GRAPHPROF_TWIN(graphprofTestPhases, graphprofTestPhasesTwin, {"load", "phases.cu", 10},
               {"product", "phases.cu", 11},
               {"inner {} of {}", "phases.cu", 12, 2,
                ::graphprof::device::Values<::graphprof::device::Parameter<1>,
                                            ::graphprof::device::Constant<(-3)>>::all})

__global__ void graphprofTestTight(Written *written, int value) {
  spend(loadCycles);
  write(written, value, false);
}

__global__ void graphprofTestTightTwin(GRAPHPROF_RECORDING graphprof_recording, Written *written,
                                       int value) {
  ::graphprof::device::Recorder graphprof_recorder(graphprof_recording);
  __shared__ volatile char room[40 * 1024];
  room[threadIdx.x] = 1;
  {
    ::graphprof::device::Scope graphprof_scope_0(graphprof_recorder, 0);
    spend(loadCycles * room[threadIdx.x]);
  }
  write(written, value, true);
}
GRAPHPROF_TWIN(graphprofTestTight, graphprofTestTightTwin, {"all", "phases.cu", 20})

} // namespace

void phases(cudaStream_t stream, Written *written, int value, int rounds, unsigned blocks) {
  graphprofTestPhases<<<blocks, phaseThreads, 0, stream>>>(written, value, rounds);
}
void *phasesKernel() { return reinterpret_cast<void *>(graphprofTestPhases); }
void tight(cudaStream_t stream, Written *written, int value, unsigned blocks) {
  graphprofTestTight<<<blocks, phaseThreads, 0, stream>>>(written, value);
}

} // namespace graphprof::test
