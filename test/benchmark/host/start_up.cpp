// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The cost of start-up, from the library's loading to the end of the first capture, each time in a
// new process: what the library does before main(), and what the first capture costs more than
// later ones. Compared with a process with GRAPHPROF_ENABLED=0. CUDA's own start is not counted.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"
#include "comparison.h"
#include "program.h"
#include "sections.h"
#include "ticks.h"

namespace benchmark::host {
namespace {

// Initialized before any other static object of the program or the library.
[[gnu::init_priority(101)]] const struct Loaded {
  std::int64_t at = ticks();
} loaded;

constexpr std::size_t stages = 3;
struct Times {
  double ns[stages] = {};
};

// The current environment with GRAPHPROF_ENABLED=`enabled`.
std::vector<std::string> environmentWith(const std::string &enabled) {
  const std::string name = "GRAPHPROF_ENABLED=";
  std::vector<std::string> variables = {name + enabled};
  for (char **variable = environ; *variable; ++variable)
    if (std::string_view(*variable).substr(0, name.size()) != name)
      variables.emplace_back(*variable);
  return variables;
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> result;
  result.reserve(texts.size() + 1);
  for (std::string &text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// The times go through a pipe in binary form.
Times runChild(const std::string &enabled) {
  int ends[2] = {};
  if (pipe(ends) != 0)
    throw std::runtime_error("no pipe to a process that starts up");
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  std::vector<std::string> arguments = {"host-benchmark", startUpArgument};
  std::vector<std::string> variables = environmentWith(enabled);
  pid_t child = 0;
  const int refused = posix_spawn(&child, "/proc/self/exe", &actions, nullptr,
                                  pointers(arguments).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Times times;
  const bool whole = refused == 0 && read(ends[0], &times, sizeof times) == sizeof times;
  close(ends[0]);
  int status = 0;
  if (refused == 0)
    waitpid(child, &status, 0);
  if (!whole || status != 0)
    throw std::runtime_error("a process that starts up fails");
  return times;
}

} // namespace

void startUpChild() {
  const std::int64_t inMain = ticks();
  {
    const Stream stream; // starts CUDA
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
  const Times times = {{(load + static_cast<double>(captured - begin)) * nsPerTick(),
                        static_cast<double>(instantiated - captured) * nsPerTick(),
                        static_cast<double>(launched - instantiated) * nsPerTick()}};
  if (write(STDOUT_FILENO, &times, sizeof times) != sizeof times)
    throw std::runtime_error("no pipe to write to");
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
