// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which backends there are (graphprof/backend.h), and which one is used. graphprof's own two are
// known from the start; others register while their libraries are loaded. Knows nothing of what a
// backend does.
//
// The way of a launch does not come by here: graphs of the program's CUDA calls are timed by the
// clocks themselves (runtime/graph), which the CUDA backend shows to others.

#ifndef GRAPHPROF_BACKEND_BACKENDS_H
#define GRAPHPROF_BACKEND_BACKENDS_H

#include <string>
#include <string_view>
#include <vector>

#include "Mutex.h"
#include "graphprof/backend.h"

namespace graphprof {

/// graphprof's own.
const graphprof_backend &cudaBackend() noexcept;
const graphprof_backend &hostBackend() noexcept;

/// All members may be called from any thread.
class Backends {
public:
  /// That of the process.
  static Backends &instance();
  /// With graphprof's own. For tests; the process has instance().
  Backends();

  /// Empty where it is registered now; else why it is refused, a sentence without a full stop.
  std::string add(const graphprof_backend &backend);
  /// Null: there is none of that name.
  const graphprof_backend *find(std::string_view name) const;
  /// The one that `wanted` names. Empty, or a name that nobody has registered, which `complaint`
  /// then says: the CUDA backend where it is enabled, else the host's.
  const graphprof_backend &choose(std::string_view wanted, std::string &complaint) const;

private:
  [[nodiscard]] std::string names() const;

  mutable Mutex mutex_;
  std::vector<const graphprof_backend *> all_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_BACKEND_BACKENDS_H
