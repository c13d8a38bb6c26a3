// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Kernels that wait for other work on the device while they fill it: for kernels of another branch,
// for a host function, a copy or a memset, for a graph in another stream. Each waits in all ways in
// which it ends without graphprof, so it must end with it, too: no node may wait for a stamp that
// finds no place. A kernel gives up after a second and says so. Prints a line for each case; a case
// is counted in rounds, and its output is the same in every run.

#include <cstdio>
#include <functional>
#include <vector>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include "Check.h"

namespace {

constexpr int rounds = 4;

struct State {
  unsigned flags[32]; // counted up by kernels
  unsigned gaveUp, done;
};

__device__ unsigned long long nowNs() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

__device__ void waitUntil(State *state, volatile unsigned *flag, unsigned value) {
  const unsigned long long begin = nowNs();
  while (*flag < value)
    if (*(volatile unsigned *)&state->gaveUp || nowNs() - begin > 1'000'000'000) {
      atomicAdd(&state->gaveUp, 1);
      return;
    }
  atomicAdd(&state->done, 1);
}

// Counts a flag up, and waits until another (or the same) has reached a value. May take a whole
// multiprocessor.
__global__ void meet(State *state, int arrives, volatile unsigned *flag, unsigned value) {
  if (threadIdx.x > 0)
    return;
  if (arrives >= 0) {
    __threadfence();
    atomicAdd(&state->flags[arrives], 1);
  }
  if (flag)
    waitUntil(state, flag, value);
}

__global__ void together(State *state, int arrives, unsigned value) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&state->flags[arrives], 1);
    waitUntil(state, &state->flags[arrives], value);
  }
}

struct Range {
  explicit Range(const char *text) { nvtxRangePushA(text); }
  ~Range() { nvtxRangePop(); }
};

struct Program {
  State *state = nullptr;
  unsigned *flag = nullptr, *values = nullptr; // pinned: what the host or a copy sets; 1, 2, 3, ...
  unsigned sms = 0, perSm = 0;
  int whole = 0; // shared memory of a block that has a multiprocessor for itself
  cudaStream_t main = nullptr, side = nullptr, other = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr, external[16] = {};

  Program() {
    int device = 0, count = 0, blocks = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaDeviceGetAttribute(&whole, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CHECK(cudaFuncSetAttribute(meet, cudaFuncAttributeMaxDynamicSharedMemorySize, whole));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, together, 1024, 0));
    sms = static_cast<unsigned>(count);
    perSm = static_cast<unsigned>(blocks);
    CHECK(cudaMalloc(&state, sizeof(State)));
    CHECK(cudaHostAlloc(&flag, sizeof(unsigned), cudaHostAllocDefault));
    CHECK(cudaHostAlloc(&values, rounds * sizeof(unsigned), cudaHostAllocDefault));
    for (unsigned i = 0; i < rounds; ++i)
      values[i] = i + 1;
    for (cudaStream_t *stream : {&main, &side, &other})
      CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    for (cudaEvent_t &event : external)
      CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }

  void split() {
    CHECK(cudaEventRecord(fork, main));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
  }
  void unite() {
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaStreamWaitEvent(main, join, 0));
  }
  void record(int event, cudaStream_t stream, bool events) {
    if (events)
      CHECK(cudaEventRecordWithFlags(external[event], stream, cudaEventRecordExternal));
  }
  void small(cudaStream_t stream, int arrives = 31) {
    meet<<<1, 64, 0, stream>>>(state, arrives, nullptr, 0);
  }

  // A graph for each round, because the flags count on; one exec, which is updated. `beside`:
  // outside the graph, before its launch.
  void run(const char *what, const std::function<void(int)> &captured,
           const std::function<void(int)> &beside = {}) {
    CHECK(cudaMemset(state, 0, sizeof(State)));
    *flag = 0;
    cudaGraphExec_t exec = nullptr;
    for (int round = 0; round < rounds; ++round) {
      CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
      captured(round);
      cudaGraph_t graph = nullptr;
      CHECK(cudaStreamEndCapture(main, &graph));
      cudaGraphExecUpdateResultInfo result{};
      if (!exec)
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
      CHECK(cudaGraphExecUpdate(exec, graph, &result));
      if (beside)
        beside(round);
      CHECK(cudaGraphLaunch(exec, main));
      CHECK(cudaDeviceSynchronize());
      CHECK(cudaGraphDestroy(graph));
    }
    CHECK(cudaGraphExecDestroy(exec));
    State seen;
    CHECK(cudaMemcpy(&seen, state, sizeof seen, cudaMemcpyDeviceToHost));
    std::printf("%s: %s, %u waits over\n", what, seen.gaveUp ? "GAVE UP" : "ends", seen.done);
    std::fflush(stdout);
  }
};

void countFlag(void *data) { ++*static_cast<volatile unsigned *>(data); }

} // namespace

