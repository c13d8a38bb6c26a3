// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes batches of single records, as they come in texts: puts together those of one replay.

#ifndef GRAPHPROF_TOOL_RECORDINGS_ASSEMBLER_H
#define GRAPHPROF_TOOL_RECORDINGS_ASSEMBLER_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graphprof/host_span.h"
#include "graphprof/record.h"
#include "output/RecordingListener.h"
#include "output/data/KeptSites.h"
#include "output/data/Places.h"

namespace graphprof {

/// What all records of a region share.
struct RecordedRegion {
  std::string name;
  int depth = 0;
  Kind kind = Kind::Region;
  Clock clock = Clock::Stamp;
  const Site *site = nullptr;
  std::vector<Value> context;
  /// Which of the nodes of its name at its place it is (Places). 0: the recording does not say.
  std::uint32_t place = 0;
};

/// As its path says, which ends with its name and number; 0 without a path.
[[nodiscard]] inline std::uint32_t placeByPath(const RecordedRegion &region,
                                               std::string_view path) {
  return path.empty() ? 0 : region.kind == Kind::Region ? 1 : placeIn(path, region.name);
}

/// The site of "src/model.cu:12", or one without a file.
[[nodiscard]] const Site *siteOf(std::string_view name, std::string_view source,
                                 std::string_view function, KeptSites &sites);

class Assembler {
public:
  explicit Assembler(RecordingListener &listener) : listener_(listener) {}

  /// The structure of a graph, for its replays that follow.
  void describe(std::uint64_t graph, GraphCounts counts, std::shared_ptr<const GraphNodes> nodes) {
    flush();
    described_.insert_or_assign(graph, Described{counts, std::move(nodes)});
  }
  /// Begins a replay. The records that follow are its own.
  void begin(const Replay &replay) {
    flush();
    replay_ = replay;
    open_ = true;
    ofGraph_ = 0;
    places_.clear();
    const auto described = described_.find(replay.graph);
    if (replay.exec != 0 && described != described_.end()) {
      replay_.counts = described->second.counts;
      replay_.drawn = described->second.nodes;
    }
  }
  /// `region` must stay until the next begin() or finish(). Without a replay, or in another than
  /// the current one, a record begins one whose span is not known.
  void add(const RecordedRegion &region, Record record) {
    if (!open_ || record.exec != replay_.exec || record.replay != replay_.number ||
        record.graph != replay_.graph || (record.exec == 0 && region.depth == 0)) {
      Replay replay;
      replay.graph = record.graph;
      replay.exec = record.exec;
      replay.number = record.replay;
      replay.device = record.device;
      replay.stream = record.stream;
      replay.step = record.step;
      begin(replay);
    }
    record.region = record.iteration < 0 ? ofGraph_++ : UINT32_MAX;
    if (record.iteration < 0)
      places_.push_back(region.place);
    record.name = region.name;
    record.depth = region.depth;
    record.kind = region.kind;
    record.clock = region.clock;
    record.site = region.site;
    record.context = region.context.data();
    record.context_size = region.context.size();
    replay_.cold = replay_.cold || record.cold;
    records_.push_back(record);
  }
  void add(const HostSpan &span) {
    batcher_.add(span, batch_);
    handOnIfLarge();
  }
  void add(const MemoryEvent &event) {
    Batcher::add(event, batch_);
    handOnIfLarge();
  }
  void add(KernelRun run) {
    batch_.kernelRuns.push_back(std::move(run));
    handOnIfLarge();
  }
  void note(std::string key, std::string json) {
    batch_.notes.push_back({std::move(key), std::move(json)});
  }
  void remark(std::string text) { batch_.remarks.push_back(std::move(text)); }
  void finish() {
    flush();
    handOn();
  }

private:
  void flush() {
    if (!std::exchange(open_, false))
      return;
    replay_.records = records_;
    if (std::ranges::find(places_, 0U) == places_.end())
      replay_.places = places_;
    batcher_.add(replay_, batch_);
    records_.clear();
    handOnIfLarge();
  }
  void handOnIfLarge() {
    constexpr std::size_t large = 16'384;
    if (batch_.records() + batch_.launches.size() >= large)
      handOn();
  }
  void handOn() {
    listener_.add(batch_);
    batcher_.renew(batch_);
  }

  RecordingListener &listener_;
  Batcher batcher_;
  Batch batch_;
  Replay replay_;
  bool open_ = false;
  std::uint32_t ofGraph_ = 0;         // how many records outside conditional nodes' bodies it has
  std::vector<std::uint32_t> places_; // of these
  struct Described {
    GraphCounts counts;
    std::shared_ptr<const GraphNodes> nodes;
  };
  std::unordered_map<std::uint64_t, Described> described_; // by graph
  std::vector<Record> records_;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_RECORDINGS_ASSEMBLER_H
