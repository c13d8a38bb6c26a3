// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Findings as JSON, which can be read back, and as CSV.

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/suite/Suite.h"

namespace graphprof::bench_suite {

namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

constexpr std::array<std::pair<bench_timer, const char *>, 3> timers = {
    {{bench_timer::graph, "graph"},
     {bench_timer::eager, "eager"},
     {bench_timer::stamps, "stamps"}}};
constexpr std::array<std::pair<cold_l2, const char *>, 3> methods = {
    {{cold_l2::automatic, "none"}, {cold_l2::rotation, "rotation"}, {cold_l2::flush, "flush"}}};

template <class Words, class Value> const char *wordIn(const Words &words, Value value) {
  for (const auto &[each, word] : words)
    if (each == value)
      return word;
  return "";
}
template <class Words> auto valueIn(const Words &words, std::string_view text) {
  for (const auto &[each, word] : words)
    if (word == text)
      return each;
  throw std::runtime_error(fmt::format("'{}' is not known", text));
}

Json resultJson(const bench_result &result) {
  return {{"device", result.device},
          {"timer", word(result.timer)},
          {"median_ms", result.median_ms},
          {"low_ms", result.low_ms},
          {"high_ms", result.high_ms},
          {"mean_ms", result.mean_ms},
          {"stddev_ms", result.stddev_ms},
          {"min_ms", result.min_ms},
          {"p5_ms", result.p5_ms},
          {"p25_ms", result.p25_ms},
          {"p75_ms", result.p75_ms},
          {"p95_ms", result.p95_ms},
          {"p99_ms", result.p99_ms},
          {"max_ms", result.max_ms},
          {"converged", result.converged},
          {"discarded", result.discarded},
          {"bytes_per_s", result.bytes_per_s},
          {"flops_per_s", result.flops_per_s},
          {"cold", result.cold},
          {"cold_method", word(result.cold_method)},
          {"l2_bytes", result.l2_bytes},
          {"argument_bytes", result.argument_bytes},
          {"copies", result.copies},
          {"graphs", result.graphs},
          {"reuse_bytes", result.reuse_bytes},
          {"memory_bytes", result.memory_bytes},
          {"iterations_within_graph", result.iterations_within_graph},
          {"dry_runs", result.dry_runs},
          {"node_count", result.node_count},
          {"nodes", result.nodes},
          {"peak_sm_clock_mhz", result.peak_sm_clock_mhz},
          {"throttle", result.throttle},
          {"warnings", result.warnings},
          {"times_ms", result.times_ms},
          {"sm_clock_mhz", result.sm_clock_mhz}};
}

// Reads what comparing and showing need.
bench_result resultOf(const Json &json) {
  bench_result result;
  result.timer = valueIn(timers, json.at("timer").get<std::string>());
  result.device = json.at("device");
  result.median_ms = json.at("median_ms");
  result.cold = json.at("cold");
  result.cold_method = valueIn(methods, json.at("cold_method").get<std::string>());
  result.iterations_within_graph = json.at("iterations_within_graph");
  result.times_ms = json.at("times_ms").get<std::vector<double>>();
  result.sm_clock_mhz = json.at("sm_clock_mhz").get<std::vector<double>>();
  if (result.times_ms.empty())
    throw std::runtime_error("a benchmark has no samples");
  return result;
}

// A field of a CSV file.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos)
    return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    result += c;
    if (c == '"')
      result += c;
  }
  return result + '"';
}

} // namespace

const char *word(bench_timer timer) { return wordIn(timers, timer); }
const char *word(cold_l2 method) { return wordIn(methods, method); }

std::string json(const std::vector<Finding> &findings) {
  Json all = Json::array();
  for (const Finding &finding : findings) {
    Json axes = Json::object();
    for (const auto &[axis, text] : finding.axes)
      axes[axis] = text;
    Json one = {{"name", finding.name}, {"benchmark", finding.benchmark}, {"axes", axes}};
    if (!finding.failed.empty())
      one["failed"] = finding.failed;
    else if (!finding.skipped.empty())
      one["skipped"] = finding.skipped;
    else
      one["result"] = resultJson(finding.result);
    all.push_back(std::move(one));
  }
  const Json document = {{"graphprof_bench", schema}, {"benchmarks", all}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::vector<Finding> parsed(const std::string &text) {
  std::vector<Finding> findings;
  try {
    const Json document = Json::parse(text);
    if (document.at("graphprof_bench") != schema)
      throw std::runtime_error("another version of graphprof wrote it; measure again with --json");
    for (const Json &one : document.at("benchmarks")) {
      Finding finding;
      finding.name = one.at("name");
      finding.benchmark = one.at("benchmark");
      for (const auto &[axis, text] : one.at("axes").items())
        finding.axes.emplace_back(axis, text.get<std::string>());
      finding.failed = one.value("failed", "");
      finding.skipped = one.value("skipped", "");
      if (finding.measured())
        finding.result = resultOf(one.at("result"));
      findings.push_back(std::move(finding));
    }
  } catch (const Json::exception &error) {
    throw std::runtime_error(fmt::format("--json did not write this file: {}", error.what()));
  }
  return findings;
}

std::string csv(const std::vector<Finding> &findings) {
  std::string text = "name,samples,discarded,median_ms,low_ms,high_ms,mean_ms,stddev_ms,min_ms,p5_"
                     "ms,p95_ms,max_ms,"
                     "timer,cold,cold_method,copies,bytes_per_s,flops_per_s,throttle,note\n";
  for (const Finding &finding : findings) {
    const bench_result &result = finding.result;
    text += field(finding.name);
    if (finding.measured())
      text += fmt::format(",{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},",
                          result.times_ms.size(), result.discarded, result.median_ms, result.low_ms,
                          result.high_ms, result.mean_ms, result.stddev_ms, result.min_ms,
                          result.p5_ms, result.p95_ms, result.max_ms, word(result.timer),
                          result.cold, word(result.cold_method), result.copies, result.bytes_per_s,
                          result.flops_per_s, field(result.throttle));
    else
      text += fmt::format("{:,>19}", "");
    std::string note = finding.failed.empty() ? finding.skipped : finding.failed;
    for (const std::string &warning : result.warnings)
      note += (note.empty() ? "" : "; ") + warning;
    text += field(note) + '\n';
  }
  return text;
}

} // namespace graphprof::bench_suite
