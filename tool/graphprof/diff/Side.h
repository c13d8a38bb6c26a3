// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One side of a comparison: what its recordings say of each region, process by process. Does not
// know the other side.

#ifndef GRAPHPROF_TOOL_DIFF_SIDE_H
#define GRAPHPROF_TOOL_DIFF_SIDE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ProcessTimes.h"
#include "output/data/ById.h"
#include "output/statistics/BusyFigures.h"
#include "output/statistics/Statistics.h"
#include "recordings/Recordings.h"
#include "recordings/RunFacts.h"

namespace graphprof {

/// A region or node in its place, or the replays of a graph, in all processes of a side.
struct Subject {
  std::string path, name, source;
  std::string kernel; ///< of a node: its name without its number
  Kind kind = Kind::Region;
  Place place = Place::Graph;
  std::uint32_t number = 1;          ///< of a node: which of those of its name there
  std::size_t parent = SIZE_MAX;     ///< a subject of the same side
  std::uint64_t graph = 0;           ///< not 0: it stands for the replays of this graph (Side)
  bool isNamedGraph = false;         ///< and the graph has a name
  std::vector<ProcessTimes> runs;    ///< by the number of the run; of warm executions
  std::vector<Batch::Busy> busy;     ///< likewise: as BusyFigures has it; may end earlier
  std::uint64_t executions = 0;      ///< warm ones, measured or not, of all processes
  std::uint64_t replays = 0;         ///< with at least one of them
  std::uint64_t coldExecutions = 0;  ///< measured ones
  std::uint64_t notMeasured = 0;     ///< warm ones
  std::uint64_t endsAtNextBegin = 0; ///< of the measured ones
  std::set<Clock> clocks;            ///< that measured it

  [[nodiscard]] std::uint64_t measured() const;
  [[nodiscard]] double executionsPerReplay() const; ///< 0: not known
  /// The mean time in it of a replay that has it; negative: not known.
  [[nodiscard]] double nsPerReplay() const;
  [[nodiscard]] bool isGraph() const { return graph != 0; }
};

/// It tells graphs apart by their names or, without one, by their numbers; either way it has a key
/// for them, which is not 0.
class Side : public RunsListener {
public:
  void begin(const Run &run) override;
  void add(const Batch &batch) override;
  void end(const RecordedEnd &end) override;

  [[nodiscard]] const std::vector<Subject> &subjects() const { return subjects_; }
  /// By the number of a run, that of its process: a process may have made several recordings.
  [[nodiscard]] const std::vector<std::size_t> &processes() const { return processes_; }
  [[nodiscard]] std::size_t processCount() const { return byIdentity_.size(); }
  /// The subjects that ran in replays of a graph.
  [[nodiscard]] const std::set<std::size_t> &inGraph(std::uint64_t graph) const;
  /// How many nodes and edges it had, in all processes. Empty: not known.
  [[nodiscard]] const std::set<std::pair<std::uint32_t, std::uint32_t>> &
  countsOf(std::uint64_t graph) const;
  /// Records of subjects beyond the bound.
  [[nodiscard]] std::uint64_t leftOut() const { return leftOut_; }

private:
  static constexpr std::size_t mostSubjects = 20'000, mostGraphs = 64, mostSamples = 4'000'000,
                               none = SIZE_MAX;

  struct Region {
    std::size_t inGraph = none, outside = none; // subjects; none: not searched yet
    std::uint64_t id = 0, parent = 0;
    std::string path, name, source;
    Kind kind = Kind::Region;
    Clock clock = Clock::Stamp;
    std::uint32_t place = 1;
  };

  std::size_t subjectOf(Region &region, bool inGraph);
  std::size_t subject(const std::string &path, Place place);
  /// 0: beyond the bound.
  std::uint64_t keyOf(const GraphName *serves, std::uint64_t number);
  void addGraph(const Replay &replay, std::uint64_t key);
  void addTime(std::size_t subject, std::int64_t ns);
  void addBusy(std::size_t subject, const Replay &replay, const Batch::Timing &timing);

  std::vector<Subject> subjects_;
  std::map<std::pair<Place, std::string>, std::size_t> byPath_;
  std::vector<std::uint64_t> lastReplay_;   // of each subject: a running number
  std::map<std::size_t, BusyFigures> busy_; // of subjects, in this run
  std::vector<GatheredTimes> times_;        // likewise, of all
  std::unique_ptr<SharedBound> bound_;      // of times_
  // Host, program, number, and when it began.
  std::map<std::tuple<std::string, std::string, std::int64_t, std::int64_t>, std::size_t>
      byIdentity_;
  std::vector<std::size_t> processes_;
  std::uint64_t replay_ = 0;
  std::map<std::string, std::uint64_t> keyOfName_;
  std::map<std::uint64_t, std::set<std::size_t>> inGraph_;
  std::map<std::uint64_t, std::set<std::pair<std::uint32_t, std::uint32_t>>> counts_; // of graphs
  ById<Region> known_;
  std::uint64_t leftOut_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_DIFF_SIDE_H
