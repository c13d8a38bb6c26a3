// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Families.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace graphprof::exporter {

namespace {

using Json = nlohmann::json;
using prometheus::MetricType;

struct Described {
  const char *name, *help;
  MetricType type;
};
constexpr std::array<Described, 20> described = {{
    {"graphprof_process_info", "A process with graphprof; always 1.", MetricType::Gauge},
    {"graphprof_recording", "1 while the process records launches.", MetricType::Gauge},
    {"graphprof_window_open", "1 while a window of GRAPHPROF_WINDOW is open.", MetricType::Gauge},
    {"graphprof_budget_ratio", "What recording may cost, as a part of a replay's time.",
     MetricType::Gauge},
    {"graphprof_budget_spent_ratio", "What recording costs, as a part of a replay's time.",
     MetricType::Gauge},
    {"graphprof_launches_total",
     "Launches of a graph, recorded or not; 'untimed': of graphs with nothing to time; 'other': of "
     "graphs beyond the bound.",
     MetricType::Counter},
    {"graphprof_not_sampled_launches_total",
     "Launches that a budget or sample left out while graphprof recorded.", MetricType::Counter},
    {"graphprof_recorded_replays_total", "Replays that were recorded while the exporter listened.",
     MetricType::Counter},
    {"graphprof_cold_replays_total",
     "Of those, replays in which some code ran for the first time; their times are left out.",
     MetricType::Counter},
    {"graphprof_replay_duration_seconds",
     "How long recorded replays of a graph took on the GPU; quantiles of the last minute or two.",
     MetricType::Summary},
    {"graphprof_region_duration_seconds",
     "How long a region or node took in recorded replays, all those of one place in the source; "
     "quantiles of the last minute or two.",
     MetricType::Summary},
    {"graphprof_region_busy_seconds",
     "How long kernels of a region were busy up to their own ends, in recorded executions of which "
     "that is known.",
     MetricType::Summary},
    {"graphprof_region_gap_seconds",
     "The gaps behind kernels of a region, in recorded executions of which they are known.",
     MetricType::Summary},
    {"graphprof_region_not_measured_total", "Executions of a region that have no time.",
     MetricType::Counter},
    {"graphprof_region_share_ratio",
     "Part of its recorded replays' time in which a region ran, of all that was recorded for "
     "exporters.",
     MetricType::Gauge},
    {"graphprof_lost_total", "What could not be recorded, by reason; docs/output.md explains each.",
     MetricType::Counter},
    {"graphprof_left_out_total",
     "What was recorded of regions or graphs beyond the bound, and has no series of its own.",
     MetricType::Counter},
    {"graphprof_left_out_names",
     "Regions and graphs without series of their own here; --max-series makes room.",
     MetricType::Gauge},
    {"graphprof_exporter_processes", "Processes that answered this scrape.", MetricType::Gauge},
    {"graphprof_exporter_unanswered_total", "Questions that a process did not answer in time.",
     MetricType::Counter},
}};

constexpr std::array<std::pair<double, const char *>, 3> quantiles = {
    {{0.5, "p50_ns"}, {0.95, "p95_ns"}, {0.99, "p99_ns"}}};

// Of a process; of a graph: launches, replays, cold ones, and a summary of durations; of a region:
// that, with sums of busy times and gaps, executions without a time, and the share.
constexpr std::size_t ofProcess = 40, ofGraph = 3 + quantiles.size() + 2,
                      ofRegion = quantiles.size() + 2 + 2 + 2 + 1 + 1;

std::string textOf(const Json &number) { return number.dump(); }

// The name that the program gave it, or its number.
std::string graphOf(const Json &graph) {
  const auto name = graph.find("graph_name");
  return name == graph.end() ? textOf(graph.at("graph")) : name->get<std::string>();
}

double executionsOf(const Json &durations) {
  return durations.at("count").get<double>() + durations.at("cold").get<double>() +
         durations.at("not_measured").get<double>();
}

} // namespace

prometheus::ClientMetric &Families::metric(const char *name, const Labels &labels) {
  auto known = families_.find(name);
  if (known == families_.end()) {
    prometheus::MetricFamily family;
    family.name = name;
    for (const Described &each : described)
      if (std::string_view(each.name) == name) {
        family.help = each.help;
        family.type = each.type;
      }
    known = families_.emplace(name, std::move(family)).first;
  }
  auto &metrics = known->second.metric;
  metrics.emplace_back();
  for (const auto &[label, value] : labels) {
    prometheus::ClientMetric::Label made;
    made.name = label;
    made.value = value;
    metrics.back().label.push_back(std::move(made));
  }
  return metrics.back();
}

void Families::gauge(const char *name, const Labels &labels, double value) {
  metric(name, labels).gauge.value = value;
}
void Families::counter(const char *name, const Labels &labels, double value) {
  metric(name, labels).counter.value = value;
}

// Quantiles cannot be added up over processes, but a histogram whose buckets show what became a
// fifth slower would take a hundred series for each region.
void Families::durations(const char *name, const Labels &labels, const Json &of) {
  summary(name, labels, of.at("count").get<std::uint64_t>(), of.at("sum_ns").get<double>());
  prometheus::ClientMetric::Summary &summary = families_.at(name).metric.back().summary;
  for (const auto &[quantile, member] : quantiles) {
    prometheus::ClientMetric::Quantile made;
    made.quantile = quantile;
    const double ns = of.at(member).get<double>();
    made.value = ns < 0 ? std::numeric_limits<double>::quiet_NaN() : ns * 1e-9;
    summary.quantile.push_back(made);
  }
}

