// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A capture and its regions: where each began and ended, and in which streams. Does not change what
// is captured, except for boundaries that are marked (CaptureBoundaries.h). Its life: in progress,
// ending, ended (a body may be captured in pieces, so it may resume); its regions are taken when
// the graph is used.
//
// Threads: several may capture into one graph. Those that did not begin the capture may meet its
// end at any time, and other threads move its streams meanwhile. So their regions have no place in
// a stream: only the graph's nodes are counted, under the lock.

#ifndef GRAPHPROF_GRAPH_REGISTRY_CAPTURE_H
#define GRAPHPROF_GRAPH_REGISTRY_CAPTURE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "Expected.h"
#include "Mutex.h"
#include "clock/Clock.h"
#include "graph/registry/Recaptures.h"
#include "graph/registry/TimingRequest.h"
#include "graph/timing/CaptureBoundaries.h"
#include "graph/timing/CaptureExtents.h"
#include "graph/topology/Frontier.h"
#include "graph/topology/InProgress.h"

namespace graphprof {

class Services;

/// Any thread may call any member.
class Capture final : public Recorder {
public:
  static constexpr std::size_t noRegion = SIZE_MAX;
  enum class Kind : std::uint8_t { Graph, Recapture, Body, Untimed };

  /// The capture that `frontier` is in. `origin` is its origin or, if the begin of the capture was
  /// not seen, one of its streams. That of a body is marked from the begin; one of the nodes that a
  /// graph has already, or will be captured again, never. An untimed one has no regions.
  Capture(Services &services, GraphClock &clock, driver::Stream origin, const Frontier &frontier,
          Kind kind, CaptureBegin begun = CaptureBegin::Seen);

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] driver::Stream origin() const { return origin_; }
  [[nodiscard]] bool hasEnded() const { return hasEnded_; }
  [[nodiscard]] bool isTimed() const { return isTimed_; }

  /// The same graph is captured into again. Returns false if it is too late for that.
  bool resume(driver::Stream origin, std::uint64_t id) EXCLUDES(mutex_);
  /// The thread that began it is about to end it. Ends the regions of threads that joined.
  void ending() EXCLUDES(mutex_);
  /// It has ended with `graph`; null: with nothing.
  void ended(driver::Graph graph) EXCLUDES(mutex_);
  /// One of its streams waited for an event, so it may have several.
  void forked() EXCLUDES(mutex_);
  /// The graph got a node that it cannot be cloned with.
  void cannotBeCopied() EXCLUDES(mutex_);
  /// `node` is about to be destroyed. Returns false if the regions were taken.
  bool nodeGoes(driver::Node node) EXCLUDES(mutex_);

  /// Opens a region at the frontier of `stream`, which contains what `holds` says, and returns its
  /// index; noRegion if there may be no more, or the driver refuses the boundary.
  std::size_t open(const Site &site, std::vector<Value> context, int depth, driver::Stream stream,
                   const Frontier &frontier, Holds holds) EXCLUDES(mutex_);
  void close(std::size_t region, driver::Stream stream, const Frontier &frontier) EXCLUDES(mutex_);
  /// The same for a thread that joined the capture. The region contains what its thread adds, in
  /// whatever stream.
  std::size_t openJoined(const Site &site, std::vector<Value> context, int depth) EXCLUDES(mutex_);
  void closeJoined(std::size_t region) EXCLUDES(mutex_);
  /// Is the region open, and the capture in progress?
  [[nodiscard]] bool isOpen(std::size_t region) const EXCLUDES(mutex_);
  /// How many regions are open in the origin, apart from those of threads that joined.
  [[nodiscard]] int openInOrigin() const EXCLUDES(mutex_);
  /// Removes the region that was opened last; its boundary stays.
  void discard(std::size_t region) EXCLUDES(mutex_);
  /// The name of an open region; empty if there is none any more.
  [[nodiscard]] std::string nameOf(std::size_t region) const EXCLUDES(mutex_);

  [[nodiscard]] std::size_t regionCount() const override EXCLUDES(mutex_);
  [[nodiscard]] bool hasRegions() const override EXCLUDES(mutex_) { return regionCount() > 0; }
  [[nodiscard]] bool isMarked() const override EXCLUDES(mutex_);
  [[nodiscard]] bool mayBeRecaptured() const override EXCLUDES(mutex_);
  [[nodiscard]] bool isCapture() const override { return true; }
  /// Takes the regions.
  Expected<TimingRequest> request(const Shape &shape) override EXCLUDES(mutex_);
  void giveUp() override EXCLUDES(mutex_);

private:
  /// Whether there may be one more; counts it as lost otherwise.
  [[nodiscard]] bool hasRoom() REQUIRES(mutex_);
  std::size_t add(const Site &site, std::vector<Value> context, int depth, std::uint32_t begin,
                  Added added) REQUIRES(mutex_);
  [[nodiscard]] bool isUnfinished(std::size_t region) const REQUIRES(mutex_) {
    return region < regions_.size() && regions_[region].end == Region::unfinished;
  }
  /// How many nodes the graph has; nullopt if the capture is ending, or the driver does not tell,
  /// or they were there before.
  [[nodiscard]] std::optional<std::size_t> nodesNow() const REQUIRES(mutex_);
  /// How many nodes the graph has, for Added. Asks the driver only if the capture has several
  /// streams: that takes the longer the larger the graph is.
  [[nodiscard]] std::size_t countNodes(driver::Stream stream, const Frontier &frontier)
      REQUIRES(mutex_);

  Services &services_;
  const bool isTimed_;
  const CaptureBegin begun_;
  std::atomic<std::uint64_t> id_;
  std::atomic<driver::Stream> origin_;
  std::atomic<bool> hasEnded_{false};
  InProgress inProgress_;

  mutable Mutex mutex_;
  driver::Graph graph_ GUARDED_BY(mutex_); // until it has ended
  bool isEnding_ GUARDED_BY(mutex_) = false;
  bool isTaken_ GUARDED_BY(mutex_) = false;
  CaptureBoundaries marks_ GUARDED_BY(mutex_);
  CaptureFacts facts_ GUARDED_BY(mutex_);
  std::vector<Region> regions_ GUARDED_BY(mutex_); // with boundaries of marks_
  std::vector<Added> added_ GUARDED_BY(mutex_);    // by region
  int openInOrigin_ GUARDED_BY(mutex_) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_CAPTURE_H
