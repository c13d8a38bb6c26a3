// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Measures graphprof's cost on the host: processor time on the program's threads and on the
// background thread, compared with the same calls without it.
//
//     host-benchmark [--quick] [SECTION...]      prints a table a section, all where none is named
//
// Status 1 if the number of records differs from that of replayed regions; otherwise it only
// reports. The program `overhead` measures GPU time. Google Benchmark does not fit: it measures one
// function after the other, but here the two ways must alternate, and the driver's share must be
// separated.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <cuda_runtime.h>

#include "../check.h"
#include "sections.h"

namespace {

namespace host = benchmark::host;

struct Section {
  const char *name;
  void (*measure)(host::Effort);
};
constexpr Section sections[] = {
    {"regions", host::regions}, {"launches", host::launches}, {"threads", host::threads},
    {"harvest", host::harvest}, {"outputs", host::outputs},   {"captures", host::captures},
    {"memory", host::memory},   {"start-up", host::startUp},  {"edges", host::edges}};

int usage(const char *program) {
  std::fprintf(stderr, "usage: %s [--quick] [SECTION...]\nsections:", program);
  for (const Section &section : sections)
    std::fprintf(stderr, " %s", section.name);
  std::fprintf(stderr, "\n");
  return 2;
}

int run(const std::vector<std::string_view> &arguments, const char *program) {
  host::Effort effort = host::Effort::Full;
  std::vector<Section> asked;
  for (const std::string_view argument : arguments) {
    if (argument == host::startUpArgument)
      return host::startUpChild(), 0;
    const Section *found = nullptr;
    for (const Section &section : sections)
      if (argument == section.name)
        found = &section;
    if (found)
      asked.push_back(*found);
    else if (argument == "--quick")
      effort = host::Effort::Quick;
    else
      return usage(program);
  }
  if (asked.empty())
    asked.assign(std::begin(sections), std::end(sections));

  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  const char *clock = std::getenv("GRAPHPROF_CLOCK");
  std::printf("%s; clock: %s; medians, in brackets the middle half of the rounds\n", device.name,
              clock ? clock : "auto");
  for (const Section &section : asked)
    section.measure(effort);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  // Outputs are chosen before main(), so the program runs itself again.
  if (!std::getenv("GRAPHPROF_OUTPUT")) {
    setenv("GRAPHPROF_OUTPUT", "", 1);
    execv("/proc/self/exe", argv);
  }
  try {
    return run({argv + 1, argv + argc}, argv[0]);
  } catch (const std::exception &failure) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
