// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a reader of one file knows so far, and what it does with each message. A part of
// BinaryReader, in two sources: BinaryReader.cpp, and BinaryRegions.cpp for regions and replays.

#ifndef GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYREADING_H
#define GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYREADING_H

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "output/data/Batch.h"
#include "output/data/KeptSites.h"
#include "output/data/ReadKernels.h"
#include "output/formats/binary/BinaryParts.h"
#include "output/formats/binary/BinaryReader.h"

namespace graphprof::binary {

// The deepest nesting of regions: deeper than any stack allows.
inline constexpr int deepest = 10'000;
// The longest replay and record: a year.
inline constexpr std::int64_t longestNs = std::int64_t{365} * 24 * 3600 * 1'000'000'000;

// Which numbers were met, in bounded memory: numbers that follow each other take the space of one,
// and of those with many gaps the least are forgotten.
class Met {
public:
  /// False: it was there.
  bool add(std::uint64_t number) {
    const auto after = runs_.upper_bound(number);
    const auto before = after == runs_.begin() ? runs_.end() : std::prev(after);
    if (before != runs_.end() && number <= before->second)
      return false;
    const bool joins = before != runs_.end() && before->second + 1 == number;
    const auto run = joins ? before : runs_.emplace_hint(after, number, number);
    run->second = number;
    if (after != runs_.end() && after->first == number + 1) {
      run->second = after->second;
      runs_.erase(after);
    }
    constexpr std::size_t most = 65'536;
    if (runs_.size() > most)
      runs_.erase(runs_.begin());
    return true;
  }

private:
  std::map<std::uint64_t, std::uint64_t> runs_; // the last number of each, by its first
};

class Reading {
public:
  Reading(const BinaryListener &listener, KeptSites &sites) : listener_(listener), sites_(sites) {}

  /// Returns what is wrong; empty if the message makes sense.
  std::string take(std::string_view message);
  /// Hands on what was read but not handed on yet.
  void handOn();
  BinaryResult result;
  bool knowsRun = false;

private:
  struct Known {
    std::uint64_t id;
    int levels; // it and those around it
    std::string name, path;
    const Site *site;
    int depth;
    Kind kind;
  };
  struct Act {
    std::uint64_t id;
    HostKind kind;
  };

  void handOnLarge();
  /// Reads a message behind its tag. Returns false if it is damaged.
  bool read(Tag tag, Parts &parts);
  bool run(Parts &parts);
  bool act(Parts &parts);
  bool thread(Parts &parts);
  bool hostSpans(Parts &parts);
  bool addSpans(Parts &parts, std::uint64_t thread, std::uint64_t count);
  bool metadata(Parts &parts);
  bool remark(Parts &parts);
  bool forget(Parts &parts);
  bool region(Parts &parts);
  bool graph(Parts &parts);
  bool structure(Parts &parts, Batch::Graph &graph);
  bool nodesOf(Parts &parts, GraphNodes &graph, const std::vector<const Known *> &of);
  bool node(Parts &parts, std::uint32_t number, std::uint64_t nodes, std::size_t regions,
            GraphNodes::Node &node);
  bool regionsOf(Parts &parts, GraphNodes &nodes, const std::vector<const Known *> &regions);
  bool inGraph(Parts &parts);
  bool cudaIds(Parts &parts);
  bool cudaNodes(Parts &parts);
  bool graphName(Parts &parts);
  bool busy(Parts &parts);
  [[nodiscard]] bool setBusy(const Replay &replay, std::span<Batch::Timing> timings);
  [[nodiscard]] bool placeInGraph(Replay &replay, std::span<Batch::Timing> timings);
  bool isPlausible(const Replay &replay);
  bool replay(Parts &parts);
  bool timings(Parts &parts, Replay &replay, std::uint64_t count, std::uint64_t flags);
  bool addTimings(Parts &parts, Replay &replay, std::uint64_t count, std::uint64_t flags);
  static bool ends(Parts &parts, std::span<Batch::Timing> timings);
  bool kernel(Parts &parts);
  static bool insideOf(Parts &parts, InsideOfKernel &kernel, KernelRun &run);
  bool memory(Parts &parts);
  bool graphMemory(Parts &parts);
  bool loss(Parts &parts);
  Value value(Parts &parts);
  bool context(Parts &parts, std::vector<Value> &values);
  const Site *site(Parts &parts);

  const BinaryListener &listener_;
  KeptSites &sites_;
  std::unordered_map<std::uint64_t, Known> known_; // regions, by the file's ids
  std::uint64_t nextRegion_ = 1, regionsFrom_ = 1, nextGraph_ = 1;
  std::unordered_map<std::uint64_t, Batch::Graph> graphs_; // that others may be like, by their ids
  std::unordered_map<std::uint64_t, std::shared_ptr<const GraphNodes>> drawn_; // by their numbers
  struct InARow {
    std::uint32_t first;
    std::uint64_t count;
  };
  std::vector<InARow> inGraph_; // of the next replay; empty: they are all, in their order
  struct CudaIds {
    std::uint64_t graph; // as in replays
    std::uint32_t cudaGraph, cudaExec;
  };
  std::unordered_map<std::uint64_t, CudaIds> idsOf_; // by exec
  std::vector<std::uint32_t> cudaNodes_;             // of the next graph; empty: unknown
  std::unordered_map<std::uint64_t, std::shared_ptr<const GraphName>> names_; // by graph
  struct BusyRecord {
    std::uint64_t place; // among the replay's records
    Batch::Busy busy;
  };
  std::unordered_map<std::uint64_t, Met> launches_; // by exec
  std::vector<BusyRecord> nextBusy_;                // of the next replay, in order
  std::map<std::pair<std::uint64_t, std::uint64_t>, Batch::Busy> busyOf_; // by exec and region
  std::unordered_map<std::uint64_t, Act> acts_;                           // by the file's ids
  std::unordered_map<std::uint64_t, std::uint64_t> threads_; // their ids, by the file's
  std::uint64_t nextAct_ = 1, nextThread_ = 1;
  ReadKernels kernels_;
  Batch batch_;
};

} // namespace graphprof::binary

#endif // GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYREADING_H
