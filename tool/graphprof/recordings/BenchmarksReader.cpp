// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include <cmath>
#include <cstdint>
#include <deque>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "Assembler.h"
#include "Readers.h"

namespace graphprof {

namespace {

using Json = nlohmann::json;

constexpr int schema = 1; // as runtime/bench/suite/Files.cpp writes it

// The samples follow each other, because only their lengths are known.
void addSamples(const Json &result, const RecordedRegion &region, std::int64_t &atNs,
                Assembler &assembler) {
  for (const double ms : result.at("times_ms").get<std::vector<double>>()) {
    constexpr double nsOfMs = 1e6, mostMs = 1e9;
    Record record{};
    record.device = -1;
    record.iteration = record.step = -1;
    record.duration_ns =
        std::isfinite(ms) && ms >= 0 && ms < mostMs ? std::llround(ms * nsOfMs) : -1;
    record.begin_ns = atNs;
    atNs += std::max<std::int64_t>(record.duration_ns, 0);
    assembler.add(region, record);
  }
}

} // namespace

std::string readBenchmarks(std::istream &stream, RecordingListener &listener, KeptSites &sites) {
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  Json document;
  try {
    document = Json::parse(text);
    if (const int version = document.at("graphprof_bench"); version != schema)
      return fmt::format("its format has version {}, and this program reads version {}; measure "
                         "again with --json, or use the graphprof of the release that wrote it",
                         version, schema);
  } catch (const Json::exception &error) {
    return fmt::format("it is no whole result of a benchmark program (--json FILE): {}",
                       error.what());
  }
  listener.begin({});
  Assembler assembler(listener);
  RecordedEnd end;
  std::deque<RecordedRegion> regions; // the assembler refers to them
  std::string device;
  std::int64_t atNs = 1;
  try {
    for (const Json &one : document.at("benchmarks")) {
      const std::string name = one.at("name");
      if (!one.contains("result")) {
        assembler.remark(fmt::format("{} was not measured: {}", name,
                                     one.value("failed", one.value("skipped", "no reason given"))));
        continue;
      }
      const Json &result = one.at("result");
      device = result.at("device");
      RecordedRegion &region = regions.emplace_back();
      region.name = name;
      region.clock = Clock::Event;
      region.site = sites.keep(name, "", 0, "");
      for (const char *const how : {"timer", "cold_method"})
        region.context.push_back(Value(result.value(how, "")).with_key(sites.keep(how)));
      region.context.push_back(Value(result.value("cold", false)).with_key(sites.keep("cold")));
      addSamples(result, region, atNs, assembler);
    }
  } catch (const Json::exception &error) {
    end.missing =
        fmt::format("a benchmark is damaged, and what comes before it is read: {}", error.what());
  }
  if (!device.empty())
    assembler.note("deviceProperties", Json::array({{{"name", device}}}).dump());
  assembler.finish();
  listener.end(end);
  return {};
}

} // namespace graphprof
