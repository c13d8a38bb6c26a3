// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "TopTable.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "output/io/Text.h"
#include "output/io/Units.h"

namespace graphprof::tool {

namespace {

using Json = nlohmann::json;

std::string keyOf(const Json &region) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", region.at("path").get<std::string>(),
                     region.at("kind").get<std::string>(), region.at("clock").get<std::string>(),
                     region.at("source").get<std::string>(), region.at("device").get<int>());
}

std::string keyOfGraph(const Json &graph) {
  return fmt::format("replays\n{}\n{}", graph.at("graph_name").get<std::string>(),
                     graph.at("device").get<int>());
}

std::string time(double ns) { return ns < 0 ? "-" : formatTime(ns); }

double busyOf(const Json &region) { return region.value("busy_median_ns", -1.0); }

std::string rate(double perSecond) {
  return perSecond < 0 ? "-" : fmt::format("{:.{}f}", perSecond, perSecond < 100 ? 1 : 0);
}

} // namespace

std::string_view wordOf(TopSort sort) {
  switch (sort) {
  case TopSort::Share:
    return "share";
  case TopSort::Median:
    return "median";
  case TopSort::Rate:
    return "rate";
  case TopSort::Trend:
    return "trend";
  case TopSort::Name:
    return "name";
  }
  return "";
}

void TopTable::take(const Json &answer) {
  const Json &status = answer.at("status");
  Counts counts;
  counts.ns = status.at("now_ns").get<std::int64_t>();
  counts.launches = status.at("launches").get<std::uint64_t>();
  counts.replays = status.at("replays").get<std::uint64_t>();
  bool anyBusy = false;
  for (const Json &region : answer.at("regions")) {
    counts.rows[keyOf(region)] = region.at("count").get<std::uint64_t>();
    anyBusy = anyBusy || busyOf(region) >= 0;
  }
  for (const Json &graph : answer.at("graphs"))
    if (graph.contains("graph_name"))
      counts.rows[keyOfGraph(graph)] = graph.at("count").get<std::uint64_t>();
  anyBusy_ = anyBusy;
  answer_ = answer;
  before_ = std::exchange(now_, std::move(counts));
}

std::vector<std::string> TopTable::heading() const {
  if (answer_.is_null())
    return {};
  const Json &status = answer_.at("status");
  const double seconds = before_.ns ? static_cast<double>(now_.ns - before_.ns) * 1e-9 : -1;
  const auto since = [seconds](std::uint64_t before, std::uint64_t now) {
    return rate(seconds > 0 ? static_cast<double>(now - std::min(before, now)) / seconds : -1);
  };
  std::string first = fmt::format("{} {}", status.at("pid").get<std::int64_t>(),
                                  printable(status.at("program").get<std::string>()));
  if (status.contains("rank"))
    first += fmt::format(", rank {} of {}", status["rank"].dump(), status.at("ranks").dump());
  first += !status.at("permitted").get<bool>()  ? ", stopped"
           : status.at("recording").get<bool>() ? ", recording"
                                                : ", not recording";
  if (const auto window = status.find("window"); window != status.end())
    first += fmt::format(", window {} {}", window->at("opener").get<std::string>(),
                         window->at("open").get<bool>() ? "open" : "closed");
  if (const auto budget = status.find("budget");
      budget != status.end() && budget->at("price").is_number())
    first += fmt::format(", budget {:.3g} %", 100 * budget->at("price").get<double>());
  std::string lost;
  for (const auto &[name, count] : status.at("losses").items())
    if (count.get<std::uint64_t>() > 0)
      lost += fmt::format("{}{} {}", lost.empty() ? "" : ", ", count.get<std::uint64_t>(), name);
  return {first,
          fmt::format("launches {} ({}/s), recorded {} ({}/s)", now_.launches,
                      since(before_.launches, now_.launches), now_.replays,
                      since(before_.replays, now_.replays)),
          "lost " + (lost.empty() ? std::string("nothing") : lost)};
}

double TopTable::perSecond(const std::string &key, std::uint64_t count) const {
  const double seconds = before_.ns ? static_cast<double>(now_.ns - before_.ns) * 1e-9 : -1;
  const auto before = before_.rows.find(key);
  return before == before_.rows.end() || seconds <= 0
             ? -1
             : static_cast<double>(count - std::min(before->second, count)) / seconds;
}

