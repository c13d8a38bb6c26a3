// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What recording costs under a budget, and what is read then: paired blocks of replays of one exec,
// with recording stopped and under these terms, beside recording everything. Prints a table for
// each workload:
//
// | column | what |
// | --- | --- |
// | us | GPU time of an untimed replay, and of one under these terms |
// | ratio | GPU time of all recorded blocks by that of all untimed ones; quartiles over pairs |
// | launch | the median host time of a launch, back to back, and what it is more than untimed |
// | recorded | of the launches, those with records |
// | samples | of the region with the fewest |
// | near | regions with a median within 1 % or 0.1 us of that of recording everything |

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <graphprof/cuda.h>
#include <graphprof/graphprof.h>

#include "check.h"
#include "statistics.h"
#include "technique.h"
#include "workload.h"

namespace benchmark {
namespace {

struct Terms {
  const char *name;
  graphprof::recording_terms terms;
};
constexpr Terms allTerms[] = {{"everything", {}},
                              {"everything, another exec", {}},
                              {"budget 1 %", {.budget = 0.01}},
                              {"budget 0.1 %", {.budget = 0.001}},
                              {"4 parts", {.parts = 4}},
                              {"one in 100", {.sample_every = 100}}};

// The warm times of each region, and which replays had any.
struct Readings {
  std::map<std::string, std::vector<double>> us;
  std::set<std::uint64_t> replays;
};

class Collector {
public:
  Readings taken() {
    graphprof::flush();
    const std::lock_guard lock(mutex_);
    return std::exchange(readings_, {});
  }

private:
  void take(const graphprof::Record &record) {
    const std::lock_guard lock(mutex_);
    readings_.replays.insert(record.replay);
    if (record.measured() && !record.cold)
      readings_.us[std::string(record.name)].push_back(1e-3 *
                                                       static_cast<double>(record.duration_ns));
  }
  std::mutex mutex_;
  Readings readings_; // guarded by mutex_
  graphprof::Profiler profiler_{[this](const graphprof::Record &record) { take(record); }};
};

struct Block {
  double gpuUs;                 // of all its replays
  std::vector<double> launchUs; // of each
};

class Clocked {
public:
  explicit Clocked(cudaStream_t stream) : stream_(stream) {
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
  }
  ~Clocked() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Clocked(const Clocked &) = delete;
  Clocked &operator=(const Clocked &) = delete;

