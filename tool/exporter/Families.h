// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What processes answer on their control sockets, as families of Prometheus's metrics. Does not
// know sockets.

#ifndef GRAPHPROF_TOOL_EXPORTER_FAMILIES_H
#define GRAPHPROF_TOOL_EXPORTER_FAMILIES_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <prometheus/metric_family.h>

namespace graphprof::exporter {

/// One scrape.
class Families {
public:
  static constexpr std::size_t mostSeries = 2'000, leastSeries = 100; ///< of a process

  /// The answer of a process to the command `metrics`. Throws nlohmann::json::exception if that is
  /// of another version. It gets at most `mostSeries` series; returns how many regions and graphs
  /// have none.
  std::size_t add(const nlohmann::json &answer, std::size_t mostSeries);
  /// What the exporter says of itself.
  void addOwn(std::size_t processes, std::uint64_t unanswered);

  [[nodiscard]] std::vector<prometheus::MetricFamily> take();

private:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  struct Bounds {
    std::size_t graphs, regions;
  };
  [[nodiscard]] static Bounds boundsFor(std::size_t mostSeries);
  prometheus::ClientMetric &metric(const char *name, const Labels &labels);
  void gauge(const char *name, const Labels &labels, double value);
  void counter(const char *name, const Labels &labels, double value);
  void durations(const char *name, const Labels &labels, const nlohmann::json &of);
  void summary(const char *name, const Labels &labels, std::uint64_t count, double sumNs);
  void addStatus(const nlohmann::json &status, const Labels &process);

  std::map<std::string, prometheus::MetricFamily> families_;
};

} // namespace graphprof::exporter

#endif // GRAPHPROF_TOOL_EXPORTER_FAMILIES_H
