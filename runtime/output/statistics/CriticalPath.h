// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a replay's length depends on: the critical path through a graph whose nodes were all timed,
// the slack of each node, what it waited for, and how long the replay would have been if some nodes
// took another time. From measured begins and ends and the graph's edges, as project planning does
// it (critical path method: Kelley and Walker 1959, https://doi.org/10.1145/1460299.1460318). Does
// not know where the times are from.
//
// A slack is a claim: what waits is moved, and nothing else changes. Where branches share
// multiprocessors or a link, another node may take longer when one is moved, so nothing is claimed
// there. What is not known counts as shared.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_CRITICALPATH_H
#define GRAPHPROF_OUTPUT_STATISTICS_CRITICALPATH_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "output/data/GraphNodes.h"

namespace graphprof {

class LoadOverTime;

/// When a node ran in one replay, on any axis. Without a measurement endNs < beginNs.
struct NodeTimes {
  std::int64_t beginNs = 0, endNs = -1;
  bool isUntilNext =
      false;               ///< endNs is the begin of what follows, and the gap before that is in it
  std::int64_t gapNs = -1; ///< that gap, if it was measured (Batch::Busy); negative: it was not
  [[nodiscard]] bool measured() const { return endNs >= beginNs; }
};

/// Why a node has no slack.
enum class NoSlack : unsigned char {
  HasOne,
  NotMeasured, ///< it, or something that the slack depends on
  Competes,    ///< branches that ran beside it, or would if it were late, share what it needs
};

/// One replay.
struct CriticalReplay {
  struct Node {
    NoSlack why = NoSlack::NotMeasured;
    bool isOnPath = false;
    /// How much later it could have ended without the replay becoming longer; if why is HasOne.
    std::int64_t slackNs = 0;
    /// Its own part of the time from the end of what it waited for to its end, and the rest, in
    /// which it did not run yet. Of that, busyNs while other branches left it no room.
    std::int64_t ownNs = 0, gapNs = 0, busyNs = 0;
    /// The same with regard to what it waited for as a whole, without early edges: from its begin,
    /// and until that. They differ if it began before the end of something else.
    std::int64_t wholeOwnNs = 0, wholeGapNs = 0;
    /// By how much less, or more, of its time than was taken off may be a gap.
    std::int64_t lessGapNs = 0, moreGapNs = 0;
    /// The node whose end it waited for last; none: the replay's begin, or not known.
    std::uint32_t waitedFor = GraphNodes::none;
  };
  std::vector<Node> nodes;         ///< as in GraphNodes
  std::vector<std::uint32_t> path; ///< the nodes on the critical path that take time, in order
  bool isWhole = false;            ///< the path goes back to the replay's begin
  std::int64_t lengthNs = 0;       ///< Replay::lengthNs()
  std::int64_t untimedNs = 0;      ///< of that, behind the last node that was measured
  std::int64_t runningNs = 0;      ///< of that, while at least one node ran
  std::int64_t besideNs = 0;       ///< while at least two ran
  std::size_t measured = 0, competing = 0, unknown = 0; ///< nodes that take time: all that were
                                                        ///< measured; of these, those without slack
};

/// What is the same in all replays of a graph. Keeps it.
class CriticalPath {
public:
  explicit CriticalPath(std::shared_ptr<const GraphNodes> graph);

  [[nodiscard]] const GraphNodes &graph() const { return *graph_; }
  /// False if the edges make a cycle, which only a damaged file has.
  [[nodiscard]] bool isOrdered() const { return order_.size() == nodes_.size(); }
  /// Whether `node` counts for a replay: it takes time, and is in no conditional node's body and in
  /// no child graph that is timed as a whole.
  [[nodiscard]] bool isWork(std::uint32_t node) const {
    return nodes_[node].kind == Kind::Work || nodes_[node].kind == Kind::Unknown;
  }
  /// Whether some of them may run side by side.
  [[nodiscard]] bool hasBranches() const;
  /// How many nodes these are.
  [[nodiscard]] std::size_t workNodes() const { return work_; }

  /// `times`: of all nodes of the graph; what takes no time needs none. `beginNs`, `endNs`: of the
  /// replay. The graph must be ordered.
  [[nodiscard]] CriticalReplay of(std::span<const NodeTimes> times, std::int64_t beginNs,
                                  std::int64_t endNs) const;

  /// How long a replay would have been, and how long it may have been at least and at most, because
  /// how much of a node's time is a gap, which does not change with it, is known so well only.
  struct Prediction {
    std::int64_t ns, leastNs, mostNs;
  };
  /// If each node took its own time multiplied by its factor. Nullopt where not all nodes were
  /// measured, or one that is changed, or moved by that, has no slack that could be claimed.
  [[nodiscard]] std::optional<Prediction> predicted(const CriticalReplay &replay,
                                                    std::span<const double> factors) const;

private:
  enum class Kind : unsigned char {
    Ignored, ///< inside another node that is timed as a whole, or not at all
    Instant, ///< takes no time
    Work,    ///< timed
    Unknown, ///< takes time, but is not timed
  };
  // What two nodes that run at once may share.
  enum class Uses : unsigned char { Multiprocessors, ToDevice, FromDevice, Host };
  struct Node {
    Kind kind = Kind::Instant;
    Uses uses = Uses::Multiprocessors;
    // All branches join before and behind the nodes of one section. A node that runs alone is one.
    std::uint32_t section = 0;
    std::vector<std::uint32_t> after, early; // as in GraphNodes
    std::uint32_t next = GraphNodes::none;   // in its branch: the only one that waits for it, and
                                             // waits for nothing else
    double share = unknownShare;             // of the device, if it runs alone
    double blocks = unknownShare;
  };
  struct Run; // of one replay
  struct Loads;

  static constexpr double unknownShare = 1e6;

  void expand();
  void sort();
  void findSections();
  void measureNeeds();
  [[nodiscard]] bool isFullLater(std::uint32_t node, const Run &run,
                                 const LoadOverTime &load) const;
  [[nodiscard]] bool isTooMuch(Uses what, double share, double blocks) const;
  void takeGapOff(std::uint32_t number, const NodeTimes &times, std::int64_t readyNs,
                  Run &run) const;
  std::size_t walkForwards(std::span<const NodeTimes> times, Run &run) const;
  [[nodiscard]] std::int64_t scheduledNs(const CriticalReplay &replay,
                                         std::span<const double> factors, int error) const;
  void walkBackwards(Run &run) const;
  [[nodiscard]] CriticalReplay::Node nodeOf(const Run &run, std::uint32_t number) const;
  [[nodiscard]] bool isMeasured(const Run &run, std::uint32_t number) const;
  [[nodiscard]] Loads loadsOf(const Run &run, CriticalReplay &replay) const;
  [[nodiscard]] std::int64_t busyNsOf(std::uint32_t number, std::int64_t gapNs, const Run &run,
                                      const LoadOverTime &load) const;
  [[nodiscard]] bool wouldCompete(std::uint32_t number, const CriticalReplay::Node &found,
                                  const Run &run, const Loads &loads) const;
  void findCompeting(const Run &run, CriticalReplay &replay) const;
  void findPath(const Run &run, CriticalReplay &replay) const;

  std::shared_ptr<const GraphNodes> graph_;
  std::vector<Node> nodes_; // those of the graph, then the ends of its child graphs
  std::vector<std::uint32_t> order_;
  std::size_t work_ = 0;
  std::uint32_t sections_ = 0;
  std::vector<std::uint32_t> sizes_; // of sections: nodes that take time
  std::vector<bool> hasUnknown_;     // by section
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_CRITICALPATH_H
