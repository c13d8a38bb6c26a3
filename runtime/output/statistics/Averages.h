// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Computes key averages from replays and host spans: nesting, grouping, statistics. Does not know
// how they are printed.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_AVERAGES_H
#define GRAPHPROF_OUTPUT_STATISTICS_AVERAGES_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graphprof/host_span.h"
#include "graphprof/key_averages.h"
#include "output/data/Nesting.h"
#include "output/data/Replay.h"
#include "output/statistics/BusyFigures.h"
#include "output/statistics/ByWarmth.h"
#include "output/statistics/Distribution.h"
#include "output/statistics/ReplayShares.h"
#include "output/statistics/ReplayTotals.h"
#include "output/statistics/SelfTimes.h"
#include "output/statistics/SpanMemory.h"
#include "output/statistics/Sums.h"

namespace graphprof {

/// The peak rates of a device.
struct Peak {
  double flopsPerS = 0; ///< FP32 without tensor cores: two per core and clock; 0: unknown
  double bytesPerS = 0; ///< of its memory; 0: unknown
};
/// The peaks of each device, from the metadata `deviceProperties`.
[[nodiscard]] std::map<int, Peak> peaksOf(std::string_view deviceProperties);

class Averages {
public:
  struct Grouping {
    bool byShapes = false;
    int stackFrames = 0; ///< how many of the innermost
  };
  /// What is known of the time of what a host span launched.
  enum class Launched : std::uint8_t {
    Nothing, ///< it launched none
    Warm,    ///< all of it, in warm replays and outside graphs
    Cold,    ///< all of it, in cold replays
    Partly,  ///< only what is given, of warm replays; some was cold, or not measured
    Unknown, ///< nothing: the launch was not timed
  };
  /// What one event adds to its key.
  struct Sample {
    std::string_view name;
    std::string shapes = "[]";
    std::vector<std::string> stack; ///< innermost first
    bool onDevice = false;          ///< executed there; otherwise on the host
    bool inside = false;            ///< inside another one
    std::int64_t cpuNs = 0, selfCpuNs = 0;
    std::int64_t deviceNs = 0, selfDeviceNs = 0; ///< of an event on the host: what it launched
    Launched launched = Launched::Warm;          ///< likewise
    bool cold = false;                           ///< of an event on the device: in a cold replay
    SpanMemory memory;
    double flops = 0, bytes = 0;
    bool hasRoofline = true; ///< a copy has none
    int device = -1;
    KeyTime time;
  };

  /// Keeps at most `maxSamples` single times over all keys, as many launches and steps to link host
  /// spans to their work, and `maxSeries` executions in the keys' series. If there will be host
  /// spans, records with host times are left out, because they repeat them.
  Averages(Grouping grouping, std::size_t maxSamples, bool hostSpans, std::size_t maxSeries = 0)
      : grouping_(grouping), hostSpans_(hostSpans), maxSamples_(maxSamples), samples_(maxSamples),
        seriesLeft_(maxSeries) {}

  /// Sets the peaks of the devices. Call it any time before finish().
  void peaks(std::map<int, Peak> peaks) { peaks_ = std::move(peaks); }
  void add(const Sample &sample);
  /// Adds the records of a replay, or of regions outside graphs.
  void add(const Replay &replay);
  /// Adds host spans in the order of a trace: a span comes after what contains it. Call this after
  /// all replays. `memory`: what was allocated and freed; what belongs to no span is in a row
  /// "[memory]".
  void addHost(std::span<const HostSpan> spans, std::span<const MemoryEvent> memory = {});
  /// Adds the columns of memory, as PyTorch does with profile_memory, even if nothing was
  /// allocated.
  void withMemory() { withMemory_ = true; }

