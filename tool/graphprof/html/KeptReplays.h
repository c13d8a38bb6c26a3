// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The replays whose timelines a page shows, of each graph: the first, the fastest and the slowest
// warm one, and some at equal distances. And, of each run, the first of what ran outside graphs.
// Bounded, and says what was left out.

#ifndef GRAPHPROF_TOOL_HTML_KEPTREPLAYS_H
#define GRAPHPROF_TOOL_HTML_KEPTREPLAYS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "output/data/Batch.h"
#include "output/data/ById.h"
#include "output/data/GraphNodes.h"

namespace graphprof {

class KeptReplays {
public:
  /// A region or node in its place; one for all runs.
  struct Place {
    std::string path, name, source;
    Kind kind = Kind::Region;
    int depth = 0;
    std::ptrdiff_t parent = -1; ///< a place; -1: none
  };
  struct Item {
    std::size_t place;
    std::int64_t beginNs, durationNs; ///< since the Unix epoch; 0 and negative: not measured
    std::uint64_t stream;
    std::int64_t iteration; ///< -1: not in a conditional node's body
    std::int64_t drawnNs;   ///< how long a bar it is (BusyFigures::drawnNs)
  };
  struct Kept {
    std::size_t run = 0;  ///< in the order in which runs were read
    Replay replay;        ///< without its records; exec 0: what ran outside graphs
    const char *why = ""; ///< why it is shown: "first", "fastest", "slowest", "sample"
    std::vector<Item> items;

    /// From its begin to its end, of what was measured; since the Unix epoch. 0 and 0: nothing was.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> extent() const;
  };

  /// What a graph is made of, if its recording says so.
  struct Shape {
    std::size_t run = 0;
    std::uint64_t graph = 0;
    std::shared_ptr<const GraphNodes> graphNodes; ///< never null
    /// By node: its own place, and that of the innermost region around it; -1: none.
    std::vector<std::ptrdiff_t> places, around;
  };

  /// Keeps `perGraph` replays (3 at least) of each graph, and `mostItems` records in all.
  KeptReplays(std::size_t perGraph, std::size_t mostItems);

  void beginRun();
  void add(const Batch &batch);

  [[nodiscard]] const std::vector<Place> &places() const { return places_; }
  /// By run and graph, in the order of the launches.
  [[nodiscard]] std::vector<const Kept *> kept() const;
  /// The last one of each graph.
  [[nodiscard]] const std::map<std::pair<std::size_t, std::uint64_t>, Shape> &shapes() const {
    return shapes_;
  }
  [[nodiscard]] std::uint64_t shapesLeftOut() const { return shapesLeftOut_; }
  /// Graphs, and records outside graphs, of which nothing is kept because of the bound.
  [[nodiscard]] std::uint64_t graphsLeftOut() const { return graphsLeftOut_.size(); }
  [[nodiscard]] std::uint64_t outsideLeftOut() const { return outsideLeftOut_; }

private:
  struct OfGraph {
    std::optional<Kept> first, fastest, slowest;
    std::vector<Kept> samples;
    std::uint64_t seen = 0, distance = 1;
  };

  [[nodiscard]] std::size_t placeOf(std::uint64_t region);
  void take(const Batch &batch, const Batch::Launch &launch, std::vector<Item> &items);
  [[nodiscard]] Kept made(const Batch &batch, const Batch::Launch &launch, const char *why);
  void set(std::optional<Kept> &slot, const Batch &batch, const Batch::Launch &launch,
           const char *why);
  void sample(OfGraph &of, const Batch &batch, const Batch::Launch &launch);
  void addShape(const Batch::Graph &graph);
  void addOutside(const Batch &batch, const Batch::Launch &launch);

  struct Region {
    std::size_t place = SIZE_MAX; // SIZE_MAX: not searched yet
    std::uint64_t parent = 0;
    Place as;
  };

  const std::size_t perGraph_, mostItems_;
  std::size_t items_ = 0;
  std::size_t run_ = SIZE_MAX;
  ById<Region> known_;
  std::vector<Place> places_;
  std::unordered_map<std::string, std::size_t> byPath_;
  std::map<std::pair<std::size_t, std::uint64_t>, OfGraph> graphs_; // by run and graph
  std::map<std::size_t, Kept> outside_;                             // by run
  std::set<std::pair<std::size_t, std::uint64_t>> graphsLeftOut_;
  std::uint64_t outsideLeftOut_ = 0;
  std::uint64_t nextGraph_ = 1; // the first id of a Batch::Graph that is not known
  std::map<std::pair<std::size_t, std::uint64_t>, Shape> shapes_; // likewise
  std::size_t shapeNodes_ = 0;
  std::uint64_t shapesLeftOut_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_HTML_KEPTREPLAYS_H
