// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timing with CUPTI's activity records. A region is read from the end of the work before it to the
// end of its own work, and from the begin of its work to the begin of the next, because CUPTI's
// kernel times alone leave out the gaps between kernels.

#include "technique.h"

#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "cupti_activity.h"
#include "statistics.h"

namespace benchmark {
namespace {

class CuptiTechnique : public Technique {
public:
  CuptiTechnique() : Technique("CUPTI kernel activity"), cupti_(CuptiActivity::get()) {}

  void switchOn() override { cupti_.switchOn(); }
  void switchOff() override { cupti_.switchOff(); }

  // CUPTI delays all nodes alike, and reads begin and end in hardware.
  Reference reference() const override { return Reference::LessShareOfNode; }

  std::vector<std::vector<double>> readings(int launches) override {
    const std::vector<CuptiSpan> spans = cupti_.takeSpans();
    ofBegins_.clear();
    const std::vector<std::size_t> &counts = workNodes();
    const std::size_t perReplay = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    if (spans.size() != perReplay * launches)
      throw std::runtime_error("CUPTI recorded " + std::to_string(spans.size()) + " nodes of " +
                               std::to_string(perReplay * launches));
    const double gapUs = medianGapUs(spans, perReplay);
    std::vector<std::vector<double>> rows;
    for (auto replay = spans.begin(); replay != spans.end(); replay += perReplay) {
      rows.push_back(readReplay(replay, counts));
      ofBegins_.push_back(readBegins(replay, counts, gapUs));
    }
    return rows;
  }

  std::vector<std::vector<double>> readingsOfBegins() override { return std::move(ofBegins_); }

private:
  // The workloads' nodes run one after another, so the order of time is the order of creation.
  static std::vector<double> readReplay(std::vector<CuptiSpan>::const_iterator node,
                                        const std::vector<std::size_t> &counts) {
    std::vector<double> us;
    std::uint64_t beginNs = node->beginNs;
    for (const std::size_t count : counts) {
      node += count;
      const std::uint64_t endNs = node[-1].endNs;
      us.push_back(1e-3 * static_cast<double>(endNs - beginNs));
      beginNs = endNs;
    }
    return us;
  }

  // Nothing follows the last region, so the usual gap between nodes is added to its end.
  static std::vector<double> readBegins(std::vector<CuptiSpan>::const_iterator node,
                                        const std::vector<std::size_t> &counts, double gapUs) {
    std::vector<double> us;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::uint64_t beginNs = node->beginNs;
      node += counts[i];
      const bool isLast = i + 1 == counts.size();
      us.push_back(1e-3 * static_cast<double>((isLast ? node[-1].endNs : node->beginNs) - beginNs) +
                   (isLast ? gapUs : 0));
    }
    return us;
  }

  // The median time from the end of a node to the begin of the next, over all replays; 0 if there
  // is none.
  static double medianGapUs(const std::vector<CuptiSpan> &spans, std::size_t perReplay) {
    std::vector<double> us;
    for (std::size_t i = 1; i < spans.size(); ++i)
      if (i % perReplay != 0)
        us.push_back(1e-3 * (static_cast<double>(spans[i].beginNs) -
                             static_cast<double>(spans[i - 1].endNs)));
    return us.empty() ? 0 : median(us);
  }

  CuptiActivity &cupti_;
  std::vector<std::vector<double>> ofBegins_;
};

} // namespace

std::unique_ptr<Technique> makeCupti() { return std::make_unique<CuptiTechnique>(); }

} // namespace benchmark
