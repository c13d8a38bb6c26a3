// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Claims.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "critical/CriticalFigures.h"

using graphprof::CriticalFigures;

namespace {

constexpr double nsOfUs = 1e3;

// All slacks, claimed or not, of graphs without regions.
class Kept : public graphprof::RecordingsListener {
public:
  void file(const std::string &) override {}
  void begin(const graphprof::Run &) override {}
  void end(const graphprof::RecordedEnd &) override {}
  void add(const graphprof::Batch &batch) override {
    replays_.take(batch);
    for (const graphprof::Batch::Launch &launch : batch.launches) {
      if (launch.replay.cold || !replays_.knows(launch))
        continue;
      (void)replays_.of(batch, launch);
      const auto replay = replays_.replay();
      if (!replay)
        continue;
      std::vector<std::vector<double>> &kept = kept_[launch.replay.graph];
      kept.resize(replay->nodes.size());
      for (std::size_t i = 0; i < kept.size(); ++i)
        kept[i].push_back(static_cast<double>(replay->nodes[i].slackNs) / nsOfUs);
    }
  }
  [[nodiscard]] double medianUs(std::uint64_t graph, std::size_t node) {
    std::vector<std::vector<double>> &kept = kept_[graph];
    if (node >= kept.size() || kept[node].empty())
      return -1;
    std::sort(kept[node].begin(), kept[node].end());
    return kept[node][kept[node].size() / 2];
  }

private:
  graphprof::CriticalReplays replays_;
  std::map<std::uint64_t, std::vector<std::vector<double>>> kept_;
};

} // namespace

std::vector<Claims> claimsOf(const std::string &path) {
  graphprof::Recordings recordings;
  CriticalFigures figures(CriticalFigures::By::Region, {});
  Kept kept;
  try {
    recordings.read({path}, figures);
    recordings.read({path}, kept);
  } catch (const graphprof::UnreadableRecording &error) {
    std::printf("%s\n", error.why.c_str());
    std::exit(2);
  }
  std::vector<Claims> all;
  for (const auto &graph : figures.graphs()) {
    Claims &claims = all.emplace_back();
    claims.replays = graph->replays;
    claims.replayUs = graph->length.quantileNs(0.5) / nsOfUs;
    claims.besidePercent = graph->lengthNs > 0 ? 100.0 * static_cast<double>(graph->besideNs) /
                                                     static_cast<double>(graph->lengthNs)
                                               : 0;
    for (std::size_t i = 0; i < graph->rowsOf.size(); ++i) {
      Claim claim{false, 0, kept.medianUs(graph->number, i)};
      if (!graph->rowsOf[i].empty()) {
        const CriticalFigures::Row &row = graph->rows[graph->rowsOf[i].front()];
        claim.hasSlack = row.slack.isClaimed();
        claim.slackUs = row.slack.isClaimed() ? row.slack.ns.quantileNs(0.5) / nsOfUs : 0;
      }
      claims.nodes.push_back(claim);
    }
  }
  return all;
}
