// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions that another library's backend times (graphprof/backend.h), as GRAPHPROF_BACKEND asks: a
// pair of the backend's events around each. CUDA regions and graphs do not pass through here.

#ifndef GRAPHPROF_PROCESS_BACKENDREGIONS_H
#define GRAPHPROF_PROCESS_BACKENDREGIONS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "Mutex.h"
#include "graphprof/backend.h"
#include "graphprof/record.h"
#include "services/HeldSteps.h"

namespace graphprof {

class Session;

/// One region of a group.
struct BackendRegion {
  const Site *site = nullptr;
  std::vector<Value> context;
  int depth = 0;
  int device = -1;
  std::int64_t launchNs = 0, step = -1;
  graphprof_event begin = nullptr, end = nullptr; ///< null: not recorded yet, or refused
};

/// An outermost region and all regions inside it, in the order in which they began. Until the
/// outermost region has ended, only its thread uses the group.
struct BackendGroup {
  BackendGroup(const graphprof_backend &backend, HeldSteps &steps)
      : backend(backend), steps_(steps) {}
  ~BackendGroup();
  BackendGroup(const BackendGroup &) = delete;
  BackendGroup &operator=(const BackendGroup &) = delete;

  /// Holds the step of a copy until the group was handed on.
  void hold(std::int64_t step);

  const graphprof_backend &backend;
  std::vector<BackendRegion> regions;

private:
  HeldSteps &steps_;
  std::shared_ptr<HeldSteps::Holder> held_; // null: it has no copy
};

/// Where an open region is.
struct BackendPlace {
  std::shared_ptr<BackendGroup> group;
  std::size_t index = 0;
  graphprof_stream stream = nullptr;

  [[nodiscard]] BackendRegion &region() const { return group->regions[index]; }
};

/// The backend that GRAPHPROF_BACKEND names, or null: the default is used. Decided at the first
/// call, and then for good, because a graph may be timed by then. A name that nobody has registered
/// is reported.
const graphprof_backend *backendByName() noexcept;

class BackendRegions {
public:
  /// Both outlive it.
  BackendRegions(Session &session, HeldSteps &steps) noexcept : session_(session), steps_(steps) {}

  /// The backend that times regions. Null if it is one of graphprof's own. Looked up once.
  const graphprof_backend *chosen() noexcept;

  /// Opens a region of `site` in `stream`, inside the region at `around` (null: outermost).
  std::unique_ptr<BackendPlace> open(const graphprof_backend &backend, const Site &site,
                                     std::vector<Value> context, graphprof_stream stream,
                                     const BackendPlace *around);
  /// Closes a region. The outermost region hands its group on.
  void close(BackendPlace &place);

  /// Hands on the regions whose events have happened, in order. Returns true if none waits any
  /// more.
  bool collect();
  /// Does the same for at most `patienceMs` milliseconds. If `last`, counts what still waits as
  /// lost.
  bool collect(std::int64_t patienceMs, bool last);

private:
  void hand(const BackendGroup &group);

  Session &session_;
  HeldSteps &steps_;
  Mutex mutex_; // held while outputs and the backend are called
  std::vector<std::shared_ptr<BackendGroup>> waiting_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_BACKENDREGIONS_H
