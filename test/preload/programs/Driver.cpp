// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

namespace {

using GetProcAddress = CUresult (*)(const char *, void **, int, cuuint64_t);
using GetProcAddress2 = CUresult (*)(const char *, void **, int, cuuint64_t, int *);

[[noreturn]] void lacks(const char *name) {
  std::printf("no %s\n", name);
  std::exit(99);
}

void *driver() {
  void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    lacks("libcuda.so.1");
  return library;
}

void *byName(void *library, const char *symbol) {
  void *const found = dlsym(library, symbol);
  if (!found)
    lacks(symbol);
  return found;
}

} // namespace

Driver findDriver(const char *way) {
  Driver driver{};
#define MEMBER(name) driver.name
  if (std::strcmp(way, "dlsym") == 0 || std::strcmp(way, "default") == 0) {
    // `default` loads the driver with RTLD_GLOBAL, then looks in all loaded libraries.
    void *library = ::driver();
    if (std::strcmp(way, "default") == 0) {
      dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
      library = RTLD_DEFAULT;
    }
#define FIND(name, version, symbol)                                                                \
  MEMBER(name) = reinterpret_cast<decltype(MEMBER(name))>(byName(library, #symbol));
    FUNCTIONS(FIND)
#undef FIND
    return driver;
  }
  // As the CUDA runtime does: finds the second form by its symbol, then each function by name and
  // version.
  const auto ask2 = reinterpret_cast<GetProcAddress2>(byName(::driver(), "cuGetProcAddress_v2"));
  const auto ask = reinterpret_cast<GetProcAddress>(byName(::driver(), "cuGetProcAddress"));
  const bool older = std::strcmp(way, "proc") == 0;
  const cuuint64_t flags = std::strcmp(way, "perthread") == 0 ? 2 : 0;
  GetProcAddress2 again = nullptr; // cuGetProcAddress also returns itself
  if (ask2("cuGetProcAddress", reinterpret_cast<void **>(&again), 12000, flags, nullptr) !=
      CUDA_SUCCESS)
    lacks("cuGetProcAddress");
#define FIND(name, version, symbol)                                                                \
  {                                                                                                \
    void *found = nullptr;                                                                         \
    int status = 0;                                                                                \
    const CUresult result = older ? ask("cu" #name, &found, version, flags)                        \
                                  : again("cu" #name, &found, version, flags, &status);            \
    if (result != CUDA_SUCCESS || !found)                                                          \
      lacks("cu" #name);                                                                           \
    MEMBER(name) = reinterpret_cast<decltype(MEMBER(name))>(found);                                \
  }
  FUNCTIONS(FIND)
#undef FIND
  return driver;
}
