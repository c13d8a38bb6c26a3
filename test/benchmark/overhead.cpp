// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Measures what timing the regions of a CUDA graph costs, and how accurate the times are. Compares
// techniques in one run.
//
//     overhead [--quick | --edges | --mixes] [--json FILE]
//
// Needs an NVIDIA GPU and its driver. cuBLAS (for the decode step) and CUPTI are found at run time.
// If one is missing, a line says so, and what needs it is left out.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "measurement.h"
#include "process.h"
#include "report.h"
#include "technique.h"
#include "workload.h"

namespace benchmark {
namespace {

struct Options {
  bool quick = false, edges = false, mixes = false;
  std::string json; // empty: none

  // In a process that measures one technique for another process:
  int entry = -1; // index in `entries`; -1: this is the other process
  ChainCalibration calibration{};
  std::string handOver;
};

constexpr const char *usage =
    "usage: overhead [--quick | --edges | --mixes] [--json FILE]\n"
    "  --quick      fewer workloads and rounds: about two minutes instead of five\n"
    "  --edges      what stamps hang on: graphprof with and without, and CUPTI, on graphs where "
    "it\n"
    "               matters; about three minutes\n"
    "  --mixes      the same on chains of 800 kernels of different kinds; a minute\n"
    "  --json FILE  all figures, with quartiles and every region's reading\n";

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const int following = argc - 1 - i;
    if (argument == "--quick") {
      options.quick = true;
    } else if (argument == "--edges") {
      options.edges = true;
    } else if (argument == "--mixes") {
      options.mixes = true;
    } else if (argument == "--json" && following >= 1) {
      options.json = argv[++i];
    } else if (argument == "--entry" && following >= 1) {
      options.entry = std::atoi(argv[++i]);
    } else if (argument == "--calibration" && following >= 3) {
      options.calibration.blocks = std::atoi(argv[++i]);
      options.calibration.cyclesAtZero = std::atoll(argv[++i]);
      options.calibration.cyclesPerUs = std::atof(argv[++i]);
    } else if (argument == "--hand-over" && following >= 1) {
      options.handOver = argv[++i];
    } else {
      throw std::invalid_argument(usage);
    }
  }
  return options;
}

/// A technique to measure, in a process with this environment. The first entry is the untimed graph
/// alone.
struct Entry {
  const char *name;
  const char *environment;
  std::unique_ptr<Technique> (*make)();
  bool ofEdges = false; // also with --edges and --mixes
};

constexpr const char *without = "GRAPHPROF_ENABLED=0";
constexpr const char *withStamps = "GRAPHPROF_OUTPUT= GRAPHPROF_CLOCK=stamp";
constexpr const char *atCompletion =
    "GRAPHPROF_OUTPUT= GRAPHPROF_CLOCK=stamp GRAPHPROF_EDGES=completion";
constexpr const char *withEvents = "GRAPHPROF_OUTPUT= GRAPHPROF_CLOCK=event";

/// The number of graphs that a program might capture for its batch sizes.
constexpr int company = 8;

template <std::unique_ptr<Technique> (*make)()> std::unique_ptr<Technique> makeAmong() {
  return makeUntimedAmong(company, make);
}

std::unique_ptr<Technique> makeUntimed() { return std::make_unique<Technique>("untimed"); }

constexpr Entry entries[] = {
    {"untimed", without, [] { return std::unique_ptr<Technique>(); }, true},
    {"events around each region", without, makeEventsPerRegion},
    {"shared events", without, makeSharedEvents},
    {"stamps in the chain", without, makeStampsInChain},
    {"side chain", without, makeSideChain},
    {"side chain, rooted", without, makeSideChainRooted},
    {"side chain, ready", without, makeSideChainReady},
    {"side chains of 8", without, makeSideChainsOf8},
    {"side chains of 32", without, makeSideChainsOf32},
    {"side chain, appended", without, makeSideChainAppended},
    {"side chain, built anew", without, makeSideChainRebuilt},
    {"leaves", without, makeStampsAsLeaves},
    {"CUPTI", without, makeCupti, true},
    {"graphprof, stamps", withStamps, makeGraphprofRecording, true},
    {"graphprof, stamps at completion", atCompletion, makeGraphprofAtCompletion, true},
    {"graphprof, stamps, idle", withStamps, makeGraphprofIdle},
    {"graphprof, events", withEvents, makeGraphprofRecording},
    {"graphprof, events, idle", withEvents, makeGraphprofIdle},
    {"untimed among untimed graphs", without, makeAmong<makeUntimed>},
    {"untimed among side chains", without, makeAmong<makeSideChain>},
    {"untimed among graphs of graphprof's", withStamps, makeAmong<makeGraphprofRecording>},
};

