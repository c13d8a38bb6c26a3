// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "cuda/Driver.h"

#include <dlfcn.h>

namespace graphprof::driver {
namespace {

struct Loaded {
  Functions table;
  bool complete = false;
  std::string why;
};

Loaded load() {
  Loaded loaded;
  // What the process has loaded comes first: the driver that the program itself uses, or a
  // simulated one.
  void *library = nullptr;
  if (!dlsym(RTLD_DEFAULT, "cuGraphLaunch")) {
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      loaded.why = "no CUDA driver on this machine (libcuda.so.1): only host times are taken";
      return loaded;
    }
  }
  const char *missing = nullptr;
#define GRAPHPROF_DRIVER_RESOLVE(member, symbol, parameters)                                       \
  loaded.table.member = reinterpret_cast<decltype(loaded.table.member)>(                           \
      dlsym(library ? library : RTLD_DEFAULT, #symbol));                                           \
  if (!loaded.table.member)                                                                        \
    missing = #symbol;
  GRAPHPROF_DRIVER_FUNCTIONS(GRAPHPROF_DRIVER_RESOLVE)
#undef GRAPHPROF_DRIVER_RESOLVE
  loaded.complete = missing == nullptr;
  if (missing)
    loaded.why = std::string("the CUDA driver lacks ") + missing +
                 " (graphprof needs CUDA 12.3 or later): only host times are taken";
  return loaded;
}

const Loaded &loaded() noexcept {
  static const Loaded *const instance = new Loaded(load()); // leaked: used until the very end
  return *instance;
}

} // namespace

const Functions *functions() noexcept { return loaded().complete ? &loaded().table : nullptr; }

const std::string &whyNot() noexcept { return loaded().why; }

} // namespace graphprof::driver
