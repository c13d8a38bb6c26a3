// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Whether this process's calls are told to libgraphprof, and how. The library is loaded only when
// the process begins to use CUDA (cuInit), because every shell and compiler gets this library
// through the environment. A process that has only looked for the driver, as `import torch` does,
// has nothing of graphprof's that a forked child would inherit.

#ifndef GRAPHPROF_PRELOAD_LIBRARY_H
#define GRAPHPROF_PRELOAD_LIBRARY_H

#include <atomic>
#include <initializer_list>

#include "graphprof/control.h"
#include "graphprof/detail/seam.h"
#include "graphprof/detail/timed_copy.h"
#include "preload/NextSymbols.h"

namespace graphprof::preload {

/// Functions of libgraphprof.so. All are set when the state is On.
struct LibraryCalls {
#define GRAPHPROF_SEAM(name, result, parameters, arguments, idle)                                  \
  decltype(&::graphprof_seam_##name) name;
#include "graphprof/detail/seam.def"
  decltype(&::graphprof::detail::timedCopy) timedCopy;
  /// graphprof::active()
  const std::atomic<bool> *active;
  /// The process uses CUDA from now on.
  void (*cudaBegan)();
  /// A context has become current on this thread.
  void (*contextCurrent)();
  /// The program is about to launch `kernel`, or a copy if it is null, in `stream`.
  void (*adding)(CUstream_st *stream, CUfunc_st *kernel);
  /// With GRAPHPROF_CHECK: the program is about to make a call, by its symbol; the call returned an
  /// error; an exec is about to be launched, or changed; a host function was handed over.
  void (*checkCall)(const char *symbol);
  void (*checkRefused)(const char *symbol, int result);
  void (*checkLaunch)(CUgraphExec_st *exec);
  void (*checkChanged)(CUgraphExec_st *exec);
  void (*checkHostFunction)(void (*function)(void *));
  /// The process ends without exit(), or becomes another program. Returns 0 if there is nothing to
  /// end.
  int (*leaving)();
};
extern LibraryCalls loaded;

enum class State : int {
  NotYet,
  Loading, ///< by one thread; the calls of others are not told
  On,
  Checking,     ///< as On, and each call is looked at (GRAPHPROF_CHECK)
  Instrumented, ///< instrumented code tells itself; the driver's functions here tell nothing
  Off,          ///< for ever: the program runs as without graphprof
};
extern std::atomic<State> state;

/// Turns NotYet into On, Checking, Instrumented or Off.
void load() noexcept;

/// The process looks for the driver. Returns false if its calls will never be told.
bool driverSought() noexcept;
/// The process has initialized the driver.
void cudaBegan() noexcept;
/// Has this process itself, not one that it was forked from, looked for the driver, and may its
/// calls be told?
bool soughtHere() noexcept;

/// Are calls told?
inline bool tells() noexcept {
  State now = state.load(std::memory_order_acquire);
  if (now == State::NotYet) [[unlikely]] {
    load();
    now = state.load(std::memory_order_acquire);
  }
  return now == State::On;
}

/// Are calls told, and looked at? Ask tells() first, so that a program without GRAPHPROF_CHECK is
/// asked nothing more.
inline bool checks() noexcept { return state.load(std::memory_order_acquire) == State::Checking; }
/// Whether the environment asks for that.
bool wantsChecks() noexcept;

/// A context is current on this thread. Tells of each once a thread, in a row.
void contextCurrent(CUctx_st *context) noexcept;

/// Does instrumented code tell libgraphprof itself? Only where its runtime never calls the driver's
/// functions here, as the simulated one.
inline bool instrumentedTells() noexcept {
  State now = state.load(std::memory_order_acquire);
  if (now == State::NotYet && runtimeIsDriver()) {
    load();
    now = state.load(std::memory_order_acquire);
  }
  return now == State::Instrumented;
}

/// Whether a graph was launched. `graphprof run` reports if none was, here or in a child.
extern std::atomic<bool> hasLaunched;
void noteFirstLaunch() noexcept;
inline void noteLaunch() noexcept {
  if (!hasLaunched.load(std::memory_order_relaxed)) [[unlikely]]
    noteFirstLaunch();
}

/// One of graphprof's variables, also if the program has taken it out of its environment since it
/// began. Null if it was never set, and in a setuid program.
const char *variable(const char *name) noexcept;

/// Prints a line on stderr in one write, so that lines of several processes do not mix.
void say(std::initializer_list<const char *> words) noexcept;

/// Are the calls of this process itself told? False in a child that shares its parent's memory
/// (vfork).
bool loadedHere() noexcept;

} // namespace graphprof::preload

#endif // GRAPHPROF_PRELOAD_LIBRARY_H