int main() {
  Program p;
  // What ends the wait of kernels that fill the device, and the flag that it sets.
  struct Setter {
    const char *text;
    unsigned *flag;
    std::function<void(cudaStream_t, int)> set;
  };
  const Setter setters[] = {
      {"a host function", p.flag,
       [&](cudaStream_t stream, int) { CHECK(cudaLaunchHostFunc(stream, countFlag, p.flag)); }},
      {"a copy", &p.state->flags[29], [&](cudaStream_t stream, int round) {
         CHECK(cudaMemcpyAsync(&p.state->flags[29], p.values + round, sizeof(unsigned),
                               cudaMemcpyHostToDevice, stream));
       }}};
  const auto fill = [&](cudaStream_t stream, const Setter &setter, int round, unsigned blocks) {
    meet<<<blocks, 64, p.whole, stream>>>(p.state, 30, setter.flag,
                                          static_cast<unsigned>(round) + 1);
  };

  for (const bool events : {false, true}) {
    const auto named = [&](const char *text) {
      static char name[96];
      std::snprintf(name, sizeof name, "%s%s", text, events ? ", with event nodes" : "");
      return name;
    };
    p.run(named("branches that fill the device between them"), [&](int round) {
      p.small(p.main);
      p.split();
      for (int i = 0; i < 3; ++i) {
        const unsigned value = p.sms * static_cast<unsigned>(round + 1);
        p.record(i, p.main, events);
        {
          const Range range("many");
          meet<<<p.sms - 1, 64, p.whole, p.main>>>(p.state, i, &p.state->flags[i], value);
        }
        p.record(3 + i, p.side, events);
        const Range range("one");
        meet<<<1, 64, p.whole, p.side>>>(p.state, i, &p.state->flags[i], value);
      }
      p.unite();
      p.small(p.main);
    });
    p.run(named("branches that signal to and fro"), [&](int round) {
      const unsigned value = static_cast<unsigned>(round) + 1;
      p.split();
      for (int i = 0; i < 6; i += 2) {
        const Range range("to and fro");
        meet<<<1, 128, 0, p.main>>>(p.state, i, &p.state->flags[i + 1], value);
        p.record(i, p.main, events);
        meet<<<1, 128, 0, p.side>>>(p.state, i + 1, &p.state->flags[i], value);
        p.record(i + 1, p.side, events);
      }
      p.unite();
    });
    p.run(named("cooperative grids"), [&](int round) {
      unsigned value = p.sms * p.perSm * static_cast<unsigned>(round + 1);
      for (int flag = 0; flag < 2; ++flag) {
        void *arguments[] = {&p.state, &flag, &value};
        const Range range("cooperative");
        CHECK(cudaLaunchCooperativeKernel(together, p.sms * p.perSm, 1024, arguments, 0, p.main));
        p.record(flag, p.main, events);
      }
    });
    for (const Setter &setter : setters) {
      const char *const text = setter.text;
      char name[96];
      std::snprintf(name, sizeof name, "beside a full device %s", text);
      p.run(named(name), [&](int round) {
        p.small(p.main);
        p.split();
        {
          const Range range("full");
          fill(p.main, setter, round, p.sms);
        }
        p.record(0, p.side, events);
        {
          const Range range("sets the flag");
          setter.set(p.side, round);
        }
        p.record(1, p.side, events);
        p.unite();
        p.small(p.main);
      });
      std::snprintf(name, sizeof name, "while another stream fills the device %s", text);
      p.run(
          named(name),
          [&](int round) {
            p.record(0, p.main, events);
            const Range range("sets the flag");
            setter.set(p.main, round);
            p.record(1, p.main, events);
          },
          [&](int round) { fill(p.other, setter, round, p.sms); });
      std::snprintf(name, sizeof name, "another stream fills the device behind a node, then %s",
                    text);
      p.run(
          named(name),
          [&](int round) {
            const Range range("before");
            p.small(p.main, 0);
            p.record(0, p.main, events);
            setter.set(p.main, round);
            p.small(p.main);
          },
          [&](int round) {
            // Fills the device when the graph's first kernel has run.
            if (round > 0)
              meet<<<1, 64, 0, p.other>>>(p.state, -1, &p.state->flags[0],
                                          static_cast<unsigned>(round));
            fill(p.other, setter, round, p.sms - 1);
          });
    }
    p.run(
        named("one multiprocessor is left for a chain"),
        [&](int round) {
          for (int i = 0; i < 4; ++i) {
            {
              const Range range("chain");
              meet<<<1, 64, p.whole, p.main>>>(p.state, i, nullptr, 0);
            }
            p.record(i, p.main, events);
          }
          meet<<<1, 256, 0, p.main>>>(p.state, 10, nullptr, 0);
        },
        [&](int round) {
          meet<<<p.sms - 1, 64, p.whole, p.other>>>(p.state, 30, &p.state->flags[10],
                                                    static_cast<unsigned>(round) + 1);
        });
  }
}