struct Planned {
  std::unique_ptr<Workload> workload;
  Limits limits;
};

std::vector<Planned> plan(const Options &options) {
  const Limits limits = options.quick ? Limits{20, 0.5} : Limits{40, 1};
  std::vector<Planned> planned;
  const auto add = [&](std::unique_ptr<Workload> workload, const Limits &most) {
    planned.push_back({std::move(workload), most});
  };
  if (options.mixes) {
    for (std::unique_ptr<Workload> &mix : makeMixes())
      add(std::move(mix), {15, 0.8});
    return planned;
  }
  try {
    add(makeDecodeStep(), limits);
  } catch (const std::runtime_error &error) {
    if (options.entry == 0)
      std::fprintf(stderr, "Without the decode step: %s\n", error.what());
  }
  if (options.edges) {
    const ChainCalibration &chain = options.calibration;
    for (const int kernels : {1, 3, 10, 30})
      add(makeChainOf(66, kernels, 2, chain), limits);
    for (const int blocks : {8, 66, 132, 1000})
      add(makeChainOf(blocks, 50, 5, chain), limits);
    add(makeLanes(2, 25, chain), limits);
    add(makeLanes(4, 13, chain), limits);
    add(makeProgrammaticChain(200), limits);
    for (const bool fill : {false, true})
      add(makeChainWithEvents(16, fill, chain), limits);
    for (const bool fill : {false, true})
      add(makeCollectives(16, fill, chain), limits);
    add(makeTwoAtOnce(50, chain), limits);
    return planned;
  }
  add(makeStencil(), limits);
  struct Chain {
    int kernels;
    double us;
    bool quick;
  };
  constexpr Chain chains[] = {{16, 1, false}, {200, 1, false}, {1000, 1, false}, {16, 2, false},
                              {200, 2, true}, {1000, 2, true}, {16, 100, false}, {200, 100, false}};
  for (const Chain &chain : chains)
    if (chain.quick || !options.quick)
      add(makeChain(chain.kernels, chain.us, options.calibration), limits);
  // For readings over a kernel's length. The cost of replays matters less here.
  for (const double us : {5., 10., 20., 50., 1000.})
    add(makeChain(16, us, options.calibration), {20, 0.4});
  return planned;
}

/// Measures one technique on all workloads.
void measure(const Options &options) {
  std::vector<Comparison> comparisons;
  for (const Planned &planned : plan(options))
    comparisons.push_back(
        compare(*planned.workload, entries[options.entry].make(), planned.limits));
  handOver(options.handOver, comparisons);
}

/// Measures all techniques, one process after another.
void measureAll(const Options &options) {
  const ChainCalibration calibration = calibrateChain();
  CHECK(cudaDeviceReset()); // so that this process has nothing on the GPU while the others measure
  const std::string arguments = std::string(options.quick   ? "--quick"
                                            : options.edges ? "--edges"
                                            : options.mixes ? "--mixes"
                                                            : "") +
                                " --calibration " + std::to_string(calibration.blocks) + " " +
                                std::to_string(calibration.cyclesAtZero) + " " +
                                std::to_string(calibration.cyclesPerUs) + " --entry ";

  std::vector<Comparison> comparisons;
  for (std::size_t i = 0; i < std::size(entries); ++i) {
    if (options.edges || options.mixes ? !entries[i].ofEdges
                                       : entries[i].environment == atCompletion)
      continue;
    std::fprintf(stderr, "[%zu/%zu] %s\n", i + 1, std::size(entries), entries[i].name);
    try {
      std::vector<Comparison> measured =
          runProcess(entries[i].environment, arguments + std::to_string(i) + " --hand-over");
      if (i == 0)
        comparisons = std::move(measured);
      else
        for (std::size_t k = 0; k < comparisons.size(); ++k)
          comparisons[k].results.push_back(measured.at(k).results.at(1));
    } catch (const std::exception &error) {
      if (i == 0)
        throw;
      std::printf("Without %s: %s\n", entries[i].name, error.what());
    }
  }

  const Setting setting = currentSetting();
  printSetting(setting);
  for (Comparison &comparison : comparisons) {
    judge(comparison);
    printTable(comparison);
  }
  if (options.mixes)
    printRatios(comparisons);
  if (!options.json.empty())
    writeJson(options.json, setting, comparisons);
}

} // namespace
} // namespace benchmark

int main(int argc, char **argv) {
  try {
    const benchmark::Options options = benchmark::parse(argc, argv);
    if (options.entry < 0)
      benchmark::measureAll(options);
    else
      benchmark::measure(options);
    return 0;
  } catch (const std::invalid_argument &error) {
    std::fputs(error.what(), stderr);
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "overhead: %s\n", error.what());
    return 1;
  }
}
