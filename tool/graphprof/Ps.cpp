// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof ps: the processes that graphprof attach, top and exporter can reach.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "Client.h"
#include "CommandLine.h"
#include "Commands.h"

namespace graphprof::tool {

namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds psPatience{2'000};

std::string stateOf(const Json &status) {
  if (!status.value("permitted", true))
    return "stopped";
  if (status.value("recording", false))
    return "recording";
  return status.contains("window") ? "no window" : "idle";
}

std::uint64_t lostOf(const Json &status) {
  std::uint64_t sum = 0;
  const Json losses = status.value("losses", Json::object());
  for (const auto &[name, count] : losses.items())
    if (count.is_number_unsigned() && name != "namesCut")
      sum += count.get<std::uint64_t>();
  return sum;
}

} // namespace

int ps(const std::vector<std::string> &arguments) {
  if (!arguments.empty()) {
    const bool asked = arguments[0] == "--help" || arguments[0] == "-h";
    fmt::print(
        asked ? stdout : stderr,
        "usage: graphprof ps\n"
        "    shows the processes of yours that graphprof attach, top and exporter can reach\n"
        "exit status: 0 where there is one, 1 where there is none, 2 called wrongly\n");
    return asked ? 0 : usageError;
  }
  std::vector<Reached> all = reachAll();
  if (all.empty()) {
    sayOf("graphprof ps", nobody());
    return 1;
  }
  printLine("{:>8} {:>5} {:<10} {:>12} {:>12} {:>10}  {}", "PID", "RANK", "STATE", "LAUNCHES",
            "RECORDED", "LOST", "PROGRAM");
  for (Reached &each : all) {
    const Json status = each.client ? each.client->ask({{"command", "status"}}, psPatience)
                                    : Json{{"ok", false}, {"error", each.why}};
    if (!status.value("ok", false)) {
      printLine("{:>8} {:>5} {}", each.pid, "", status.value("error", std::string()));
      continue;
    }
    printLine("{:>8} {:>5} {:<10} {:>12} {:>12} {:>10}  {}", each.pid,
              status.contains("rank") ? status["rank"].dump() : "-", stateOf(status),
              status.value("launches", std::uint64_t{0}), status.value("replays", std::uint64_t{0}),
              lostOf(status), status.value("program", std::string()));
  }
  return 0;
}

} // namespace graphprof::tool
