// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The regions that a thread has open. A thread's own: no locks.
//
// Each is held twice, by its thread's stack and by its Scope. Normally the Scope ends where it
// began and takes the region off the stack. One that ends on another thread leaves the region's
// time unknown and lets go of it; the stack's thread does so too, when it next comes upon the
// region or ends. Whichever is second frees it.

#ifndef GRAPHPROF_API_OPENREGIONS_H
#define GRAPHPROF_API_OPENREGIONS_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/BackendRegions.h"
#include "clock/EventCache.h"
#include "graph/harvest/Eager.h"
#include "graph/launch/RecyclingVector.h"
#include "graph/registry/ExplicitGraph.h"
#include "graph/registry/Registry.h"
#include "session/host/HostSpanQueue.h"

namespace graphprof {

/// One open region: of a graph under capture (registry is set), or eager (group and index), or only
/// of the graphs that are being built while it is open.
struct OpenRegion {
  std::shared_ptr<Registry> registry;
  std::size_t index;     ///< in the registry, or in the thread's eager group, or notEager
  driver::Stream stream; ///< where the region's end is marked
  std::unique_ptr<BuildingScope> building =
      nullptr;                                     ///< while there are graphs that are being built
  bool isOfGraph = false;                          ///< one of those got nodes
  std::unique_ptr<HostEvent> span = nullptr;       ///< where the host's time is wanted too
  std::unique_ptr<BackendPlace> backend = nullptr; ///< another backend times it
  bool nvtx = false;                               ///< a tool was told of it
  std::atomic<bool> left{false};                   ///< by one of the two that hold it

  static constexpr std::size_t notEager = SIZE_MAX;
  [[nodiscard]] bool isEager() const { return !registry && index != notEager; }

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
  bool nvtx = false;        ///< a tool was told of it
  std::int64_t step = -1;   ///< in which it began
  std::int64_t beginNs = 0; ///< 0: nobody wanted it then
};

struct OpenRegions {
  std::vector<OpenRegion::Held> stack; ///< innermost last
  RecyclingVector<EagerRegion> eager;  ///< the eager regions since the outermost one began
  std::size_t eagerOpen = 0;           ///< how many of the stack are eager
  EventCache events;                   ///< for eager regions
  struct {
    std::uint64_t id = 0; ///< never given out twice
    Device *device = nullptr;
  } lastStream;                  ///< in which this thread began an eager region
  std::vector<OpenRange> ranges; ///< innermost last
  std::vector<driver::Stream>
      capturing; ///< captures that this thread began and that have not ended, newest last

  OpenRegions() = default;
  /// Its thread ends: what is eager and was never closed is handed on as it is.
  ~OpenRegions();
  OpenRegions(const OpenRegions &) = delete;
  OpenRegions &operator=(const OpenRegions &) = delete;

  /// Takes the region that `scopes` holds off the stack, from both that hold it. Null, and `scopes`
  /// as it was, where it is not there.
  std::unique_ptr<OpenRegion> takeOff(OpenRegion::Held &scopes);
  /// Stays through the destructors of the thread's and, on the main thread, of static objects, in
  /// which regions may still begin and end.
  static OpenRegions &ofThisThread();
  /// Hands on what has ended on this thread inside a region that is still open, as that of the main
  /// loop: a step has ended, and its records are wanted.
  static void handOnEnded();
  /// The process ends on this thread.
  static void endOfThread() noexcept;
  /// How many regions outside graphs wait with this thread; of one that was interrupted, about.
  static std::size_t waitingOnThread() noexcept;
};

} // namespace graphprof

#endif // GRAPHPROF_API_OPENREGIONS_H
