// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The regions of a capture while it goes on: where each began and ended, and in which streams. The
// capture itself is left alone, but for boundaries that are marked (Marks.h).
//
// No locks: its registry's.

#ifndef GRAPHPROF_GRAPH_REGISTRY_CAPTURERECORDER_H
#define GRAPHPROF_GRAPH_REGISTRY_CAPTURERECORDER_H

#include "clock/Clock.h"
#include "graph/registry/TimingRequest.h"
#include "graph/timing/Lanes.h"
#include "graph/timing/Marks.h"
#include "graph/topology/Frontier.h"

namespace graphprof {

class CaptureRecorder final : public Recorder {
public:
  /// Of the capture that `frontier` is in, whose origin is `origin`, or where the capture's begin
  /// was not seen a stream of it. That of a body is marked from the beginning.
  CaptureRecorder(GraphClock &clock, driver::Stream origin, const Frontier &frontier, bool isBody);

  [[nodiscard]] std::size_t regionCount() const override { return regions_.size(); }
  [[nodiscard]] bool hasRegions() const override { return !regions_.empty(); }
  [[nodiscard]] bool isMarked() const override { return marks_.marked(); }
  [[nodiscard]] bool isCapture() const override { return true; }
  std::optional<TimingRequest> request(const Shape &shape, std::string &why) override;
  void giveUp() override { marks_.remove(); }

  /// The same graph is captured into once more.
  void resume(driver::Stream origin) { lanes_.resume(origin); }
  /// The graph got a node that it cannot be copied with.
  void cannotBeCopied() { marks_.cannotBeCopied(); }
  /// `stream` is about to wait for an event; it has waited for one.
  void waiting(driver::Stream stream, const Frontier &frontier);
  void waited(driver::Stream stream, const Frontier &frontier);
  /// `node` is about to be destroyed.
  void nodeGoes(driver::Node node);

  /// Opens a region at the frontier of `stream`; its index, or nullopt where the driver refuses the
  /// boundary.
  std::optional<std::size_t> open(const Site &site, std::vector<Value> context, int depth,
                                  driver::Stream stream, const Frontier &frontier);
  void close(std::size_t region, driver::Stream stream, const Frontier &frontier);
  [[nodiscard]] bool isOpen(std::size_t region) const {
    return region < regions_.size() && regions_[region].end == Region::unfinished;
  }
  /// Innermost last.
  [[nodiscard]] std::vector<std::size_t> openIn(driver::Stream stream) const {
    return lanes_.openIn(stream);
  }
  /// Takes back `region` where it was opened last; its boundary stays.
  void discard(std::size_t region);
  /// Empty where there is none.
  [[nodiscard]] std::string nameOf(std::size_t region) const;

private:
  Marks marks_;
  Lanes lanes_;
  std::vector<Region> regions_; // with boundaries of marks_
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_CAPTURERECORDER_H
