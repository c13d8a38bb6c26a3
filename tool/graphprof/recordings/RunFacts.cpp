// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "RunFacts.h"

#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace graphprof {

namespace {

constexpr std::size_t mostRemarks = 100;

std::string driverText(const nlohmann::json &cuda, const std::string &before) {
  constexpr int major = 1000, minor = 10; // of CUDA's number: 13000 is 13.0
  const int number = cuda.get<int>();
  const std::string text = fmt::format("CUDA {}.{}", number / major, number % major / minor);
  return before.empty() ? text : fmt::format("{}, {}", text, before);
}

} // namespace

void RunFacts::take(const Batch &batch) {
  for (const Batch::Note &note : batch.notes) {
    notRecorded.take(note.key, note.json);
    const auto value = nlohmann::json::parse(note.json, nullptr, false);
    if (note.key == "deviceProperties" && value.is_array()) {
      devices.clear();
      for (const auto &device : value)
        if (device.is_object() && device.contains("name") && device["name"].is_string())
          devices.push_back(device["name"]);
    } else if (note.key == backendKey && value.is_string()) {
      backend = value;
    } else if (note.key == cudaVersionKey && value.is_number_integer()) {
      driver = driverText(value, driver);
    } else if (note.key == driverVersionKey && value.is_string()) {
      driver += (driver.empty() ? "" : ", ") + value.get<std::string>();
    }
  }
  for (const std::string &remark : batch.remarks)
    if (remarks.size() < mostRemarks)
      remarks.push_back(remark);
}

void RunsListener::begin(const Run &run) {
  RunFacts &facts = runs_.emplace_back();
  facts.file = file_;
  facts.run = run;
}

void RunsListener::end(const RecordedEnd &end) {
  runs_.back().losses = end.losses;
  runs_.back().missing = end.missing;
}

std::string RunFacts::name() const {
  std::string text = fmt::format("{} (pid {}", run.program, run.pid);
  if (run.inJob || run.rank > 0)
    text += fmt::format(", rank {}", run.rank);
  if (!run.host.empty())
    text += fmt::format(" on {}", run.host);
  return text + ')';
}

} // namespace graphprof
