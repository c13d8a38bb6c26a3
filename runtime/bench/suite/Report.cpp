// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Findings as text: tables, and a run compared with an earlier one.

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "bench/Statistics.h"
#include "bench/suite/Suite.h"
#include "output/io/Columns.h"
#include "output/io/Units.h"

namespace graphprof::bench_suite {

namespace {

// Two runs of one program differ by this much: in clocks and temperatures, which do not cancel out,
// and in how soon a kernel begins, which differs between processes (H200: up to 0.15 us).
// bench_compare detects smaller differences.
constexpr double resolutionOfRuns = 0.02, resolutionMs = 0.2e-3;

// A table whose first `left` columns are at the left. The first row has the headings.
std::string tableOf(std::vector<Columns::Cells> rows, std::size_t left) {
  std::vector<Column> columns;
  for (const std::string &heading : rows.front())
    columns.push_back({heading, 0, columns.size() < left});
  rows.erase(rows.begin());
  Columns table(std::move(columns));
  table.fit(rows);
  table.headings();
  table.rule();
  for (const Columns::Cells &row : rows)
    table.line(row);
  return std::move(table).text();
}

std::string timeText(double ms) { return formatTime(ms * 1e6); }

// The state of the cache, in one word.
std::string cacheText(const bench_result &result) {
  if (!result.cold)
    return "warm";
  if (result.cold_method == cold_l2::flush)
    return "flushed";
  return result.copies == 1 ? "cold" : fmt::format("{} copies", result.copies);
}

double meanOf(const std::vector<double> &values) {
  double sum = 0;
  for (const double value : values)
    sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

std::string remark(const Finding &finding) {
  if (!finding.failed.empty())
    return fmt::format("{}: failed: {}\n", finding.name, finding.failed);
  if (!finding.skipped.empty())
    return fmt::format("{}: skipped: {}\n", finding.name, finding.skipped);
  std::string text;
  const bench_result &result = finding.result;
  if (result.discarded > 0)
    text += fmt::format("{}: {} samples at a low SM clock were discarded\n", finding.name,
                        result.discarded);
  if (result.throttle != "none" && result.throttle != "unknown" && !result.throttle.empty())
    text += fmt::format("{}: the clock was held down: {}\n", finding.name, result.throttle);
  for (const std::string &warning : result.warnings)
    text += fmt::format("{}: {}\n", finding.name, warning);
  return text;
}

// Were both timed in the same way? A replay's begin and end are part of each call's share.
bool areAlike(const bench_result &one, const bench_result &other) {
  return one.timer == other.timer && one.cold == other.cold &&
         one.cold_method == other.cold_method && one.device == other.device &&
         one.iterations_within_graph == other.iterations_within_graph;
}

} // namespace

std::string table(const std::vector<Finding> &findings) {
  if (findings.empty())
    return {};
  const auto any = [&](auto what) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding &finding) { return what(finding.result); });
  };
  const bool bytes = any([](const bench_result &result) { return result.bytes_per_s > 0; });
  const bool flops = any([](const bench_result &result) { return result.flops_per_s > 0; });
  Columns::Cells heading;
  for (const auto &[axis, text] : findings.front().axes)
    heading.push_back(axis);
  for (const char *const each : {"Samples", "Median", "+-", "Min", "P95", "SM MHz", "L2", "Timer"})
    heading.emplace_back(each);
  if (bytes)
    heading.emplace_back("Memory");
  if (flops)
    heading.emplace_back("Compute");
  std::vector<Columns::Cells> rows = {std::move(heading)};
  std::string remarks;
  for (const Finding &finding : findings) {
    remarks += remark(finding);
    if (!finding.measured())
      continue;
    const bench_result &result = finding.result;
    std::vector<std::string> cells;
    cells.reserve(finding.axes.size() + 10);
    for (const auto &[axis, text] : finding.axes)
      cells.push_back(text);
    cells.push_back(fmt::format("{}", result.times_ms.size()));
    cells.push_back(timeText(result.median_ms));
    cells.push_back(formatPercent(50 * (result.high_ms - result.low_ms) / result.median_ms));
    cells.push_back(timeText(result.min_ms));
    cells.push_back(timeText(result.p95_ms));
    cells.push_back(
        result.sm_clock_mhz.empty() ? "" : fmt::format("{:.0f}", meanOf(result.sm_clock_mhz)));
    cells.push_back(cacheText(result));
    cells.emplace_back(word(result.timer));
    if (bytes)
      cells.push_back(formatRate(result.bytes_per_s, "B/s"));
    if (flops)
      cells.push_back(formatRate(result.flops_per_s, "FLOP/s"));
    rows.push_back(std::move(cells));
  }
  const bool measured = std::any_of(findings.begin(), findings.end(),
                                    [](const Finding &finding) { return finding.measured(); });
  return fmt::format("{}\n{}{}", findings.front().benchmark,
                     measured ? tableOf(std::move(rows), findings.front().axes.size()) : "",
                     remarks);
}

std::string complaints(const std::vector<Finding> &findings) {
  std::string text;
  for (const Finding &finding : findings)
    if (finding.skipped.empty())
      text += remark(finding);
  return text;
}

// The interval of the ratio: each end of one median's interval (99.5 %) over the opposite end of
// the other's.
Comparison compared(const std::vector<Finding> &before, const std::vector<Finding> &now) {
  Comparison result;
  std::vector<Columns::Cells> rows = {
      {"Benchmark", "Before", "Now", "Ratio", "Interval", "Verdict"}};
  std::string remarks;
  for (const Finding &finding : now) {
    if (!finding.measured())
      continue;
    const auto found = std::find_if(before.begin(), before.end(), [&](const Finding &other) {
      return other.name == finding.name && other.measured();
    });
    if (found == before.end()) {
      remarks += fmt::format("{}: not in the other file\n", finding.name);
      continue;
    }
    const auto intervalOf = [](std::vector<double> times) {
      std::sort(times.begin(), times.end());
      return bench_detail::medianInterval(times, bench_detail::deviationsOf995);
    };
    const bench_detail::Interval was = intervalOf(found->result.times_ms),
                                 is = intervalOf(finding.result.times_ms);
    const double low = is.low / was.high, high = is.high / was.low;
    const bool slower = low > 1 + resolutionOfRuns && is.low - was.high > resolutionMs;
    const bool faster = high < 1 - resolutionOfRuns && was.low - is.high > resolutionMs;
    // No difference that two runs could tell: neither median is off by that much.
    const bool same = (low >= 1 - resolutionOfRuns && high <= 1 + resolutionOfRuns) ||
                      std::max(is.high - was.low, was.high - is.low) <= resolutionMs;
    const bool alike = areAlike(found->result, finding.result);
    result.slower = result.slower || (slower && alike);
    rows.push_back({finding.name, timeText(found->result.median_ms),
                    timeText(finding.result.median_ms),
                    fmt::format("{:.3f}", finding.result.median_ms / found->result.median_ms),
                    fmt::format("{:.3f} to {:.3f}", low, high),
                    !alike                                              ? "timed differently"
                    : slower                                            ? "slower"
                    : faster                                            ? "faster"
                    : found->result.times_ms == finding.result.times_ms ? "identical"
                    : same                                              ? "same"
                                                                        : "undecided"});
  }
  result.text = tableOf(std::move(rows), 1) + remarks;
  return result;
}

} // namespace graphprof::bench_suite
