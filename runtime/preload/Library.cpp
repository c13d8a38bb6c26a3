// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "preload/Library.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "output/io/StandardStream.h"
#include "preload/ChildLaunchSignal.h"
#include "preload/NextSymbols.h"

namespace graphprof::preload {

constinit LibraryCalls loaded{};
constinit std::atomic<State> state{State::NotYet};
constinit std::atomic<bool> hasLaunched{false};

void say(std::initializer_list<const char *> words) noexcept {
  char line[2048] = "graphprof: ";
  std::size_t length = strlen(line);
  const auto append = [&](const char *text) {
    const std::size_t size = std::min(strlen(text), sizeof line - 1 - length);
    std::copy_n(text, size, line + length);
    length += size;
  };
  for (const char *const word : words)
    append(word);
  line[length++] = '\n';
  static_cast<void>(writeStandard(STDERR_FILENO, {line, length}));
}

namespace {

// libgraphprof's. loaded.launch also notes the launch, for the message at the end.
constinit decltype(loaded.launch) launchOfLibrary = nullptr;
enum graphprof_seam_launch launchNoted(CUgraphExec_st *exec, CUstream_st *stream) {
  noteLaunch();
  return launchOfLibrary(exec, stream);
}

// The same with GRAPHPROF_CHECK, so that other programs' launches ask nothing more.
enum graphprof_seam_launch launchChecked(CUgraphExec_st *exec, CUstream_st *stream) {
  loaded.checkLaunch(exec);
  return launchNoted(exec, stream);
}
constinit decltype(loaded.twin) twinOfLibrary = nullptr;
int twinChecked(CUgraphExec_st *exec, CUgraphNode_st *node, CUgraphExec_st **otherExec,
                CUgraphNode_st **otherNode) noexcept {
  loaded.checkChanged(exec);
  return twinOfLibrary(exec, node, otherExec, otherNode);
}

constinit std::atomic<pid_t> soughtIn{0}, loadedIn{0};
constinit std::atomic<int> brings{0};

void become(State after) noexcept { state.store(after, std::memory_order_release); }

// The libgraphprof that an instrumented program is linked with; null: there is none.
void *linkedLibgraphprof() noexcept {
  return dlopen(GRAPHPROF_SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
}

// The one beside this library.
void *ownLibgraphprof(const char *&why) noexcept {
  Dl_info here{};
  static const char anchor = 0;
  char path[PATH_MAX] = GRAPHPROF_SONAME;
  if (dladdr(&anchor, &here) && here.dli_fname)
    if (const char *const slash = strrchr(here.dli_fname, '/'))
      snprintf(path, sizeof path, "%.*s/" GRAPHPROF_SONAME,
               static_cast<int>(slash - here.dli_fname), here.dli_fname);
  brings.store(1);
  void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  brings.store(0);
  if (!library)
    why = dlerror();
  return library;
}

bool fill(void *library, const char *&missing) noexcept {
  const Dlsym find = realDlsym();
#define GRAPHPROF_SEAM(name, result, parameters, arguments, idle)                                  \
  loaded.name =                                                                                    \
      reinterpret_cast<decltype(loaded.name)>(find(library, missing = "graphprof_seam_" #name));   \
  if (!loaded.name)                                                                                \
    return false;
#include "graphprof/detail/seam.def"
  launchOfLibrary = loaded.launch;
  loaded.launch = wantsChecks() ? launchChecked : launchNoted;
  if (wantsChecks()) {
    twinOfLibrary = loaded.twin;
    loaded.twin = twinChecked;
  }
  loaded.timedCopy = reinterpret_cast<decltype(loaded.timedCopy)>(
      find(library,
           missing = "_ZN9graphprof2v16detail9timedCopyERK19graphprof_seam_copyP11CUstream_st"));
  if (!loaded.timedCopy)
    return false;
  loaded.active = static_cast<const std::atomic<bool> *>(
      find(library, missing = "_ZN9graphprof2v16detail10activeFlagE"));
  if (!loaded.active)
    return false;
  const auto own = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        find(library, missing = name));
    return function != nullptr;
  };
  return own(loaded.cudaBegan, "graphprof_preload_cuda_began") &&
         own(loaded.contextCurrent, "graphprof_preload_context_current") &&
         own(loaded.adding, "graphprof_preload_adding") &&
         own(loaded.checkCall, "graphprof_preload_check_call") &&
         own(loaded.checkRefused, "graphprof_preload_check_refused") &&
         own(loaded.checkLaunch, "graphprof_preload_check_launch") &&
         own(loaded.checkChanged, "graphprof_preload_check_changed") &&
         own(loaded.checkHostFunction, "graphprof_preload_check_host_function") &&
         own(loaded.leaving, "graphprof_preload_leaving");
}

bool isEnabled() noexcept {
  if (getauxval(AT_SECURE) != 0)
    return false;
  const char *const enabled = variable("GRAPHPROF_ENABLED");
  return !enabled || strcmp(enabled, "0") != 0;
}

bool isLoaded() noexcept {
  const State now = state.load(std::memory_order_acquire);
  return now == State::On || now == State::Checking || now == State::Instrumented;
}

// libgraphprof decides itself whether it continues in the child. A thread that was loading it does
// not exist there.
void inChild() noexcept {
  if (state.load() == State::Loading)
    become(State::Off);
  if (isLoaded())
    loadedIn.store(getpid(), std::memory_order_relaxed);
}

} // namespace

void load() noexcept {
  State before = State::NotYet;
  if (!state.compare_exchange_strong(before, State::Loading, std::memory_order_acq_rel))
    return;
  if (!isEnabled())
    return become(State::Off);
  static_cast<void>(driverSought()); // for a program that is linked with the driver
  pthread_atfork(nullptr, nullptr, inChild);
  if (!realDlsym()) {
    say({"CUDA graphs are not timed: no dlsym was found in this C library; graphprof run needs "
         "glibc"});
    return become(State::Off);
  }
  const char *why = "";
  void *const linked = linkedLibgraphprof();
  void *const library = linked ? linked : ownLibgraphprof(why);
  if (!library) {
    say({"CUDA graphs are not timed: ", why});
    return become(State::Off);
  }
  if (!fill(library, why)) {
    say({"CUDA graphs are not timed: " GRAPHPROF_SONAME " lacks ", why,
         ": it and libgraphprof_preload.so are of different releases; install both together"});
    return become(State::Off);
  }
  loadedIn.store(getpid(), std::memory_order_relaxed);
  become(linked && runtimeIsDriver() ? State::Instrumented
         : wantsChecks()             ? State::Checking
                                     : State::On);
}

bool wantsChecks() noexcept {
  const char *const wanted = variable("GRAPHPROF_CHECK");
  return wanted && strcmp(wanted, "1") == 0;
}

bool driverSought() noexcept {
  if (const pid_t process = getpid();
      soughtIn.exchange(process, std::memory_order_relaxed) != process) {
    State before = State::NotYet;
    if (!isEnabled())
      state.compare_exchange_strong(before, State::Off, std::memory_order_acq_rel);
    else if (isRuns())
      listen();
  }
  return state.load(std::memory_order_acquire) != State::Off;
}

void cudaBegan() noexcept {
  if (tells())
    loaded.cudaBegan();
}

void contextCurrent(CUctx_st *context) noexcept {
  // Without a call of the dynamic linker, which this library is not linked with.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local CUctx_st *last = nullptr;
  if (!context || context == last)
    return;
  last = context;
  loaded.contextCurrent();
}

bool soughtHere() noexcept {
  return state.load(std::memory_order_acquire) != State::Off &&
         soughtIn.load(std::memory_order_relaxed) == getpid();
}

void noteFirstLaunch() noexcept {
  if (!hasLaunched.exchange(true, std::memory_order_relaxed))
    signalLaunch();
}

bool loadedHere() noexcept {
  return isLoaded() && loadedIn.load(std::memory_order_relaxed) == getpid();
}

} // namespace graphprof::preload

// libgraphprof asks this while it is loaded (OwnMemory.cpp).
extern "C" __attribute__((visibility("default"))) int graphprof_preload_brings() {
  return graphprof::preload::brings.load();
}