  /// Nothing may be added afterwards.
  [[nodiscard]] KeyAverages finish();
  /// Like KeyAverages::table(), which also reports wrong options.
  [[nodiscard]] static std::string tableOf(const KeyAverages &averages,
                                           const table_options &options);

private:
  // The work of an execution. At the end, the devices' peaks tell the shortest time for it.
  struct Work {
    int device;
    double flops, bytes;
    auto operator<=>(const Work &) const = default;
  };
  struct Done {
    std::int64_t count = 0, ns = 0;
  };
  // On the device.
  struct Executions {
    std::int64_t notMeasured = 0; // besides those in `times`
    std::int64_t selfNs = 0;      // of those that are in no records
    Distribution times;
    double flops = 0, bytes = 0;
    std::map<Work, Done> done;  // of those with flops or bytes
    bool workIsComplete = true; // false: there were too many kinds
    std::vector<KeyTime> series;
    BusyFigures busy;
    std::set<BusyFigures::Of> notBusy; // executions of which no busy time is known
    bool kernelsOnly = true;
    [[nodiscard]] bool isBusyKnown() const {
      return kernelsOnly && notBusy.empty() && !busy.empty();
    }
    [[nodiscard]] bool empty() const { return times.empty() && notMeasured == 0; }
  };
  // What host spans launched.
  struct LaunchedWork {
    std::int64_t ns = 0, selfNs = 0;
    Done whole; // of spans of which all is known
    [[nodiscard]] bool empty() const { return whole.count == 0 && ns == 0; }
  };
  struct Row {
    FunctionEventAvg average;
    std::int64_t cpuNs = 0, selfCpuNs = 0;
    double flops = 0, bytes = 0; // on the host
    ByWarmth<Executions> device;
    ByWarmth<LaunchedWork> launched;
    std::int64_t launchedNothing = 0; // so many spans
    Distribution host;
    [[nodiscard]] bool onDevice() const { return !device.shown().times.empty(); }
  };
  // What was launched at once: on the device, by outermost regions.
  struct Led {
    std::int64_t warmNs = 0, coldNs = 0;
    bool warm = false, cold = false; // some of it was
    bool missing = false;            // some of it was not measured
    void add(const Led &other) {
      addTo(warmNs, other.warmNs);
      addTo(coldNs, other.coldNs);
      warm |= other.warm;
      cold |= other.cold;
      missing |= other.missing;
    }
    [[nodiscard]] Launched how() const {
      if (missing || (warm && cold))
        return Launched::Partly;
      return warm ? Launched::Warm : cold ? Launched::Cold : Launched::Nothing;
    }
  };
  /// How many frames to keep: grouping_.stackFrames, but not less than 0.
  [[nodiscard]] std::size_t frames() const {
    return static_cast<std::size_t>(std::max(grouping_.stackFrames, 0));
  }
  template <class Key> void addLed(std::map<Key, Led> &led, const Key &key, const Led &more) {
    if (!hostSpans_)
      return;
    if (const auto known = led.find(key); known != led.end())
      known->second.add(more);
    else if (led.size() < maxSamples_)
      led.emplace(key, more);
  }
  // The number of its row.
  std::size_t rowOf(const Sample &sample);
  [[nodiscard]] Sample sampleOf(const RecordTree &tree, const RecordTree::Node &node,
                                bool cold) const;
  void addOutermost(const Record &record, bool isOfGraph, bool cold, Led &replays);
  void add(Row &row, const Sample &sample);
  void noteWork(Executions &executions, const Sample &sample);
  static void noteBusy(Executions &executions, const Record &record);
  [[nodiscard]] std::vector<Led> ledTo(std::span<const HostSpan> spans,
                                       std::span<const std::ptrdiff_t> parents) const;
  [[nodiscard]] double rooflineOf(const Executions &executions) const;
  [[nodiscard]] FunctionEventAvg averageOf(std::size_t number);

  const Grouping grouping_;
  const bool hostSpans_;
  std::map<int, Peak> peaks_;
  const std::size_t maxSamples_;
  SharedBound samples_;
  std::size_t seriesLeft_;
  std::size_t work_ = 0; // how many kinds, over all rows
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> byKey_;
  ByWarmth<ReplayShares> shares_; // a row for each of rows_
  ByWarmth<SelfTimes> self_;      // likewise
  std::int64_t selfCpuNs_ = 0, selfDeviceNs_ = 0, selfColdNs_ = 0;
  double allSelfNs_ = 0, allSelfColdNs_ = 0; // SelfTimes::Self::allNs, of all rows
  bool withMemory_ = false;
  ReplayTotals replays_;
  // On the device: the work of each launch, and of each step.
  using Launch = std::pair<std::uint64_t, std::uint64_t>; // exec, replay
  std::map<Launch, Led> ofLaunch_;
  std::map<std::int64_t, Led> ofStep_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_AVERAGES_H
