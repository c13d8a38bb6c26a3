// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// libgraphprof_preload.so calls this when the process begins to use CUDA, when a context becomes
// current, when it launches a kernel or a copy, at every call if GRAPHPROF_CHECK asks for it, and
// when it leaves without exit(): by _exit() and similar.

#include "calls/CaptureCheck.h"
#include "calls/GraphCheck.h"
#include "calls/Guarded.h"
#include "calls/HostFunctionCheck.h"
#include "cuda/Driver.h"
#include "graph/registry/Recaptures.h"
#include "process/Lifetime.h"
#include "process/Process.h"

namespace {
// The same bound as for signals (Signals.cpp): others may be waiting for the process to end.
constexpr std::chrono::milliseconds most{2000};
} // namespace

// A child that is forked from now on has no CUDA (Lifetime.cpp).
extern "C" __attribute__((visibility("default"))) void graphprof_preload_cuda_began() {
  graphprof::Recaptures::mayCome();
  if (graphprof::driver::functions())
    graphprof::cudaBegins();
}

extern "C" __attribute__((visibility("default"))) void graphprof_preload_context_current() {
  graphprof::internal::prepareContext();
}

extern "C" __attribute__((visibility("default"))) void graphprof_preload_adding(CUstream_st *stream,
                                                                                CUfunc_st *kernel) {
  graphprof::internal::contextSeen(); // no call makes the primary context current
  graphprof::internal::joinsWith(stream);
  graphprof::internal::checkAdding(stream, kernel);
}

extern "C" __attribute__((visibility("default"))) void
graphprof_preload_check_call(const char *symbol) {
  graphprof::internal::ifTracking([&] { graphprof::internal::checkHostFunction(symbol); });
}

extern "C" __attribute__((visibility("default"))) void
graphprof_preload_check_refused(const char *symbol, int result) {
  graphprof::internal::checkRefused(symbol, graphprof::driver::Result{result});
}

extern "C" __attribute__((visibility("default"))) void
graphprof_preload_check_launch(CUgraphExec_st *exec) {
  graphprof::internal::checkLaunch(exec);
}

extern "C" __attribute__((visibility("default"))) void
graphprof_preload_check_changed(CUgraphExec_st *exec) {
  graphprof::internal::checkChanged(exec);
}

extern "C" __attribute__((visibility("default"))) void
graphprof_preload_check_host_function(void (*function)(void *)) {
  graphprof::internal::ifTracking(
      [&] { graphprof::internal::noteHostFunction(reinterpret_cast<const void *>(function)); });
}

extern "C" __attribute__((visibility("default"))) int graphprof_preload_leaving() {
  return graphprof::leaveWithin(most) ? 1 : 0;
}
