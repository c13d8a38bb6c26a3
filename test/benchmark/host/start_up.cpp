// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From the library's loading to the end of the first capture, each time in a new process: what the
// library does before main(), and in the first capture more than in a later one. A process with
// GRAPHPROF_ENABLED=0 goes the same way beside it. CUDA's own start is over by then, and not
// counted.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include "../check.h"
#include "comparison.h"
#include "program.h"
#include "sections.h"
#include "ticks.h"

namespace benchmark::host {
namespace {

// Before any other static object of the program's or the library's.
[[gnu::init_priority(101)]] const struct Loaded {
  std::int64_t at = ticks();
} loaded;

constexpr std::size_t stages = 3;
struct Times {
  double ns[stages] = {};
};

Times runChild(const char *enabled) {
  std::string self(4096, '\0');
  const ssize_t length = readlink("/proc/self/exe", self.data(), self.size());
  if (length <= 0)
    throw std::runtime_error("cannot tell where this program lies");
  self.resize(static_cast<std::size_t>(length));
  const std::string command =
      "GRAPHPROF_ENABLED=" + std::string(enabled) + " '" + self + "' " + startUpArgument;
  const auto close = [](FILE *pipe) { pclose(pipe); };
  const std::unique_ptr<FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  Times times;
  if (!pipe ||
      std::fscanf(pipe.get(), "%lf %lf %lf", &times.ns[0], &times.ns[1], &times.ns[2]) != 3)
    throw std::runtime_error("a process that starts up says nothing");
  return times;
}

} // namespace

void startUpChild() {
  const std::int64_t inMain = ticks();
  {
    const Stream stream; // CUDA's own start
    const PlainExec exec(stream, 1);
    exec.launch(stream);
    stream.synchronize();
  }
  const Stream stream;
  const std::int64_t begin = ticks();
  const cudaGraph_t graph = captureTimed(stream, 1);
  const std::int64_t captured = ticks();
  cudaGraphExec_t exec = nullptr;
  CHECK(graphprof::cuda::cudaGraphInstantiate(&exec, graph, 0));
  const std::int64_t instantiated = ticks();
  CHECK(graphprof::cuda::cudaGraphLaunch(exec, stream));
  const std::int64_t launched = ticks();
  stream.synchronize();

  const double load = static_cast<double>(inMain - loaded.at);
  std::printf("%.0f %.0f %.0f\n", (load + static_cast<double>(captured - begin)) * nsPerTick(),
              static_cast<double>(instantiated - captured) * nsPerTick(),
              static_cast<double>(launched - instantiated) * nsPerTick());
}

void startUp(Effort effort) {
  const char *const names[stages] = {"from loading to the first capture's end, 1 region",
                                     "its instantiation", "its first launch"};
  std::vector<double> plain[stages], timed[stages], added[stages];
  for (int round = 0; round < (effort == Effort::Quick ? 1 : 31); ++round) {
    const Times without = runChild("0"), with = runChild("1");
    for (std::size_t i = 0; i < stages; ++i) {
      plain[i].push_back(without.ns[i]);
      timed[i].push_back(with.ns[i]);
      added[i].push_back(with.ns[i] - without.ns[i]);
    }
  }
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < stages; ++i) {
    Figure figure;
    figure.what = names[i];
    figure.aim = i == 0 ? "5000" : "";
    figure.plainNs = summarise(plain[i]);
    figure.timedNs = summarise(timed[i]);
    figure.addedNs = summarise(added[i]);
    figures.push_back(figure);
  }
  print("Start-up, against GRAPHPROF_ENABLED=0", "us", figures);
}

} // namespace benchmark::host
