// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Handles exits without exit handlers, as in the children of Python's multiprocessing: libgraphprof
// closes its outputs first, within a bound.

#include <cstdlib>

#include <sys/syscall.h>
#include <unistd.h>

#include "preload/ChildLaunchSignal.h"
#include "preload/Library.h"
#include "preload/NextSymbols.h"

#define GRAPHPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace graphprof::preload;

// Reports if a program under `graphprof run` launched no graph.
void sayIfNothing() noexcept {
  if (!soughtHere() || hasLaunched.load(std::memory_order_relaxed) || !isRuns() ||
      childMayHaveLaunched())
    return;
  const State now = state.load(std::memory_order_acquire);
  if ((now == State::On || now == State::Checking) && runtimeIsDriver())
    say({"nothing was recorded: the simulated CUDA runtime is heard only in instrumented programs; "
         "compile with graphprof sim cc"});
  else
    say({"nothing was recorded: the program uses CUDA, but no launch of a CUDA graph was seen in "
         "it or in a child"});
}

__attribute__((destructor)) void atExit() { sayIfNothing(); }

// A function that ends the process. Looked up at load: _exit and _Exit may be called in a signal
// handler and in a child of fork, where another thread of the parent may have held the loader's
// lock.
class Exit {
public:
  constexpr explicit Exit(const char *name) noexcept : name_(name) {}
  [[nodiscard]] bool isLookedUp() const noexcept { return real_; }
  void lookUp() noexcept { real_ = reinterpret_cast<void (*)(int)>(behindOurs(name_)); }

  // Tells libgraphprof, unless this child shares its parent's memory until it runs another program
  // (vfork).
  [[noreturn]] void leave(int status) noexcept {
    if (loadedHere())
      loaded.leaving();
    sayIfNothing();
    if (real_)
      real_(status);
    for (;;) // in a constructor that runs before ours
      syscall(SYS_exit_group, status);
  }

private:
  const char *name_;
  void (*real_)(int) = nullptr;
};

constinit Exit atOnce{"_exit"}, atOnceOfC{"_Exit"}, quick{"quick_exit"};

__attribute__((constructor)) void lookUp() {
  for (Exit *const exit : {&atOnce, &atOnceOfC, &quick})
    exit->lookUp();
}

} // namespace

GRAPHPROF_EXPORT void _exit(int status) { atOnce.leave(status); }
GRAPHPROF_EXPORT void _Exit(int status) noexcept { atOnceOfC.leave(status); }
GRAPHPROF_EXPORT void quick_exit(int status) noexcept {
  if (!quick.isLookedUp())
    quick.lookUp(); // in a constructor that runs before ours
  quick.leave(status);
}
