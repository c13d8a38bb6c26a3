// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The interposed functions of the driver, and which of them a look-up means.

#ifndef GRAPHPROF_PRELOAD_HOOKS_H
#define GRAPHPROF_PRELOAD_HOOKS_H

#include "preload/NextSymbols.h"

namespace graphprof::preload {

/// One exported function of the driver.
struct Hook {
  const char *symbol;
  const char *name;           ///< as in cuGetProcAddress
  int since, until;           ///< the versions for which it applies: from, and before
  bool perThread;             ///< with the flag for per-thread default streams
  void *function;             ///< this library's, which other libraries get
  Slot *slot;                 ///< the driver's
  bool isOnlyChecked = false; ///< given out with GRAPHPROF_CHECK alone
};

/// The hook of an exported symbol; null if it is not interposed.
const Hook *hookOf(const char *symbol) noexcept;

/// The hook of what the driver returned for `name`: by its address or, if the driver exports no
/// symbol for that, by the version that was asked for. Null if it is not interposed.
const Hook *hookOf(const char *name, int version, bool perThread, void *returned) noexcept;

/// The newest version in the lists.
extern const int newestVersion;

} // namespace graphprof::preload

#endif // GRAPHPROF_PRELOAD_HOOKS_H
