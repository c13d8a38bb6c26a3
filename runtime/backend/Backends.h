// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The registered backends (graphprof/backend.h), and which one is used. graphprof's own two are
// always there; others register when their libraries are loaded. Does not know what a backend does.
//
// Launches do not pass through here. The clocks time the graphs of the program's CUDA calls
// directly (runtime/graph).

#ifndef GRAPHPROF_BACKEND_BACKENDS_H
#define GRAPHPROF_BACKEND_BACKENDS_H

#include <string>
#include <string_view>
#include <vector>

#include "Mutex.h"
#include "graphprof/backend.h"

namespace graphprof {

class Devices;

/// graphprof's own backends.
const graphprof_backend &cudaBackend() noexcept;
const graphprof_backend &hostBackend() noexcept;

/// Where the CUDA backend finds devices: functions of a backend are given no object. The process
/// room defines it.
Devices &devicesOfProcess() noexcept;

/// All members may be called from any thread.
class Backends {
public:
  /// Contains graphprof's own backends.
  Backends();

  /// Registers `backend`. Returns an empty string, or why it is refused, as a sentence without a
  /// full stop.
  std::string add(const graphprof_backend &backend);
  /// Null if no backend has that name.
  const graphprof_backend *find(std::string_view name) const;
  /// The backend that `wanted` names; null if it is empty, or if nobody registered the name. Then
  /// `complaint` says so.
  const graphprof_backend *named(std::string_view wanted, std::string &complaint) const;
  /// The same, or else the CUDA backend if it is enabled, or else the host's.
  const graphprof_backend &choose(std::string_view wanted, std::string &complaint) const;

private:
  [[nodiscard]] std::vector<std::string_view> names() const;

  mutable Mutex mutex_;
  std::vector<const graphprof_backend *> all_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_BACKEND_BACKENDS_H
