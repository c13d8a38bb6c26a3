// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof report --critical-path shows: the critical path and the slack of each graph whose
// nodes and edges are in the recordings, over all of its warm replays. Bounded, however long the
// recordings are.

#ifndef GRAPHPROF_TOOL_CRITICAL_CRITICALFIGURES_H
#define GRAPHPROF_TOOL_CRITICAL_CRITICALFIGURES_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "output/data/ById.h"
#include "output/statistics/CriticalReplays.h"
#include "output/statistics/Distribution.h"
#include "output/statistics/PathFigures.h"
#include "recordings/Recordings.h"
#include "recordings/RunFacts.h"

namespace graphprof {

/// "What if these nodes took another time?"
struct WhatIf {
  std::string text;  ///< as given: "attention=-20%"
  std::regex nodes;  ///< those whose paths match
  double factor = 1; ///< of their times
  double percent() const { return 100 * (factor - 1); }
  /// Throws std::invalid_argument, whose text says what is wrong with it.
  static WhatIf parse(const std::string &text);
};

class CriticalFigures : public RunsListener {
public:
  /// By region and node, or by the names of kernels, copies and memsets.
  enum class By : unsigned char { Region, Kernel };
  explicit CriticalFigures(By by, std::vector<WhatIf> whatIf)
      : by_(by), whatIf_(std::move(whatIf)), samples_(mostSamples) {}

  void begin(const Run &run) override;
  void add(const Batch &batch) override;

  /// A region, a node, or all nodes of a name.
  struct Row : PathFigures {
    std::string name, path;
    Kind kind = Kind::Region;
    bool isNode = false;   ///< one node, so it can wait for another
    Distribution onPathNs; ///< of replays in which some of it was on the path
    Distribution gap;      ///< of a node: until it began, after what it waited for ended
    std::int64_t gapNs = 0, busyNs = 0; ///< of the former, while other branches left it no room
    std::uint32_t waitedFor = GraphNodes::none; ///< the row of the node it mostly waited for
    std::uint64_t waited = 0; ///< replays that say so, less those that say another
  };
  struct Graph {
    std::string program;
    std::uint64_t number = 0;                ///< the first of those that are the same
    std::shared_ptr<const GraphName> serves; ///< what all of them serve; null: no name
    std::uint64_t graphs = 1;                ///< of those, in all recordings
    std::size_t nodes = 0, edges = 0;        ///< all that the program's graph has
    std::size_t workNodes = 0;               ///< of them, those that take time
    bool isOrdered = true;                   ///< false: the edges make a cycle
    bool gapIsKnown = false;                 ///< between two kernels (GraphNodes::gapNs)
    std::vector<Row> rows;
    std::vector<std::vector<std::uint32_t>> rowsOf; ///< by node: its own row, then those around it
    std::uint64_t replays = 0;                      ///< that the figures are of
    std::uint64_t coldReplays = 0;                  ///< left out
    std::uint64_t partReplays = 0; ///< left out: not all nodes were recorded, or no span is known
    std::uint64_t wholePaths = 0;  ///< replays whose path goes back to their begin
    std::uint64_t untilNext = 0;   ///< nodes, in all replays, timed until the next began
    std::uint64_t competing = 0;   ///< replays in which some nodes had no slack because of that
    std::uint64_t measured = 0;    ///< nodes, in all replays
    Distribution length;           ///< from a replay's begin to the end of its last node
    std::int64_t lengthNs = 0, pathNs = 0, gapNs = 0, busyNs = 0, runningNs = 0, besideNs = 0;
    struct Prediction {
      std::size_t nodes = 0; ///< that match
      Distribution predicted;
      Distribution least, most;  ///< it may have been, as far as gaps are known
      std::uint64_t refused = 0; ///< replays without one
    };
    std::vector<Prediction> whatIf;           ///< as given
    std::vector<std::vector<double>> factors; ///< of each, by node
  };
  [[nodiscard]] const std::vector<std::unique_ptr<Graph>> &graphs() const { return graphs_; }
  [[nodiscard]] const std::vector<WhatIf> &whatIf() const { return whatIf_; }
  /// Replays of graphs without a structure in the recordings, and of those beyond the bound.
  [[nodiscard]] std::uint64_t without() const { return without_; }
  [[nodiscard]] std::uint64_t leftOut() const { return leftOut_; }
  /// Replays before the first one of their graph that was recorded whole, as with GRAPHPROF_PARTS.
  [[nodiscard]] std::uint64_t inParts() const { return inParts_; }
  /// Replays of graphs whose nodes are in the recordings, but not timed.
  [[nodiscard]] std::uint64_t untimed() const { return untimed_; }

private:
  static constexpr std::size_t mostGraphs = 1'000, mostSamples = 4'000'000, mostNodes = 2'000'000;

  struct Region {
    std::uint64_t id, parent;
    std::string name, path;
    Kind kind;
  };
  using Structure = CriticalReplays::Structure;

  Graph *graphOf(const Structure &structure, const Replay &replay);
  void makeRows(Graph &graph, const Structure &structure);
  void addLaunch(const Batch &batch, const Batch::Launch &launch);
  void addReplay(Graph &graph, const CriticalPath &path, const CriticalReplay &replay);

  const By by_;
  const std::vector<WhatIf> whatIf_;
  ById<Region> known_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::unordered_map<std::string, Graph *> bySignature_;
  CriticalReplays replays_;                                              // of the run
  std::map<std::pair<const Structure *, std::uint64_t>, Graph *> ofRun_; // with the graph's number
  std::size_t keptNodes_ = 0;
  SharedBound samples_;
  RowsOnPath rows_; // of one replay
  std::uint64_t without_ = 0, leftOut_ = 0, untimed_ = 0, inParts_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_CRITICAL_CRITICALFIGURES_H
