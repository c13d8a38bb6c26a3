// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the recordings of a job's processes say of its ranks: which process is which rank, when its
// replays ran, and when the collectives in them began and ended. Keeps no other record. Does not
// compare ranks.

#ifndef GRAPHPROF_TOOL_MERGE_JOB_H
#define GRAPHPROF_TOOL_MERGE_JOB_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "output/data/ById.h"
#include "output/statistics/BusyFigures.h"
#include "recordings/Recordings.h"
#include "recordings/RunFacts.h"

namespace graphprof {

/// Which records are collectives.
struct WhichCollectives {
  /// NCCL's kernels of collectives in which every rank needs the data of every other, so that none
  /// can end before the last has begun.
  static constexpr const char *usual = "^nccl\\w*Kernel_(AllReduce|AllGather|ReduceScatter)";
  /// The program's own choice: names of kernels or regions. Without it, `usual`, of kernels only.
  bool chosen = false;
  std::regex names{usual};
};

/// Who waits for whom in a collective.
enum class Flow : unsigned char {
  All,      ///< each rank for every other
  FromRoot, ///< each for the root, which has the data: a broadcast
  ToRoot,   ///< the root for all others: a reduction to one rank
  Pair,     ///< one for the other or both for each other: sends and receives
};
/// Of NCCL's kernels by their names. All, if the name is none of the others'.
[[nodiscard]] Flow flowOf(std::string_view kernel);

/// A collective in a replay, as one rank saw it.
struct CollectiveSpan {
  std::int64_t beginNs;    ///< since the Unix epoch, by the clock of the rank's host
  std::int64_t durationNs; ///< negative: not measured
  [[nodiscard]] std::int64_t endNs() const { return beginNs + durationNs; }
};

/// Which collectives a replay holds: of each the number of its path (Job::paths()), and the
/// iteration of the conditional node's body in which it ran, or -1.
using CollectiveLayout = std::vector<std::pair<std::uint32_t, std::int64_t>>;

struct RankReplay {
  std::uint64_t exec;   ///< 0: a region outside graphs
  std::uint64_t number; ///< of the launch of this exec; outside graphs, of the region of its path
  std::int64_t step;    ///< -1: none
  std::int64_t beginNs, endNs; ///< of its device work; 0: not known
  std::uint32_t layout;        ///< Job::layout()
  std::uint32_t serves;        ///< Job::graphName()
  bool cold;
  std::size_t first; ///< its first span in Rank::spans; there is one for each entry of the layout
};

/// What is known of an exec; outside graphs, of an outermost region.
struct RankExec {
  std::set<std::uint32_t> collectives;     ///< paths
  std::set<std::uint32_t> serves;          ///< of its launches: Job::graphName()
  std::unordered_set<std::size_t> regions; ///< hashes of the paths of all its regions and nodes
  std::size_t ownKernels = 0;              ///< of these: kernels that are no collectives
  /// How long its kernels but for collectives were busy, the newest of each, by the hash of its
  /// path: what is known, or -1. Empty if nothing is.
  std::unordered_map<std::size_t, std::int64_t> busyNs;

  /// Added up. -1: not known of all of them.
  [[nodiscard]] std::int64_t allBusyNs() const;
};

struct Rank {
  std::int64_t number = 0;
  std::string host;                ///< empty: not known
  std::string name;                ///< "a.gprof: program (pid 12, rank 1 on host)"
  std::vector<std::size_t> runs;   ///< of Job::runs(): several if the process wrote several files
  std::vector<RankReplay> replays; ///< as they come
  std::vector<CollectiveSpan> spans;
  std::map<std::uint64_t, RankExec>
      execs; ///< by their numbers; outside graphs, from firstOutside on
  std::map<std::uint32_t, BusyFigures> busy; ///< of its collectives, by their paths
  bool timedByEvents = false;                ///< some of its times are CUDA events'
  std::uint64_t notSplit = 0; ///< records of NCCL's kernels of which nothing is known

  /// Numbers that no exec has, for outermost regions outside graphs, in order of appearance.
  static constexpr std::uint64_t firstOutside = std::uint64_t{1} << 63U;
};

class Job : public RunsListener {
public:
  /// `inOrder`: the recordings are the ranks 0, 1, 2, ... in the order in which they come, whatever
  /// they say themselves.
  Job(WhichCollectives which, bool inOrder) : which_(std::move(which)), inOrder_(inOrder) {}

  void begin(const Run &run) override;
  void add(const Batch &batch) override;
  /// Sorts the ranks by their numbers. Throws UnreadableRecording if two processes say that they
  /// are the same rank, or if there is one rank only.
  void finish();

  [[nodiscard]] const std::vector<Rank> &ranks() const { return ranks_; }
  [[nodiscard]] const CollectiveLayout &layout(std::uint32_t number) const {
    return *layouts_[number];
  }
  /// Of the collectives, by their numbers.
  [[nodiscard]] const std::vector<std::string> &paths() const { return paths_; }
  [[nodiscard]] Flow flow(std::uint32_t path) const { return flows_[path]; }
  /// What a launch serves, by its number; of 0 empty: it has no name.
  [[nodiscard]] const std::string &graphName(std::uint32_t number) const {
    return graphNames_[number];
  }
  /// Collectives beyond the bound, which were not kept.
  [[nodiscard]] std::uint64_t leftOut() const { return leftOut_; }
  /// Sentences about what does not go together: ranks that are missing, other programs.
  [[nodiscard]] const std::vector<std::string> &remarks() const { return remarks_; }

private:
  // 16 bytes each.
  static constexpr std::size_t mostSpans = 40'000'000;

  struct Region {
    std::uint32_t collective; // its number, or `none`
    std::size_t path;         // its hash
    bool inCollective;        // itself or one around it
    bool otherNccl;
    bool isOwnKernel; // neither a collective nor inside one
    std::string name; // of an outermost region
    bool byEvents;
  };
  static constexpr std::uint32_t none = UINT32_MAX;

  [[nodiscard]] Region learn(const Batch::Region &region);
  void addBusy(const Region &region, const Replay &replay, const Batch::Timing &timing);
  void addLaunch(const Batch &batch, const Batch::Launch &launch);
  [[nodiscard]] std::uint64_t outside(const std::string &name);
  [[nodiscard]] std::uint32_t nameOf(const Replay &replay);
  [[nodiscard]] std::uint32_t layoutOf(const CollectiveLayout &layout);
  void checkRanks();
  void sayWhatDiffers();

  const WhichCollectives which_;
  const bool inOrder_;
  std::vector<Rank> ranks_; // one a process
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::size_t>
      processes_; // host, pid, begin: in ranks_
  std::size_t current_ = 0;
  bool knowsBusy_ = false; // the current run has said a busy time
  ById<Region> known_;
  std::unordered_map<std::string, std::uint64_t> outside_; // of the current rank: by name
  std::map<std::uint64_t, std::uint64_t> outsideCounts_;   // how many regions each had
  std::vector<std::string> paths_;
  std::vector<Flow> flows_; // of each path
  std::unordered_map<std::string, std::uint32_t> pathNumbers_;
  std::vector<std::string> graphNames_ = {std::string()};
  std::unordered_map<std::string, std::uint32_t> graphNameNumbers_;
  std::map<CollectiveLayout, std::uint32_t> layoutNumbers_; // entries do not move
  std::vector<const CollectiveLayout *> layouts_;
  CollectiveLayout scratch_;
  std::vector<CollectiveSpan> scratchSpans_;
  std::size_t kept_ = 0;
  std::uint64_t leftOut_ = 0;
  std::vector<std::string> remarks_;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_MERGE_JOB_H
