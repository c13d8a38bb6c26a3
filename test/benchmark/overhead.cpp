// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What timing the regions of a CUDA graph costs, and whether the times are true: techniques side by
// side, in one run.
//
//     overhead [--quick] [--json FILE]
//
// Needs an NVIDIA GPU and its driver. cuBLAS (for the decode step) and CUPTI are found at run time;
// where one is missing, a line says so and what needs it is left out.

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "measurement.h"
#include "product_process.h"
#include "report.h"
#include "technique.h"
#include "workload.h"

namespace benchmark {
namespace {

struct Options {
  bool quick = false;
  std::string json;     // empty: none
  std::string handOver; // where this is the second process: see product_process.h
};

constexpr const char *usage =
    "usage: overhead [--quick] [--json FILE]\n"
    "  --quick      fewer workloads and rounds: about half a minute instead of four\n"
    "  --json FILE  all figures, with quartiles and every region's reading\n";

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick")
      options.quick = true;
    else if (argument == "--json" && i + 1 < argc)
      options.json = argv[++i];
    else if (argument == "--hand-over" && i + 1 < argc)
      options.handOver = argv[++i];
    else
      throw std::invalid_argument(usage);
  }
  return options;
}

std::vector<std::unique_ptr<Workload>> makeWorkloads(bool quick) {
  std::vector<std::unique_ptr<Workload>> workloads;
  try {
    workloads.push_back(makeDecodeStep());
  } catch (const std::runtime_error &error) {
    std::printf("Without the decode step: %s\n", error.what());
  }
  struct Chain {
    int kernels;
    double us;
    bool quick;
  };
  constexpr Chain chains[] = {{16, 1, false},   {200, 1, false},  {1000, 1, false},
                              {16, 2, false},   {200, 2, true},   {1000, 2, false},
                              {16, 100, false}, {200, 100, false}};
  for (const Chain &chain : chains)
    if (chain.quick || !quick)
      workloads.push_back(makeChain(chain.kernels, chain.us));
  return workloads;
}

Techniques makeTechniques() {
  Techniques techniques;
  techniques.push_back(std::make_unique<Technique>("untimed"));
  techniques.push_back(makeEventsPerRegion());
  techniques.push_back(makeSharedEvents());
  techniques.push_back(makeStampsInChain());
  techniques.push_back(makeSideChain());
  techniques.push_back(makeSideChainRooted());
  techniques.push_back(makeSideChainReady());
  techniques.push_back(makeSideChainAppended());
  techniques.push_back(makeStampsAsLeaves());
  techniques.push_back(makeGraphprof(/*recording=*/true));
  techniques.push_back(makeGraphprof(/*recording=*/false));
  return techniques;
}

Techniques makeSecondProcessTechniques() {
  Techniques techniques;
  techniques.push_back(std::make_unique<Technique>("untimed"));
  techniques.push_back(makeGraphprof(/*recording=*/true));
  techniques.push_back(makeGraphprof(/*recording=*/false));
  return techniques;
}

Techniques makeCuptiTechniques() {
  Techniques techniques;
  techniques.push_back(makeCupti(/*recording=*/false));
  techniques.push_back(makeCupti(/*recording=*/true));
  return techniques;
}

using Workloads = std::vector<std::unique_ptr<Workload>>;

std::vector<Comparison> compareAll(const Workloads &workloads, Techniques (*makeTechniques)(),
                                   const Limits &limits) {
  std::vector<Comparison> comparisons;
  for (const std::unique_ptr<Workload> &workload : workloads) {
    comparisons.push_back(compare(*workload, makeTechniques(), limits));
    std::fprintf(stderr, "measured: %s\n", workload->name().c_str());
  }
  return comparisons;
}

void runSecondProcess(const Options &options) {
  const Limits limits = options.quick ? Limits{20, 2} : Limits{40, 5};
  handOver(options.handOver,
           compareAll(makeWorkloads(options.quick), makeSecondProcessTechniques, limits));
}

void run(const Options &options) {
  const Setting setting = currentSetting();
  printSetting(setting);
  const Workloads workloads = makeWorkloads(options.quick);
  std::vector<Comparison> comparisons =
      compareAll(workloads, makeTechniques, options.quick ? Limits{20, 8} : Limits{60, 15});

  const std::vector<std::vector<Result>> further =
      resultsOfEventProcess(options.quick ? "--quick --hand-over" : "--hand-over");
  for (std::size_t i = 0; i < comparisons.size(); ++i)
    comparisons[i].results.insert(comparisons[i].results.end(), further.at(i).begin(),
                                  further.at(i).end());

  // Last, because CUPTI stays attached to the process.
  try {
    for (std::size_t i = 0; i < workloads.size(); ++i)
      compareFurther(*workloads[i], makeCuptiTechniques(),
                     options.quick ? Limits{20, 2} : Limits{30, 4}, comparisons[i]);
  } catch (const std::runtime_error &error) {
    std::printf("Without CUPTI kernel activity: %s\n", error.what());
  }

  for (Comparison &comparison : comparisons) {
    judge(comparison);
    printTable(comparison);
  }
  if (!options.json.empty())
    writeJson(options.json, setting, comparisons);
}

} // namespace
} // namespace benchmark

int main(int argc, char **argv) {
  try {
    const benchmark::Options options = benchmark::parse(argc, argv);
    if (options.handOver.empty())
      benchmark::run(options);
    else
      benchmark::runSecondProcess(options);
    return 0;
  } catch (const std::invalid_argument &error) {
    std::fputs(error.what(), stderr);
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "overhead: %s\n", error.what());
    return 1;
  }
}
