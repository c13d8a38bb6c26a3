// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The interposed functions of the driver: which there are, and which of them is meant.

#ifndef GRAPHPROF_PRELOAD_HOOKS_H
#define GRAPHPROF_PRELOAD_HOOKS_H

#include "preload/Real.h"

namespace graphprof::preload {

/// One exported function of the driver's.
struct Hook {
  const char *symbol;
  const char *name; ///< as cuGetProcAddress takes it
  int since, until; ///< and with which versions: from, and up to
  bool perThread;   ///< with the flag for per-thread default streams
  void *function;   ///< ours, which other libraries get
  Slot *slot;       ///< the driver's
};

/// The hook of an exported symbol; null where it is not interposed.
const Hook *hookOf(const char *symbol) noexcept;

/// The hook of what the driver returned for `name`: by its address, or where the driver exports
/// that under no symbol by the version that was asked for. Null where it is not interposed.
const Hook *hookOf(const char *name, int version, bool perThread, void *returned) noexcept;

/// The newest version that the lists know.
extern const int newestVersion;

} // namespace graphprof::preload

#endif // GRAPHPROF_PRELOAD_HOOKS_H
