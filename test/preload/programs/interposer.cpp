// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A library of somebody else that stands in front of the driver, too: it overrides dlsym and
// cuGetProcAddress, returns functions of its own for some names, counts their calls and passes them
// on, as those that limit what a program may use of a GPU do. It says what it counted at the end.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <cuda.h>
#include <dlfcn.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Dlsym = void *(*)(void *, const char *);

// The one behind this library. By its version, because a call of dlsym would be one of ours.
Dlsym dlsymBehind() {
  static const auto found = [] {
    for (const char *version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"})
      if (void *const symbol = dlvsym(RTLD_NEXT, "dlsym", version))
        return reinterpret_cast<Dlsym>(symbol);
    std::abort();
  }();
  return found;
}

void *drivers(const char *symbol) {
  void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsymBehind()(library, symbol) : nullptr;
}

// The program's stream. graphprof launches trials of its own in others.
CUstream captured;
// graphprof loads its own.
const bool countsLoads = std::getenv("COUNT_LOADS") != nullptr;

} // namespace

// (name, symbol, parameters, arguments, counts)
#define FUNCTIONS(X)                                                                               \
  X(cuGraphLaunch, cuGraphLaunch, (CUgraphExec exec, CUstream stream), (exec, stream),             \
    stream == captured)                                                                            \
  X(cuStreamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph * graph), (stream, graph),   \
    (captured = stream) != nullptr)                                                                \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                       \
    (CUdeviceptr target, const void *source, size_t bytes, CUstream stream),                       \
    (target, source, bytes, stream), true)                                                         \
  X(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr * memory, size_t bytes), (memory, bytes), true)        \
  X(cuLibraryGetKernel, cuLibraryGetKernel,                                                        \
    (CUkernel * kernel, CUlibrary library, const char *name), (kernel, library, name),             \
    countsLoads)

#define FUNCTION(name, symbol, parameters, arguments, counts)                                      \
  namespace counted {                                                                              \
  int symbol;                                                                                      \
  }                                                                                                \
  EXPORT CUresult symbol parameters {                                                              \
    static const auto driver = reinterpret_cast<CUresult(*) parameters>(drivers(#symbol));         \
    counted::symbol += (counts) ? 1 : 0;                                                           \
    return driver arguments;                                                                       \
  }
#undef cuMemcpyHtoDAsync
#undef cuMemAlloc
FUNCTIONS(FUNCTION)
#undef FUNCTION

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int version,
                                    cuuint64_t flags, int *status) {
  using Function = CUresult (*)(const char *, void **, int, cuuint64_t, int *);
  static const auto driver = reinterpret_cast<Function>(drivers("cuGetProcAddress_v2"));
  const CUresult result = driver(name, function, version, flags, status);
#define OWN(own, symbol, parameters, arguments, counts)                                            \
  if (result == CUDA_SUCCESS && std::strcmp(name, #own) == 0)                                      \
    *function = reinterpret_cast<void *>(&symbol);
  FUNCTIONS(OWN)
#undef OWN
  if (result == CUDA_SUCCESS && std::strcmp(name, "cuGetProcAddress") == 0)
    *function = reinterpret_cast<void *>(&cuGetProcAddress_v2);
  return result;
}

EXPORT void *dlsym(void *handle, const char *name) noexcept {
#define OWN(own, symbol, parameters, arguments, counts)                                            \
  if (std::strcmp(name, #symbol) == 0)                                                             \
    return reinterpret_cast<void *>(&symbol);
  if (handle != RTLD_NEXT) {
    FUNCTIONS(OWN)
    if (std::strcmp(name, "cuGetProcAddress_v2") == 0)
      return reinterpret_cast<void *>(&cuGetProcAddress_v2);
  }
#undef OWN
  return dlsymBehind()(handle, name);
}

namespace {
const struct Teller {
  ~Teller() {
#define TELL(name, symbol, parameters, arguments, counts)                                          \
  std::fprintf(stderr, "counted %s %d\n", #name, counted::symbol);
    FUNCTIONS(TELL)
#undef TELL
  }
} teller;
} // namespace
