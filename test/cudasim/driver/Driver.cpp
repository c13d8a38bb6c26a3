// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The functions that libcuda.so.1 has besides the simulation's: cuGetProcAddress with versions and
// flags, forms for per-thread default streams, and older functions. Tests name their streams, so
// the forms for per-thread default streams need not differ.

#include <cstdlib>
#include <cstring>
#include <string>

#include <cuda.h>
#include <dlfcn.h>

#include "Versions.h"
#include "cudasim/cudasim.h"

#undef cuStreamBeginCapture
#undef cuGraphInstantiate
#undef cuGraphExecUpdate
#undef cuMemAlloc
#undef cuMemFree

using cudasim::driverVersion;
using cudasim::sinceOf;

namespace {

struct Version {
  const char *name;
  int until;
  const char *symbol;
};
constexpr Version older[] = {
    {"cuStreamBeginCapture", 10010, "cuStreamBeginCapture"},
    {"cuGraphInstantiate", 11000, "cuGraphInstantiate"},
    {"cuGraphInstantiate", 99999, "cuGraphInstantiate_v2"},
    {"cuGraphExecUpdate", 12000, "cuGraphExecUpdate"},
    {"cuGetProcAddress", 12000, "cuGetProcAddress"},
};
void *self() {
  static void *const library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW);
  return library;
}

// cuGetProcAddress need not return the addresses of exported symbols.
CUresult launchAlias(CUgraphExec exec, CUstream stream) { return cuGraphLaunch(exec, stream); }
CUresult beginAlias(CUstream stream, CUstreamCaptureMode mode) {
  return cuStreamBeginCapture_v2(stream, mode);
}

void *find(const std::string &name, int version, cuuint64_t flags) {
  if (getenv("CUDASIM_ALIASES") && version >= 10010) {
    if (name == "cuGraphLaunch")
      return reinterpret_cast<void *>(launchAlias);
    if (name == "cuStreamBeginCapture")
      return reinterpret_cast<void *>(beginAlias);
  }
  std::string symbol;
  for (const Version &each : older)
    if (name == each.name && version < each.until && symbol.empty())
      symbol = each.symbol;
  // The newest form that the driver has and that is not newer than what was asked for.
  for (const char *const form : {"_v3", "_v2"})
    if (symbol.empty() && sinceOf(name + form) <= version && dlsym(self(), (name + form).c_str()))
      symbol = name + form;
  if (symbol.empty())
    symbol = name;
  if (flags & 2)
    if (void *const perThread = dlsym(self(), (symbol + "_ptsz").c_str()))
      return perThread;
  return dlsym(self(), symbol.c_str());
}

} // namespace

extern "C" {

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                             int *status) {
  *function = version > driverVersion() ? nullptr : find(name, version, flags);
  if (status)
    *status = *function ? 0 : 1;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode) {
  return cuStreamBeginCapture_v2(stream, mode);
}
CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph *graph) {
  return cuStreamEndCapture(stream, graph);
}
CUresult cuGraphLaunch_ptsz(CUgraphExec exec, CUstream stream) {
  return cuGraphLaunch(exec, stream);
}

CUresult cuStreamBeginCapture(CUstream stream) {
  return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *, char *, size_t) {
  return cuGraphInstantiateWithFlags(exec, graph, 0);
}
// No CUDA has this one. To graphprof it is what a newer driver may bring: a function that changes
// an exec, here what one of its nodes copies, under a name that no list has.
CUresult cuGraphExecRenew(CUgraphExec exec, CUgraphNode node, const void *source) {
  CUDA_MEMCPY3D copy;
  if (const CUresult read = cuGraphMemcpyNodeGetParams(node, &copy); read != CUDA_SUCCESS)
    return read;
  copy.srcHost = source;
  return cuGraphExecMemcpyNodeSetParams(exec, node, &copy, nullptr);
}
// cudasim::hold, for programs that know the driver alone.
void cuSimHold(const char *kernel) { cudasim::hold(kernel); }
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *, char *, size_t) {
  return cuGraphInstantiateWithFlags(exec, graph, 0);
}
}
