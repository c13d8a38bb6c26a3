// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Findings as text: tables, and a run compared with an earlier one.

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "bench/Statistics.h"
#include "bench/suite/Suite.h"

namespace graphprof::bench_suite {

namespace {

// Two runs of one program differ by this much: in clocks and temperatures, which do not cancel out,
// and in how soon a kernel begins, which differs between processes (H200: up to 0.15 us).
// bench_compare detects smaller differences.
constexpr double resolutionOfRuns = 0.02, resolutionMs = 0.2e-3;

// Text in columns. The first ones are left-aligned.
class Columns {
public:
  explicit Columns(std::size_t left) : left_(left) {}
  void line(std::vector<std::string> cells) {
    widths_.resize(std::max(widths_.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths_[i] = std::max(widths_[i], cells[i].size());
    lines_.push_back(std::move(cells));
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      std::string written, rule;
      for (std::size_t i = 0; i < lines_[line].size(); ++i) {
        const std::string &cell = lines_[line][i];
        written += (i == 0 ? "" : "  ") + (i < left_ ? fmt::format("{:<{}}", cell, widths_[i])
                                                     : fmt::format("{:>{}}", cell, widths_[i]));
        rule += (i == 0 ? "" : "  ") + std::string(widths_[i], '-');
      }
      written.erase(written.find_last_not_of(' ') + 1);
      text += written + '\n';
      if (line == 0)
        text += rule + '\n';
    }
    return text;
  }

private:
  std::size_t left_;
  std::vector<std::vector<std::string>> lines_;
  std::vector<std::size_t> widths_;
};

std::string rateText(double perS, std::string_view unit) {
  if (perS <= 0)
    return "";
  constexpr std::array<std::string_view, 5> prefixes = {"", "K", "M", "G", "T"};
  std::size_t scale = 0;
  for (; perS >= 1000 && scale + 1 < prefixes.size(); ++scale)
    perS /= 1000;
  return fmt::format("{:.4g} {}{}", perS, prefixes[scale], unit);
}

std::string percentText(double share) { return fmt::format("{:.2f}%", share * 100); }

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

std::string timeText(double ms) {
  for (const auto &[unit, name] :
       {std::pair(1e3, "s"), std::pair(1.0, "ms"), std::pair(1e-3, "us")})
    if (ms >= unit)
      return fmt::format("{:.3f} {}", ms / unit, name);
  return fmt::format("{:.1f} ns", ms * 1e6);
}

std::string table(const std::vector<Finding> &findings) {
  if (findings.empty())
    return {};
  const auto any = [&](auto what) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding &finding) { return what(finding.result); });
  };
  const bool bytes = any([](const bench_result &result) { return result.bytes_per_s > 0; });
  const bool flops = any([](const bench_result &result) { return result.flops_per_s > 0; });
  Columns columns(findings.front().axes.size());
  std::vector<std::string> heading;
  for (const auto &[axis, text] : findings.front().axes)
    heading.push_back(axis);
  for (const char *const each : {"Samples", "Median", "+-", "Min", "P95", "SM MHz", "L2", "Timer"})
    heading.emplace_back(each);
  if (bytes)
    heading.emplace_back("Memory");
  if (flops)
    heading.emplace_back("Compute");
  columns.line(heading);
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
    cells.push_back(percentText((result.high_ms - result.low_ms) / 2 / result.median_ms));
    cells.push_back(timeText(result.min_ms));
    cells.push_back(timeText(result.p95_ms));
    cells.push_back(
        result.sm_clock_mhz.empty() ? "" : fmt::format("{:.0f}", meanOf(result.sm_clock_mhz)));
    cells.push_back(cacheText(result));
    cells.emplace_back(word(result.timer));
    if (bytes)
      cells.push_back(rateText(result.bytes_per_s, "B/s"));
    if (flops)
      cells.push_back(rateText(result.flops_per_s, "FLOP/s"));
    columns.line(cells);
  }
  const bool measured = std::any_of(findings.begin(), findings.end(),
                                    [](const Finding &finding) { return finding.measured(); });
  return fmt::format("{}\n{}{}", findings.front().benchmark, measured ? columns.text() : "",
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
  Columns columns(1);
  columns.line({"Benchmark", "Before", "Now", "Ratio", "Interval", "Verdict"});
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
    columns.line({finding.name, timeText(found->result.median_ms),
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
  result.text = columns.text() + remarks;
  return result;
}

} // namespace graphprof::bench_suite
