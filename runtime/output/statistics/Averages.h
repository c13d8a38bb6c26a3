// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From replays and host spans to key averages: nesting, grouping, statistics. Knows nothing of how
// they are printed.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_AVERAGES_H
#define GRAPHPROF_OUTPUT_STATISTICS_AVERAGES_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graphprof/host_span.h"
#include "graphprof/key_averages.h"
#include "output/data/Replay.h"
#include "output/statistics/Distribution.h"
#include "output/statistics/SpanMemory.h"
#include "output/statistics/Sums.h"

namespace graphprof {

/// What a device can do at most.
struct Peak {
  double flopsPerS = 0; ///< FP32 without tensor cores: two a core and clock; 0: not known
  double bytesPerS = 0; ///< of its memory; 0: not known
};
/// By device, of the metadata `deviceProperties`.
[[nodiscard]] std::map<int, Peak> peaksOf(std::string_view deviceProperties);

class Averages {
public:
  struct Grouping {
    bool byShapes = false;
    int stackFrames = 0; ///< by so many of the innermost
  };
  /// What one event adds to its key.
  struct Sample {
    std::string_view name;
    std::string shapes = "[]";
    std::vector<std::string> stack; ///< innermost first
    bool onDevice = false;          ///< an execution there; else the host's
    bool inside = false;            ///< another one
    std::int64_t cpuNs = 0, selfCpuNs = 0;
    std::int64_t deviceNs = 0, selfDeviceNs = 0; ///< of one of the host's: what it launched
    SpanMemory memory;
    double flops = 0, bytes = 0;
    bool hasRoofline = true; ///< a copy has none
    int device = -1;
    std::int64_t replaySpanNs = 0; ///< of the replay that it was in; 0: in none
    KeyTime time;
  };

  /// Keeps at most `maxSamples` times singly, over all keys, and as many launches and steps for
  /// what host spans led to; `maxSeries` executions in the keys' series. Where there will be host
  /// spans, records by the host's clock say nothing new and are left out.
  Averages(Grouping grouping, std::size_t maxSamples, bool hostSpans, std::size_t maxSeries = 0)
      : grouping_(grouping), hostSpans_(hostSpans), maxSamples_(maxSamples), samples_(maxSamples),
        seriesLeft_(maxSeries) {}

  /// What the devices can do; at any time before finish().
  void peaks(std::map<int, Peak> peaks) { peaks_ = std::move(peaks); }
  void add(const Sample &sample);
  /// The records of a replay, or of regions outside graphs; cold ones are left out.
  void add(const Replay &replay);
  /// In the order of a trace's: what contains a span stands before it. After all replays. With what
  /// was allocated and freed meanwhile: what belongs to no span stands in a row "[memory]".
  void addHost(std::span<const HostSpan> spans, std::span<const MemoryEvent> memory = {});
  /// The table has columns of memory, as PyTorch's with profile_memory; also where nothing was
  /// allocated.
  void withMemory() { withMemory_ = true; }

  /// Nothing is added afterwards.
  [[nodiscard]] KeyAverages finish();
  /// As KeyAverages::table(), which also says what is wrong with the options.
  [[nodiscard]] static std::string tableOf(const KeyAverages &averages,
                                           const table_options &options);

private:
  // How much an execution did; the devices' peaks say at the end how long that takes at least.
  struct Work {
    int device;
    double flops, bytes;
    auto operator<=>(const Work &) const = default;
  };
  struct Done {
    std::int64_t count = 0, ns = 0;
  };
  struct Row {
    FunctionEventAvg average;
    std::int64_t onHost = 0, onDevice = 0; // executions
    std::int64_t cpuNs = 0, selfCpuNs = 0;
    std::int64_t deviceNs = 0, selfDeviceNs = 0;
    std::int64_t launchedNs = 0, selfLaunchedNs = 0;
    std::int64_t replaySpanNs = 0;
    std::map<Work, Done> done;  // of what has flops or bytes
    bool workIsComplete = true; // else there were too many kinds of it
    std::uint64_t lastExec = 0, lastReplay = 0;
    Distribution device, host;
  };
  /// Adds to what the host's spans may ask for: its first ones, as of those there are.
  [[nodiscard]] std::size_t frames() const {
    return static_cast<std::size_t>(std::max(grouping_.stackFrames, 0));
  }
  template <class Key>
  void addLed(std::map<Key, std::int64_t> &led, const Key &key, std::int64_t ns) {
    if (!hostSpans_)
      return;
    if (const auto known = led.find(key); known != led.end())
      addTo(known->second, ns);
    else if (led.size() < maxSamples_)
      led.emplace(key, ns);
  }
  Row &rowOf(const Sample &sample);
  void noteWork(Row &row, const Sample &sample);
  [[nodiscard]] double rooflineOf(const Row &row) const;
  [[nodiscard]] FunctionEventAvg averageOf(Row row) const;

  const Grouping grouping_;
  const bool hostSpans_;
  std::map<int, Peak> peaks_;
  const std::size_t maxSamples_;
  SharedBound samples_;
  std::size_t seriesLeft_;
  std::size_t work_ = 0; // kinds of it, over all rows
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> byKey_;
  std::int64_t selfCpuNs_ = 0, selfDeviceNs_ = 0;
  bool withMemory_ = false;
  std::uint64_t coldReplays_ = 0;
  // On the device: what each launch led to, and what each step did.
  using Launch = std::pair<std::uint64_t, std::uint64_t>; // exec, replay
  std::map<Launch, std::int64_t> ofLaunch_;
  std::map<std::int64_t, std::int64_t> ofStep_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_AVERAGES_H
