// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "Benchmarks.h"
#include "graphprof/record.h"

namespace graphprof {

namespace {

using Json = nlohmann::json;

constexpr int schema = 1;

// The samples follow each other, because only their lengths are known.
class Samples {
public:
  explicit Samples(RecordingListener &listener) : listener_(listener) {}

  /// False: one of them is no duration.
  [[nodiscard]] bool add(const Json &result, std::string_view name, const Site *site,
                         const std::vector<Value> &context) {
    for (const double ms : result.at("times_ms").get<std::vector<double>>()) {
      constexpr double nsOfMs = 1e6, mostMs = 1e9;
      if (!std::isfinite(ms) || ms < 0 || ms >= mostMs)
        return false;
      Record record{};
      record.name = name;
      record.clock = Clock::Event;
      record.site = site;
      record.context = context.data();
      record.context_size = context.size();
      record.device = -1;
      record.iteration = record.step = -1;
      record.duration_ns = std::llround(ms * nsOfMs);
      record.begin_ns = atNs_;
      atNs_ += record.duration_ns;
      Replay replay;
      replay.records = {&record, 1};
      batcher_.add(replay, batch);
    }
    constexpr std::size_t large = 16'384;
    if (batch.launches.size() >= large)
      handOn();
    return true;
  }
  void handOn() {
    listener_.add(batch);
    batcher_.renew(batch);
  }

  Batch batch;

private:
  RecordingListener &listener_;
  Batcher batcher_;
  std::int64_t atNs_ = 1;
};

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
  Samples samples(listener);
  RecordedEnd end;
  std::string device;
  try {
    for (const Json &one : document.at("benchmarks")) {
      const std::string name = one.at("name");
      if (!one.contains("result")) {
        samples.batch.remarks.push_back(
            fmt::format("{} was not measured: {}", name,
                        one.value("failed", one.value("skipped", "no reason given"))));
        continue;
      }
      const Json &result = one.at("result");
      device = result.at("device");
      std::vector<Value> context;
      for (const char *const how : {"timer", "cold_method"})
        context.push_back(Value(result.value(how, "")).with_key(sites.keep(how)));
      context.push_back(Value(result.value("cold", false)).with_key(sites.keep("cold")));
      if (!samples.add(result, name, sites.keep(name, "", 0, ""), context)) {
        end.missing = fmt::format("{} is damaged, and what comes before it is read: a time of it "
                                  "is no duration",
                                  name);
        break;
      }
    }
  } catch (const Json::exception &error) {
    end.missing =
        fmt::format("a benchmark is damaged, and what comes before it is read: {}", error.what());
  }
  if (!device.empty())
    samples.batch.notes.push_back({"deviceProperties", Json::array({{{"name", device}}}).dump()});
  samples.handOn();
  listener.end(end);
  return {};
}

} // namespace graphprof
