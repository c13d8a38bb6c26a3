// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The regions of a capture in progress: where each began and ended, and in which streams. Does not
// change the capture, except for boundaries that are marked (Marks.h).
//
// Has no lock; its registry has one.

#ifndef GRAPHPROF_GRAPH_REGISTRY_CAPTURERECORDER_H
#define GRAPHPROF_GRAPH_REGISTRY_CAPTURERECORDER_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clock/Clock.h"
#include "graph/registry/TimingRequest.h"
#include "graph/timing/CaptureExtents.h"
#include "graph/timing/Marks.h"
#include "graph/topology/Frontier.h"

namespace graphprof {

class Services;

class CaptureRecorder final : public Recorder {
public:
  /// For the capture that `frontier` is in. `origin` is its origin or, if the begin of the capture
  /// was not seen, one of its streams. The capture of a body is marked from the begin.
  CaptureRecorder(Services &services, GraphClock &clock, driver::Stream origin,
                  const Frontier &frontier, bool isBody);

  [[nodiscard]] std::size_t regionCount() const override { return regions_.size(); }
  [[nodiscard]] bool hasRegions() const override { return !regions_.empty(); }
  [[nodiscard]] bool isMarked() const override { return marks_.marked(); }
  [[nodiscard]] bool isCapture() const override { return true; }
  std::optional<TimingRequest> request(const Shape &shape, std::string &why) override;
  void giveUp() override { marks_.remove(); }

  /// The same graph is captured into again.
  void resume(driver::Stream origin);
  /// The capture has ended with `graph`.
  void ended(driver::Graph graph);
  /// The graph got a node that it cannot be cloned with.
  void cannotBeCopied() { marks_.cannotBeCopied(); }
  /// A stream of the capture waited for an event, so there may be several.
  void forked() { facts_.oneStream = false; }
  /// `node` is about to be destroyed.
  void nodeGoes(driver::Node node);

  /// Opens a region at the frontier of `stream`, which contains what `holds` says, and returns its
  /// index; nullopt if the driver refuses the boundary.
  std::optional<std::size_t> open(const Site &site, std::vector<Value> context, int depth,
                                  driver::Stream stream, const Frontier &frontier, Holds holds);
  void close(std::size_t region, driver::Stream stream, const Frontier &frontier);
  [[nodiscard]] bool isOpen(std::size_t region) const {
    return region < regions_.size() && regions_[region].end == Region::unfinished;
  }
  /// How many regions are open in the origin, apart from those of threads that joined.
  [[nodiscard]] int openInOrigin() const { return openInOrigin_; }
  /// Closes the regions of threads that joined. The origin is at `frontier`.
  void closeJoined(const Frontier &frontier);
  /// Removes `region` if it was opened last; its boundary stays.
  void discard(std::size_t region);
  /// Empty if there is none.
  [[nodiscard]] std::string nameOf(std::size_t region) const;

private:
  /// How many nodes the graph has, for Added. Asks the driver only if the capture has several
  /// streams: that takes the longer the larger the graph is.
  [[nodiscard]] std::size_t countNodes(driver::Stream stream, const Frontier &frontier);

  Services &services_;
  Marks marks_;
  driver::Stream origin_;
  CaptureFacts facts_;
  std::vector<Region> regions_; // with boundaries of marks_
  std::vector<Added> added_;    // by region
  int openInOrigin_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_CAPTURERECORDER_H
