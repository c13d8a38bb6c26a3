// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Notes when and where the process begins, for libgraphprof, which is loaded at the first CUDA
// call: the program may have changed its working directory by then, and its children may have
// ended.

#include <cerrno>
#include <climits>
#include <ctime>

#include <unistd.h>

namespace {

struct {
  int process;
  long long beganNs;
  char folder[PATH_MAX];
} constinit beginning{};

// Other libraries' constructors may run before; none of them can load libgraphprof without CUDA.
__attribute__((constructor)) void note() {
  const int error = errno;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  beginning.process = getpid();
  beginning.beganNs = now.tv_sec * 1'000'000'000LL + now.tv_nsec;
  if (!getcwd(beginning.folder, sizeof beginning.folder))
    beginning.folder[0] = 0;
  errno = error;
}

} // namespace

// libgraphprof asks for the process that noted it (a forked child inherits it), when it began
// (since the Unix epoch; 0: not yet) and its working directory (empty: unknown).
extern "C" __attribute__((visibility("default"))) long long
graphprof_preload_began(int *process, const char **folder) {
  *process = beginning.process;
  *folder = beginning.folder;
  return beginning.beganNs;
}
