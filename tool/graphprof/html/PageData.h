// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a page shows of the recordings of one side: the rows of `graphprof report --json` for each
// grouping, their distributions, replays over time, the nodes of some replays and what the
// program's threads did meanwhile, its memory, and the clocks of several processes. As JSON; does
// not know how it looks. Bounded, however long the recordings are.

#ifndef GRAPHPROF_TOOL_HTML_PAGEDATA_H
#define GRAPHPROF_TOOL_HTML_PAGEDATA_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "JobTimes.h"
#include "KeptHost.h"
#include "KeptMemory.h"
#include "KeptReplays.h"
#include "Series.h"
#include "critical/CriticalFigures.h"
#include "output/data/ById.h"
#include "output/statistics/ByWarmth.h"
#include "recordings/Recordings.h"
#include "report/Collected.h"

namespace graphprof {

/// Hands on what is read to several, so that a file is read once.
class Several : public RecordingsListener {
public:
  explicit Several(std::vector<RecordingsListener *> to) : to_(std::move(to)) {}
  void file(const std::string &path) override {
    for (RecordingsListener *one : to_)
      one->file(path);
  }
  void begin(const Run &run) override {
    for (RecordingsListener *one : to_)
      one->begin(run);
  }
  void add(const Batch &batch) override {
    for (RecordingsListener *one : to_)
      one->add(batch);
  }
  void end(const RecordedEnd &end) override {
    for (RecordingsListener *one : to_)
      one->end(end);
  }

private:
  std::vector<RecordingsListener *> to_;
};

/// What a page holds at most, of a side. The rest is counted, and the page says so.
struct PageBounds {
  std::size_t replays = 8;        ///< of each graph with their nodes
  std::size_t items = 200'000;    ///< regions and nodes of replays
  std::size_t rows = 5'000;       ///< of each grouping; the longest stay
  std::size_t series = 100;       ///< graphs, and regions outside graphs, over time
  std::size_t bins = 1'024;       ///< of such a series
  std::size_t histogramBins = 40; ///< of a row's distribution
  std::size_t hostSpans = 50'000; ///< while these replays were launched and ran
  std::size_t memories = 64;      ///< devices, of each process
  std::size_t memoryBins = 1'024; ///< of each: of what was allocated over time
  std::size_t blocks = 20;        ///< of each: the largest at its peak
};

class PageData : public RecordingsListener {
public:
  /// `aligns`: whether the clocks of several processes are compared, for which the times of their
  /// replays are kept.
  PageData(const PageBounds &bounds, bool aligns);

  void file(const std::string &path) override { all_.file(path); }
  void begin(const Run &run) override;
  void add(const Batch &batch) override;
  void end(const RecordedEnd &end) override { all_.end(end); }
  /// Call this when all was read.
  void finish();
  /// What has to read the same recordings again, behind finish() and before json(); null if
  /// nothing has.
  [[nodiscard]] RecordingsListener *secondLook() { return again_ ? &*again_ : nullptr; }

  [[nodiscard]] const std::vector<RunFacts> &runs() const { return collected_.front().runs(); }
  /// An object with the members that page/data.js describes.
  [[nodiscard]] std::string json() const;

private:
  struct OverTime {
    std::string name; ///< "graph 1" or the name of graphs; or the path of a region outside graphs
    bool isGraph = false;
    std::size_t run = 0;
    std::uint64_t recorded = 0; ///< so far
    ByWarmth<Series> times;
  };
  struct Outermost {
    bool is = false;
    std::string path;
  };

  OverTime *overTime(bool isGraph, const std::string &name);
  // Members of the object.
  [[nodiscard]] nlohmann::ordered_json runsJson() const;
  [[nodiscard]] nlohmann::ordered_json seriesJson() const;
  void addShapes(nlohmann::ordered_json &page) const;
  [[nodiscard]] nlohmann::ordered_json replayJson(const KeptReplays::Kept &kept) const;

  const PageBounds bounds_;
  std::deque<Collected> collected_; // one for each grouping; by region first
  std::optional<JobTimes> times_;   // if clocks are compared
  Several all_;
  CriticalFigures critical_{CriticalFigures::By::Region, {}};
  KeptReplays kept_;
  ById<Outermost> known_;
  std::vector<std::int64_t> began_; // of each run
  std::deque<OverTime> series_;
  std::map<std::string, OverTime *> byName_; // of this run
  std::uint64_t timesLeftOut_ = 0;
  bool hasHost_ = false;
  KeptMemory memory_;
  std::vector<const KeptReplays::Kept *> shown_; // from finish() on
  std::optional<KeptHost> host_;                 // likewise, if there are host spans
  std::optional<BlocksAtPeak> blocks_;           // likewise, if there is memory
  std::optional<Several> again_;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_HTML_PAGEDATA_H
