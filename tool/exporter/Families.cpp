// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Families.h"

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
constexpr std::array<Described, 19> described = {{
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
    {"graphprof_replay_duration_seconds", "How long recorded replays of a graph took on the GPU.",
     MetricType::Histogram},
    {"graphprof_region_duration_seconds",
     "How long a region or node took in recorded replays, all those of one place in the source.",
     MetricType::Histogram},
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
    {"graphprof_exporter_processes", "Processes that answered this scrape.", MetricType::Gauge},
    {"graphprof_exporter_unanswered_total", "Questions that a process did not answer in time.",
     MetricType::Counter},
}};

std::string textOf(const Json &number) { return number.dump(); }

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

void Families::histogram(const char *name, const Labels &labels, const Json &of,
                         const Json &boundsNs) {
  prometheus::ClientMetric::Histogram &histogram = metric(name, labels).histogram;
  histogram.sample_count = of.at("count").get<std::uint64_t>();
  histogram.sample_sum = of.at("sum_ns").get<double>() * 1e-9;
  std::uint64_t sum = 0;
  const Json &buckets = of.at("buckets");
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    sum += buckets[i].get<std::uint64_t>();
    prometheus::ClientMetric::Bucket bucket;
    bucket.cumulative_count = sum;
    bucket.upper_bound = i < boundsNs.size() ? boundsNs[i].get<double>() / 1e9
                                             : std::numeric_limits<double>::infinity();
    histogram.bucket.push_back(bucket);
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

void Families::add(const Json &answer) {
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
  for (const Json &each : answer.at("launches"))
    counter("graphprof_launches_total", with({{"graph", textOf(each.at("graph"))}}),
            each.at("count").get<double>());
  for (const auto &[graph, member] :
       {std::pair("untimed", "untimed_launches"), {"other", "other_launches"}})
    counter("graphprof_launches_total", with({{"graph", graph}}), answer.at(member).get<double>());
  const Json &bounds = answer.at("bounds_ns");
  for (const Json &each : answer.at("graphs")) {
    const Labels labels =
        with({{"graph", textOf(each.at("graph"))}, {"device", textOf(each.at("device"))}});
    const double cold = each.at("cold").get<double>();
    counter("graphprof_recorded_replays_total", labels,
            cold + each.at("count").get<double>() + each.at("not_measured").get<double>());
    counter("graphprof_cold_replays_total", labels, cold);
    histogram("graphprof_replay_duration_seconds", labels, each, bounds);
  }
  for (const Json &each : answer.at("regions")) {
    const Labels labels = with({{"region", each.at("path").get<std::string>()},
                                {"kind", each.at("kind").get<std::string>()},
                                {"source", each.at("source").get<std::string>()},
                                {"clock", each.at("clock").get<std::string>()},
                                {"device", textOf(each.at("device"))}});
    histogram("graphprof_region_duration_seconds", labels, each, bounds);
    for (const auto &[name, of] : {std::pair("graphprof_region_busy_seconds", "busy"),
                                   {"graphprof_region_gap_seconds", "gap"}})
      if (const auto count = each.value(fmt::format("{}_count", of), std::uint64_t{0}); count > 0)
        summary(name, labels, count, each.at(fmt::format("{}_sum_ns", of)).get<double>());
    counter("graphprof_region_not_measured_total", labels, each.at("not_measured").get<double>());
    if (each.at("share_percent").is_number())
      gauge("graphprof_region_share_ratio", labels, each.at("share_percent").get<double>() / 100);
  }
  counter("graphprof_left_out_total", with({{"what", "records"}}),
          answer.at("other_records").get<double>());
  counter("graphprof_left_out_total", with({{"what", "replays"}}),
          answer.at("other_replays").get<double>());
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