// With nothing but a count and a sum: quantiles of several cannot be added up.
void Families::summary(const char *name, const Labels &labels, std::uint64_t count, double sumNs) {
  prometheus::ClientMetric::Summary &summary = metric(name, labels).summary;
  summary.sample_count = count;
  summary.sample_sum = sumNs * 1e-9;
}

void Families::addStatus(const Json &status, const Labels &process) {
  Labels info = process;
  info.emplace_back("host", status.at("host").get<std::string>());
  info.emplace_back("version", status.at("version").get<std::string>());
  gauge("graphprof_process_info", info, 1);
  gauge("graphprof_recording", process, status.at("recording").get<bool>() ? 1 : 0);
  if (const auto window = status.find("window"); window != status.end())
    gauge("graphprof_window_open", process, window->at("open").get<bool>() ? 1 : 0);
  if (const auto budget = status.find("budget"); budget != status.end()) {
    if (budget->at("price").is_number())
      gauge("graphprof_budget_ratio", process, budget->at("price").get<double>());
    if (budget->at("spent").is_number())
      gauge("graphprof_budget_spent_ratio", process, budget->at("spent").get<double>());
  }
  counter("graphprof_not_sampled_launches_total", process, status.value("left_out", 0.0));
  for (const auto &[reason, count] : status.at("losses").items()) {
    Labels labels = process;
    labels.emplace_back("reason", reason);
    counter("graphprof_lost_total", labels, count.get<double>());
  }
}

// The first ones keep their series, so that no series comes and goes. A quarter is for graphs.
Families::Bounds Families::boundsFor(std::size_t mostSeries) {
  const std::size_t named = mostSeries - std::min(mostSeries, ofProcess),
                    graphs = named / 4 / ofGraph;
  return {graphs, (named - graphs * ofGraph) / ofRegion};
}

std::size_t Families::add(const Json &answer, std::size_t mostSeries) {
  const Json &status = answer.at("status");
  Labels process = {{"process", status.at("program").get<std::string>()},
                    {"pid", textOf(status.at("pid"))}};
  if (status.contains("rank"))
    process.emplace_back("rank", textOf(status.at("rank")));
  addStatus(status, process);
  const auto with = [&process](std::initializer_list<std::pair<std::string, std::string>> more) {
    Labels labels = process;
    labels.insert(labels.end(), more);
    return labels;
  };
  const Bounds most = boundsFor(mostSeries);
  double otherLaunches = answer.at("other_launches").get<double>(),
         otherReplays = answer.at("other_replays").get<double>(),
         otherRecords = answer.at("other_records").get<double>();
  std::size_t launched = 0, graphs = 0, regions = 0;
  for (const Json &each : answer.at("launches")) {
    const auto count = each.at("count").get<double>();
    if (++launched > most.graphs)
      otherLaunches += count;
    else
      counter("graphprof_launches_total", with({{"graph", graphOf(each)}}), count);
  }
  counter("graphprof_launches_total", with({{"graph", "untimed"}}),
          answer.at("untimed_launches").get<double>());
  counter("graphprof_launches_total", with({{"graph", "other"}}), otherLaunches);
  for (const Json &each : answer.at("graphs")) {
    const Labels labels = with({{"graph", graphOf(each)}, {"device", textOf(each.at("device"))}});
    const double cold = each.at("cold").get<double>(), all = executionsOf(each);
    if (++graphs > most.graphs) {
      otherReplays += all;
      continue;
    }
    counter("graphprof_recorded_replays_total", labels, all);
    counter("graphprof_cold_replays_total", labels, cold);
    durations("graphprof_replay_duration_seconds", labels, each);
  }
  for (const Json &each : answer.at("regions")) {
    if (++regions > most.regions) {
      otherRecords += executionsOf(each);
      continue;
    }
    const Labels labels = with({{"region", each.at("path").get<std::string>()},
                                {"kind", each.at("kind").get<std::string>()},
                                {"source", each.at("source").get<std::string>()},
                                {"clock", each.at("clock").get<std::string>()},
                                {"device", textOf(each.at("device"))}});
    durations("graphprof_region_duration_seconds", labels, each);
    for (const auto &[name, of] : {std::pair("graphprof_region_busy_seconds", "busy"),
                                   {"graphprof_region_gap_seconds", "gap"}})
      if (const auto count = each.value(fmt::format("{}_count", of), std::uint64_t{0}); count > 0)
        summary(name, labels, count, each.at(fmt::format("{}_sum_ns", of)).get<double>());
    counter("graphprof_region_not_measured_total", labels, each.at("not_measured").get<double>());
    if (each.at("share_percent").is_number())
      gauge("graphprof_region_share_ratio", labels, each.at("share_percent").get<double>() / 100);
  }
  const std::size_t leftOut =
      graphs - std::min(graphs, most.graphs) + regions - std::min(regions, most.regions);
  counter("graphprof_left_out_total", with({{"what", "records"}}), otherRecords);
  counter("graphprof_left_out_total", with({{"what", "replays"}}), otherReplays);
  gauge("graphprof_left_out_names", process, static_cast<double>(leftOut));
  return leftOut;
}

void Families::addOwn(std::size_t processes, std::uint64_t unanswered) {
  gauge("graphprof_exporter_processes", {}, static_cast<double>(processes));
  counter("graphprof_exporter_unanswered_total", {}, static_cast<double>(unanswered));
}

std::vector<prometheus::MetricFamily> Families::take() {
  std::vector<prometheus::MetricFamily> all;
  all.reserve(families_.size());
  for (auto &[name, family] : families_)
    all.push_back(std::move(family));
  families_.clear();
  return all;
}

} // namespace graphprof::exporter