// Without a name, a graph would only have its number.
void TopTable::addGraphs(std::vector<Row> &rows, std::string_view filter) const {
  constexpr std::string_view kind = "replay";
  std::map<int, double> ofDevice; // the time of all replays there
  for (const Json &graph : answer_.at("graphs"))
    ofDevice[graph.at("device").get<int>()] += graph.at("sum_ns").get<double>();
  for (const Json &graph : answer_.at("graphs")) {
    if (!graph.contains("graph_name"))
      continue;
    Row row;
    row.path = graph["graph_name"].get<std::string>();
    row.kind = kind;
    row.device = graph["device"].get<int>();
    if (row.path.find(filter) == std::string::npos && kind.find(filter) == std::string::npos)
      continue;
    const auto count = graph.at("count").get<std::uint64_t>();
    if (count > 0) {
      row.share = 100 * graph["sum_ns"].get<double>() / ofDevice[row.device];
      row.medianNs = graph.at("p50_ns").get<double>();
      row.p95Ns = graph.at("p95_ns").get<double>();
    }
    row.perSecond = perSecond(keyOfGraph(graph), count);
    rows.push_back(std::move(row));
  }
}

std::vector<TopTable::Row> TopTable::rows(TopSort sort, std::string_view filter) const {
  std::vector<Row> rows;
  if (answer_.is_null())
    return rows;
  for (const Json &region : answer_.at("regions")) {
    Row row;
    row.path = region.at("path").get<std::string>();
    row.kind = region.at("kind").get<std::string>();
    if (row.path.find(filter) == std::string::npos && row.kind.find(filter) == std::string::npos)
      continue;
    row.device = region.at("device").get<int>();
    if (region.at("share_percent").is_number())
      row.share = region["share_percent"].get<double>();
    row.medianNs = region.at("median_ns").get<double>();
    row.p95Ns = region.at("p95_ns").get<double>();
    row.busyNs = busyOf(region);
    row.gapNs = region.value("gap_median_ns", -1.0);
    const double older = region.at("older_median_ns").get<double>(),
                 newer = region.at("newer_median_ns").get<double>();
    if (older > 0 && newer >= 0)
      row.trend = newer / older - 1;
    row.perSecond = perSecond(keyOf(region), region.at("count").get<std::uint64_t>());
    rows.push_back(std::move(row));
  }
  addGraphs(rows, filter);
  const auto by = [&rows](auto member) {
    std::sort(rows.begin(), rows.end(), [member](const Row &left, const Row &right) {
      const auto of = member(left), than = member(right);
      return of != than ? of > than : left.path < right.path;
    });
  };
  switch (sort) {
  case TopSort::Share:
    by([](const Row &row) { return row.share; });
    break;
  case TopSort::Median:
    by([](const Row &row) { return row.medianNs; });
    break;
  case TopSort::Rate:
    by([](const Row &row) { return row.perSecond; });
    break;
  case TopSort::Trend:
    by([](const Row &row) { return std::abs(row.trend.value_or(0)); });
    break;
  case TopSort::Name:
    std::sort(rows.begin(), rows.end(),
              [](const Row &left, const Row &right) { return left.path < right.path; });
    break;
  }
  return rows;
}

std::string TopTable::columns() const {
  return fmt::format("{:>7} {:>10} {:>8} {:>10} {}{:>9} {:>3} {:<7} {}", "SHARE", "MEDIAN", "TREND",
                     "P95", anyBusy_ ? fmt::format("{:>10} {:>10} ", "BUSY", "GAP") : "", "EACH S",
                     "DEV", "KIND", "REGION");
}

std::string TopTable::line(const Row &row) const {
  return fmt::format("{:>7} {:>10} {:>8} {:>10} {}{:>9} {:>3} {:<7} {}",
                     row.share < 0 ? "-" : fmt::format("{:.2f}%", row.share), time(row.medianNs),
                     row.trend ? fmt::format("{:+.1f}%", 100 * *row.trend) : "-", time(row.p95Ns),
                     anyBusy_ ? fmt::format("{:>10} {:>10} ", time(row.busyNs), time(row.gapNs))
                              : "",
                     rate(row.perSecond), row.device < 0 ? "-" : std::to_string(row.device),
                     row.kind, printable(row.path));
}

} // namespace graphprof::tool