  Block block(Technique &technique, int replays) {
    Block result{};
    result.launchUs.reserve(static_cast<std::size_t>(replays));
    CHECK(cudaEventRecord(begin_, stream_));
    for (int i = 0; i < replays; ++i) {
      const auto before = std::chrono::steady_clock::now();
      technique.launch();
      result.launchUs.push_back(
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before)
              .count());
    }
    CHECK(cudaEventRecord(end_, stream_));
    CHECK(cudaEventSynchronize(end_));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    result.gpuUs = 1e3 * static_cast<double>(ms);
    return result;
  }

private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

struct Measured {
  double untimedUs = 0, us = 0; // of a replay
  double ratio = 0;             // of the sums
  Summary ratios;               // of the pairs
  double launchUs = 0, untimedLaunchUs = 0;
  std::size_t launches = 0;
  Readings readings;
};

// While graphprof does not record, launches take the program's own exec. With another exec of the
// same graph to compare with, the two could differ by a per cent for as long as they live.
Measured measure(const Workload &workload, std::unique_ptr<Technique> technique, Collector &from,
                 int rounds, double blockUs) {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Measured measured;
  {
    technique->prepare(workload, stream);
    Clocked clocked(stream);
    clocked.block(*technique, 10);
    const int replays = std::clamp(
        static_cast<int>(blockUs / (clocked.block(*technique, 10).gpuUs / 10)), 10, 2000);
    technique->switchOn();
    for (int i = 0; i < 15; ++i) { // it measures what recording costs
      clocked.block(*technique, 20);
      graphprof::flush();
    }
    (void)from.taken();
    double untimedUs = 0, recordedUs = 0;
    std::vector<double> ratios, launches, untimedLaunches;
    for (int round = 0; round < rounds; ++round) {
      Block blocks[2];
      for (int turn = 0; turn < 2; ++turn) {
        const bool recorded = (round + turn) % 2 == 1;
        recorded ? graphprof::start() : graphprof::stop();
        blocks[recorded ? 1 : 0] = clocked.block(*technique, replays);
      }
      untimedUs += blocks[0].gpuUs;
      recordedUs += blocks[1].gpuUs;
      ratios.push_back(blocks[1].gpuUs / blocks[0].gpuUs);
      untimedLaunches.insert(untimedLaunches.end(), blocks[0].launchUs.begin(),
                             blocks[0].launchUs.end());
      launches.insert(launches.end(), blocks[1].launchUs.begin(), blocks[1].launchUs.end());
    }
    measured.untimedUs = untimedUs / rounds / replays;
    measured.us = recordedUs / rounds / replays;
    measured.ratio = recordedUs / untimedUs;
    measured.ratios = summarise(ratios);
    measured.launches = launches.size();
    measured.launchUs = median(launches);
    measured.untimedLaunchUs = median(untimedLaunches);
    measured.readings = from.taken();
    technique->switchOff();
    technique.reset();
  }
  CHECK(cudaStreamDestroy(stream));
  return measured;
}

void print(const char *name, const Measured &measured, const Readings &everything) {
  std::printf("| %s | %.2f, %.2f | %.4f (%.4f to %.4f) | %.2f, %+.2f | ", name, measured.untimedUs,
              measured.us, measured.ratio, measured.ratios.lowerQuartile,
              measured.ratios.upperQuartile, measured.launchUs,
              measured.launchUs - measured.untimedLaunchUs);
  std::size_t fewest = SIZE_MAX, near = 0;
  for (const auto &[region, us] : everything.us) {
    const auto own = measured.readings.us.find(region);
    const std::size_t count = own == measured.readings.us.end() ? 0 : own->second.size();
    fewest = std::min(fewest, count);
    if (count == 0)
      continue;
    const double whole = median(us), now = median(own->second);
    near += std::abs(now - whole) <= std::max(0.1, 0.01 * whole);
  }
  std::printf("%.1f %% | %zu | %zu of %zu |\n",
              100. * static_cast<double>(measured.readings.replays.size()) /
                  static_cast<double>(measured.launches),
              fewest, near, everything.us.size());
}

void measureAll(const Workload &workload, bool quick) {
  std::printf("\n%s\n\n| recording | us | ratio | launch, us | recorded | samples | near |\n"
              "| --- | --- | --- | --- | --- | --- | --- |\n",
              workload.name().c_str());
  const int rounds = quick ? 10 : 30;
  const double blockUs = 100'000;
  graphprof::stop();
  Readings everything;
  for (const Terms &terms : allTerms) {
    if (!graphprof::set_recording_terms(terms.terms))
      throw std::runtime_error("the terms were refused");
    Collector collector;
    const Measured measured =
        measure(workload, makeGraphprofRecording(), collector, rounds, blockUs);
    if (&terms == allTerms)
      everything = measured.readings;
    print(terms.name, measured, everything);
    std::fflush(stdout);
  }
  graphprof::stop();
}

std::unique_ptr<Workload> workloadOf(int number) {
  const ChainCalibration chain = calibrateChain();
  switch (number) {
  case 0:
    return makeDecodeStep();
  case 1:
    return makeChain(200, 2, chain);
  case 2:
    return makeChainOf(66, 3, 2, chain);
  case 3:
    return makeProgrammaticChain(200);
  case 4:
    return makeCollectives(16, false, chain);
  case 5:
    return makeLanes(4, 13, chain);
  case 6:
    return makeStencil();
  default:
    return nullptr;
  }
}

} // namespace
} // namespace benchmark

// budget [--quick] WORKLOAD: its number, from 0; status 3 if there is none. `run` calls it for
// each, because CUPTI can be attached to a process, but not detached.
int main(int argc, char **argv) {
  const bool quick = argc > 2 && std::strcmp(argv[1], "--quick") == 0;
  if (argc != (quick ? 3 : 2)) {
    std::fputs("usage: budget [--quick] WORKLOAD\n", stderr);
    return 2;
  }
  try {
    const auto workload = benchmark::workloadOf(std::atoi(argv[argc - 1]));
    if (!workload)
      return 3;
    benchmark::measureAll(*workload, quick);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "budget: %s\n", error.what());
    return 1;
  }
}
