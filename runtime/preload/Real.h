// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a name means behind this library: the C library's own dlsym, the driver's own functions.
// Nothing here allocates, throws, or needs a constructor to have run: other libraries' constructors
// look names up before ours run.

#ifndef GRAPHPROF_PRELOAD_REAL_H
#define GRAPHPROF_PRELOAD_REAL_H

#include <atomic>

namespace graphprof::preload {

using Dlsym = void *(*)(void *, const char *);
using Dlvsym = void *(*)(void *, const char *, const char *);

/// The next dlsym and dlvsym behind ours, in the order in which the process searches its libraries.
Dlsym realDlsym() noexcept;
Dlvsym realDlvsym() noexcept;
/// A function of the C library's that this library shows too. Null where there is none.
void *behindOurs(const char *name) noexcept;

/// The function that the process would get under the name of one of the driver's, were this library
/// not there: of what is loaded, or of libcuda.so.1. Null where there is none.
void *realOf(const char *symbol) noexcept;

/// Is `address` in the driver's library? By its file's name, libcuda.so and what follows.
bool isOfDriver(const void *address) noexcept;
/// In this library?
bool isOurs(const void *address) noexcept;

/// Where one of the driver's functions is; the process asked for it, or it is looked up at its
/// first call.
struct Slot {
  const char *symbol;
  std::atomic<void *> address{nullptr};

  void *get() noexcept {
    void *known = address.load(std::memory_order_relaxed);
    if (!known) {
      known = realOf(symbol);
      address.store(known, std::memory_order_relaxed);
    }
    return known;
  }
};

} // namespace graphprof::preload

#endif // GRAPHPROF_PRELOAD_REAL_H
