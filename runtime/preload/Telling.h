// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Whether this process's calls are told to libgraphprof, and with what. The library is loaded when
// the process begins to use CUDA (cuInit), not before: the environment gives this library to every
// shell and compiler, too. A process that has only looked for the driver, as importing PyTorch
// does, has nothing of graphprof's yet that a forked child would inherit.

#ifndef GRAPHPROF_PRELOAD_TELLING_H
#define GRAPHPROF_PRELOAD_TELLING_H

#include <atomic>
#include <initializer_list>

#include "graphprof/control.h"
#include "graphprof/detail/seam.h"

namespace graphprof::preload {

/// Functions of libgraphprof.so; complete once state is On.
struct Told {
#define GRAPHPROF_TOLD(name, result, parameters, arguments, idle)                                  \
  decltype(&::graphprof_seam_##name) name;
#include "preload/seam.def"
  /// graphprof::active()
  const std::atomic<bool> *active;
  /// The process uses CUDA from now on.
  void (*cudaBegan)();
  /// The program is about to destroy a stream.
  void (*streamDestroying)(CUstream_st *stream);
  /// The process ends without exit().
  void (*leaving)();
};
extern Told told;

enum class State : int {
  NotYet,
  Loading, ///< by one thread; the calls of others are not told
  On,
  Off, ///< for good: the program runs as if nothing were there, which was said
};
extern std::atomic<State> state;

/// NotYet becomes On or Off.
void load() noexcept;

/// The process looks for the driver. False: its calls are not told, whatever it does.
bool driverSought() noexcept;
/// The process has initialised the driver.
void cudaBegan() noexcept;
/// Has this very process looked for the driver, not one that this one was forked from, and are its
/// calls not left alone?
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

/// Whether a graph was launched: `graphprof run` says where none was, here or in a child.
extern std::atomic<bool> hasLaunched;
void noteFirstLaunch() noexcept;
inline void noteLaunch() noexcept {
  if (!hasLaunched.load(std::memory_order_relaxed)) [[unlikely]]
    noteFirstLaunch();
}

/// A line on stderr, in one write, so that lines of several processes do not mix.
void say(std::initializer_list<const char *> words) noexcept;

/// Are this very process's calls told? Not so in one that shares its parent's memory (vfork).
bool loadedHere() noexcept;

} // namespace graphprof::preload

#endif // GRAPHPROF_PRELOAD_TELLING_H
