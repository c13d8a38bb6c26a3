// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The regions that a thread has open. Only that thread uses them, without locks.
//
// Two owners hold each region: the thread's stack and the region's Scope. Normally the Scope ends
// on its own thread and takes the region off the stack. If it ends on another thread, it only lets
// go of the region, whose end stays unknown. The stack lets go when its thread next meets the
// region, or ends. The second owner to let go frees the region.

#ifndef GRAPHPROF_PROCESS_OPENREGIONS_H
#define GRAPHPROF_PROCESS_OPENREGIONS_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "clock/EventCache.h"
#include "graph/harvest/Eager.h"
#include "graph/launch/RecyclingVector.h"
#include "graph/registry/Capture.h"
#include "graph/registry/ExplicitGraph.h"
#include "host/HostSpanQueue.h"
#include "process/BackendRegions.h"
#include "services/HeldSteps.h"

namespace graphprof {

/// An open region. It belongs to a capture (`capture` is set), or is eager (index), or
/// belongs only to graphs that are built by hand while it is open.
struct OpenRegion {
  std::shared_ptr<Capture> capture;
  std::size_t index;     ///< in the capture, or in the thread's eager group, or notEager
  driver::Stream stream; ///< where the region's end is marked
  std::unique_ptr<BuildingScope> building = nullptr; ///< if graphs are being built by hand
  bool isOfGraph = false;                            ///< one of those graphs got nodes
  bool isJoined = false; ///< its thread joined the capture; `stream` is not to be used
  std::unique_ptr<HostEvent> span = nullptr;       ///< if host spans are wanted
  std::unique_ptr<BackendPlace> backend = nullptr; ///< if another backend times the region
  bool nvtx = false;                               ///< an NVTX tool was told of it
  const Site *site = nullptr;                      ///< interned
  std::atomic<bool> left{false};                   ///< one of the two owners has let go

  static constexpr std::size_t notEager = SIZE_MAX;
  [[nodiscard]] bool isEager() const { return !capture && index != notEager; }

  static void letGo(OpenRegion *region) noexcept {
    if (region->left.exchange(true))
      delete region;
  }
  struct LetGo {
    void operator()(OpenRegion *region) const noexcept { letGo(region); }
  };
  using Held = std::unique_ptr<OpenRegion, LetGo>;
};

/// A range that the program pushed and has not popped.
struct OpenRange {
  std::string name;
  bool nvtx = false;        ///< an NVTX tool was told of it
  std::int64_t step = -1;   ///< the step in which it began
  std::int64_t beginNs = 0; ///< 0: no output wanted it then
};

struct OpenRegions {
  std::vector<OpenRegion::Held> stack; ///< innermost last
  RecyclingVector<EagerRegion> eager;  ///< the eager regions since the outermost one began
  std::size_t eagerOpen = 0;           ///< how many regions of the stack are eager
  EventCache events;                   ///< for eager regions
  struct {
    std::uint64_t id = 0; ///< CUDA never gives an id out twice
    Device *device = nullptr;
  } lastStream; ///< of this thread's last eager region
  /// Holds the step of the first copy whose span or record is not handed over yet. Null before the
  /// thread's first copy.
  std::shared_ptr<HeldSteps::Holder> held;
  std::vector<OpenRange> ranges; ///< innermost last
  std::vector<driver::Stream>
      capturing; ///< captures that this thread began and that have not ended; newest last
  struct JoinedCapture {
    std::weak_ptr<Capture> capture;
    std::uint64_t id;
  };
  std::vector<JoinedCapture>
      joined; ///< captures of other threads that this one adds to; newest last

  OpenRegions() = default;
  /// Called when the thread ends. Hands on eager regions, including those that were never closed.
  ~OpenRegions();
  OpenRegions(const OpenRegions &) = delete;
  OpenRegions &operator=(const OpenRegions &) = delete;

  /// Whether this thread began the capture that began in `origin`.
  [[nodiscard]] bool hasBegun(driver::Stream origin) const {
    return std::find(capturing.begin(), capturing.end(), origin) != capturing.end();
  }
  /// This thread adds to `capture`, which another thread began.
  void join(const std::shared_ptr<Capture> &capture);
  /// The capture that this thread joined last, if it has not ended; else the one before, and so on.
  [[nodiscard]] std::shared_ptr<Capture> newestJoined();
  /// Returns the current step, for a copy that begins, and holds it.
  std::int64_t holdStep();
  /// Call this when something was handed over: holds only the steps of what was not.
  void letStepsGo() noexcept;
  /// Whether all eager regions that are still open come before all that have ended.
  [[nodiscard]] bool openOnesFirst() const;
  /// Hands on the eager regions that have ended and keeps the open ones.
  void pushEnded();
  /// Takes the region that `scopes` holds off the stack, and ends both ownerships. Returns null and
  /// leaves `scopes` unchanged if the region is not on the stack.
  std::unique_ptr<OpenRegion> takeOff(OpenRegion::Held &scopes);
  /// Outlives the thread's other destructors and, on the main thread, those of static objects:
  /// regions may still begin and end in them.
  static OpenRegions &ofThisThread();
  /// The same, or null if this thread has none yet, or none any more.
  static OpenRegions *ofThisThreadIfAny() noexcept;
  /// Hands on the regions of this thread that have ended inside one that is still open, such as the
  /// main loop's. For the end of a step, whose records are wanted.
  static void handOnEnded();
  /// Call this on the thread that ends the process.
  static void endOfThread() noexcept;
  /// How many regions outside graphs wait on this thread; approximate if the thread was
  /// interrupted.
  static std::size_t waitingOnThread() noexcept;

  /// While it lives, the regions of `lane` are those of this thread: a task's, of which a thread
  /// runs many in turns. Null: nothing changes. The captures stay the thread's.
  class InLane {
  public:
    explicit InLane(OpenRegions *lane);
    ~InLane();
    InLane(const InLane &) = delete;
    InLane &operator=(const InLane &) = delete;

  private:
    OpenRegions *thread_ = nullptr;
  };
};

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_OPENREGIONS_H
