// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "kernels/KernelGraphs.h"

namespace graphprof::test {

namespace {

// Before the library reads it.
const std::string path = [] {
  auto file = (std::filesystem::temp_directory_path() /
               ("graphprof-kernels-" + std::to_string(getpid()) + ".jsonl"))
                  .string();
  const char *const further = std::getenv("GRAPHPROF_TEST_FURTHER_OUTPUT");
  setenv("GRAPHPROF_OUTPUT", (further ? file + "," + further : file).c_str(), 1);
  setenv("GRAPHPROF_KERNELS", "warps:1,blocks:4,entries:64", 0);
  return file;
}();
[[maybe_unused]] const int atEnd = std::atexit([] { std::filesystem::remove(path); });

KernelLine runOf(const nlohmann::json &line) {
  const auto textOr = [](const nlohmann::json &of) {
    return of.is_null() ? std::string() : of.get<std::string>();
  };
  KernelLine run;
  run.name = line["name"];
  run.path = textOr(line["path"]);
  run.node = line["node"];
  run.exec = line["exec"];
  run.replay = line["replay"];
  run.isTwin = line["twin"];
  run.isCold = line["cold"];
  run.durationNs = line["duration_ns"].is_null() ? -1 : line["duration_ns"].get<std::int64_t>();
  if (!run.isTwin)
    return run;
  for (const auto &one : line["inside"])
    run.inside.push_back({one["name"], one["source"],
                          one["inside"].is_null() ? -1 : one["inside"].get<int>(), one["warps"],
                          one["iterations"], one["percent_of_warps"], one["median_ns"],
                          one["p95_ns"]});
  for (const auto &one : line["warps"]) {
    KernelLine::Warp warp{one["block"],    one["warp"],        one["multiprocessor"],
                          one["begin_ns"], one["duration_ns"], {}};
    for (const auto &time : one["times"])
      warp.times.push_back({time[0], time[1], time[2]});
    run.warps.push_back(std::move(warp));
  }
  return run;
}

} // namespace

std::vector<KernelLine> newRunsOfFile() {
  static std::streamoff read = 0;
  std::vector<KernelLine> runs;
  std::ifstream file(path);
  file.seekg(read);
  for (std::string line; std::getline(file, line);) {
    read += static_cast<std::streamoff>(line.size()) + 1;
    if (const auto json = nlohmann::json::parse(line); json["type"] == "kernel")
      runs.push_back(runOf(json));
  }
  return runs;
}

} // namespace graphprof::test
