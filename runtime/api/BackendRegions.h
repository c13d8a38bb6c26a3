// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions that a backend of somebody else's times (graphprof/backend.h): a pair of its events
// around each, which GRAPHPROF_BACKEND asks for. Regions of CUDA's do not come by here, nor graphs.

#ifndef GRAPHPROF_API_BACKENDREGIONS_H
#define GRAPHPROF_API_BACKENDREGIONS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "Mutex.h"
#include "graphprof/backend.h"
#include "graphprof/record.h"

namespace graphprof {

class Session;

/// One region of a group.
struct BackendRegion {
  const Site *site = nullptr;
  std::vector<Value> context;
  int depth = 0;
  int device = -1;
  std::int64_t launchNs = 0, step = -1;
  graphprof_event begin = nullptr, end = nullptr; ///< null: refused, or it has none yet
};

/// An outermost region and all that ran inside it, in the order in which they began. Its thread's
/// alone until the outermost one has ended.
struct BackendGroup {
  explicit BackendGroup(const graphprof_backend &backend) : backend(backend) {}
  ~BackendGroup();
  BackendGroup(const BackendGroup &) = delete;
  BackendGroup &operator=(const BackendGroup &) = delete;

  const graphprof_backend &backend;
  std::vector<BackendRegion> regions;
};

/// A region's place while it is open.
struct BackendPlace {
  std::shared_ptr<BackendGroup> group;
  std::size_t index = 0;
  graphprof_stream stream = nullptr;
};

class BackendRegions {
public:
  static BackendRegions &instance();

  /// The backend that times regions; null where that is one of graphprof's own. Looked up once.
  static const graphprof_backend *chosen() noexcept;

  /// Opens a region of `site` in `stream`, inside the one at `around` (null: outermost).
  static std::unique_ptr<BackendPlace> open(const graphprof_backend &backend, const Site &site,
                                            std::vector<Value> context, graphprof_stream stream,
                                            const BackendPlace *around);
  /// Closes it; the outermost one hands its group on.
  void close(BackendPlace &place, Session &session);

  /// Hands on what has happened, in order. True where nothing waits any more.
  bool collect(Session &session);
  /// The same, for `patienceMs` milliseconds at most; what waits then is counted as lost where it
  /// is the `last` time.
  bool collect(Session &session, std::int64_t patienceMs, bool last);

private:
  static void hand(const BackendGroup &group, Session &session);

  Mutex mutex_; // outputs and the backend are called while it is held
  std::vector<std::shared_ptr<BackendGroup>> waiting_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_API_BACKENDREGIONS_H
