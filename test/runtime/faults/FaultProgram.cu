// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Program.h's program. On order one of graphprof's own driver calls fails:
//
//     fault-program                          none fails
//     fault-program count                    prints, too, how often each driver function was called
//     fault-program FUNCTION NTH ERROR       the NTH call of FUNCTION returns ERROR
//     fault-program FUNCTION NTH ERROR all   and so do all behind it
//     fault-program each                     reads such orders, one a line, and does each in a
//     process of its own, which costs
//                                            a fork; behind what it prints stands a line "ended
//                                            STATUS", as wait() says it
//
// The program itself uses the runtime API only, so every driver call is graphprof's. The last line,
// "records R losses L...", each kind of loss, is about graphprof and not about the program.

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "Program.h"
#include "cuda/DriverApi.h"
#include "cudasim/cudasim.h"

void graphprof::test::say(const char *format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
}

namespace {

constexpr const char *driverFunctions[] = {
#define NAME(member, symbol, parameters) #symbol,
    GRAPHPROF_DRIVER_FUNCTIONS(NAME)
#undef NAME
#define NAME(version, member, symbol, parameters) #symbol,
        GRAPHPROF_NEWER_DRIVER_FUNCTIONS(NAME)
#undef NAME
};

void print(const graphprof::Losses &losses, bool all) {
  for (const std::uint64_t count :
       {losses.overrun, losses.not_queued, losses.unfinished, losses.incomplete,
        losses.beyond_limit, losses.not_instantiated, losses.not_mirrored, losses.not_launched,
        losses.invalidated, losses.regions_outside_graphs_failed, losses.dropped, losses.evicted,
        std::uint64_t{all ? 0U : 1U}})
    std::printf(" %llu", static_cast<unsigned long long>(count));
}

// What the order's words ask for; the exit status.
int obey(const std::vector<std::string> &order) {
  if (order.size() >= 3) {
    const auto first = static_cast<unsigned>(std::stoul(order[1]));
    const unsigned last = order.size() > 3 ? first + 500 : first;
    for (unsigned nth = first; nth <= last; ++nth)
      cudasim::failCall(order[0].c_str(), nth, std::stoi(order[2]));
  }

  std::atomic<std::size_t> records{0};
  graphprof::Profiler profiler(
      [&](const graphprof::Record &record) { records += record.duration_ns >= 0 ? 1 : 0; });
  graphprof::test::Program program;
  program.begin();
  program.all();
  constexpr std::int64_t patienceMs = 500;
  const bool all = profiler.flush(patienceMs);
  program.end();

  if (order == std::vector<std::string>{"count"})
    for (const char *function : driverFunctions)
      std::printf("%s %u\n", function, cudasim::callCount(function));
  std::printf("records %zu losses", records.load());
  print(graphprof::losses(), all);
  std::printf("\n");
  return 0;
}

void obeyEach() {
  // All are read first: a child's exit sets the place in a file that it shares with this process.
  std::vector<std::vector<std::string>> orders;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    orders.emplace_back(std::istream_iterator<std::string>(words),
                        std::istream_iterator<std::string>());
  }
  for (const std::vector<std::string> &order : orders) {
    std::fflush(stdout);
    const pid_t child = _Fork(); // not fork: graphprof would learn of it, and is off in a child
    if (child == 0)
      std::exit(obey(order));
    int status = -1;
    if (child > 0)
      waitpid(child, &status, 0);
    std::printf("ended %d\n", status);
  }
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> order(argv + 1, argv + argc);
  if (order != std::vector<std::string>{"each"})
    return obey(order);
  obeyEach();
  return 0;
}
