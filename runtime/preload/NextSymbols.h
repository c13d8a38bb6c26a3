// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a name means without this library: the C library's own dlsym, the driver's own functions.
// Nothing here allocates, throws, or needs constructors, because other libraries' constructors look
// up names before this library's run.

#ifndef GRAPHPROF_PRELOAD_NEXTSYMBOLS_H
#define GRAPHPROF_PRELOAD_NEXTSYMBOLS_H

#include <atomic>

namespace graphprof::preload {

using Dlsym = void *(*)(void *, const char *);
using Dlvsym = void *(*)(void *, const char *, const char *);

/// The next dlsym and dlvsym after this library's, in the order in which the process searches its
/// libraries.
Dlsym realDlsym() noexcept;
Dlvsym realDlvsym() noexcept;
/// A function of the C library that this library exports, too. Null if there is none.
void *behindOurs(const char *name) noexcept;

/// What the libraries that are loaded and searched after this one have under a name. Null if there
/// is none.
void *nextOf(const char *symbol) noexcept;
/// What the process would get under a name of the driver's without this library: from the loaded
/// libraries, or from libcuda.so.1. Null if there is none.
void *realOf(const char *symbol) noexcept;

/// Is the CUDA runtime of this process in one library with its driver? Then its calls pass no other
/// library, and so not this one.
bool runtimeIsDriver() noexcept;
/// Is `address` in the driver's library? Decided by the file name: libcuda.so, with any suffix.
bool isOfDriver(const void *address) noexcept;
/// Is `address` in a library of somebody else that stands in front of dlsym, too, and is searched
/// after this one? Its functions are the driver's for those before it.
bool isOfInterposerBehind(const void *address) noexcept;
/// Is `address` in the program, or in a library that is searched before this one?
bool isInFront(const void *address) noexcept;
/// Is it in this library?
bool isOurs(const void *address) noexcept;

/// The address of one of the driver's functions. Set when the process asks for the function, or
/// looked up at its first call.
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

#endif // GRAPHPROF_PRELOAD_NEXTSYMBOLS_H
