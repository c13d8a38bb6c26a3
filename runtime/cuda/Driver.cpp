// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "cuda/Driver.h"

#include <atomic>

#include <dlfcn.h>

namespace graphprof::driver {
namespace {

// Needs no memory, because the program's first call may come when there is none.
struct Loaded {
  Functions table{};
  bool library = true;           // was it found?
  const char *missing = nullptr; // a function that it lacks
};

using Reason = const char *(*)() noexcept;
std::atomic<Reason> asksWhether{nullptr};    // whether the driver is to be left alone
std::atomic<const char *> unwanted{nullptr}; // the reason, if it is
std::atomic<bool> asked{false};

// If the driver's entry points are interposed (runtime/preload), the symbols that are found are not
// the driver's. The preload library returns the real ones.
using Find = void *(*)(const char *);
Find behindInterposed() noexcept {
  return reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "graphprof_preload_real"));
}

Loaded load() noexcept {
  Loaded loaded;
  if (const Reason reason = asksWhether.load())
    unwanted.store(reason());
  if (unwanted.load()) {
    loaded.library = false;
    return loaded;
  }
  const Find behind = behindInterposed();
  // Searches the loaded libraries first, for the driver that the program itself uses, or a
  // simulated one.
  void *library = nullptr;
  if (behind) {
    loaded.library = behind("cuGraphLaunch") != nullptr;
    if (!loaded.library)
      return loaded;
  } else if (!dlsym(RTLD_DEFAULT, "cuGraphLaunch")) {
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      loaded.library = false;
      return loaded;
    }
  }
#define GRAPHPROF_NEWER_DRIVER_RESOLVE(version, member, symbol, parameters)                        \
  loaded.table.member = reinterpret_cast<decltype(loaded.table.member)>(                           \
      behind ? behind(#symbol) : dlsym(library ? library : RTLD_DEFAULT, #symbol));
#define GRAPHPROF_DRIVER_RESOLVE(member, symbol, parameters)                                       \
  GRAPHPROF_NEWER_DRIVER_RESOLVE(0, member, symbol, parameters)                                    \
  if (!loaded.table.member)                                                                        \
    loaded.missing = #symbol;
  GRAPHPROF_DRIVER_FUNCTIONS(GRAPHPROF_DRIVER_RESOLVE)
  GRAPHPROF_NEWER_DRIVER_FUNCTIONS(GRAPHPROF_NEWER_DRIVER_RESOLVE)
#undef GRAPHPROF_DRIVER_RESOLVE
#undef GRAPHPROF_NEWER_DRIVER_RESOLVE
  return loaded;
}

const Loaded &loaded() noexcept {
  static const Loaded instance = load(); // has no destructor: used until the process ends
  return instance;
}

} // namespace

// Noted before any lock is taken, so that a child that is forked meanwhile does not wait for it.
const Functions *functions() noexcept {
  if (!asked.load(std::memory_order_relaxed))
    asked.store(true);
  const Loaded &found = loaded();
  return found.library && !found.missing ? &found.table : nullptr;
}

bool wasAsked() noexcept { return asked.load(); }

void leaveAloneIf(Reason reason) noexcept { asksWhether.store(reason); }

std::string whyNot() {
  const Loaded &found = loaded();
  if (const char *const why = unwanted.load(); why && !found.library)
    return why;
  if (!found.library)
    return "no CUDA driver on this machine (libcuda.so.1)";
  if (!found.missing)
    return {};
  return std::string("the CUDA driver lacks ") + found.missing +
         " (graphprof needs CUDA 12.3 or later)";
}

} // namespace graphprof::driver
