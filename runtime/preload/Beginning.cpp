// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Notes when, where and with which options the process begins, for libgraphprof, which is loaded at
// the first CUDA call: the program may have changed its working directory and its environment by
// then, and its children may have ended.

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <sys/auxv.h>
#include <unistd.h>

#include "preload/Library.h"

namespace {

struct {
  int process;
  long long beganNs;
  char folder[PATH_MAX];
} constinit beginning{};

// Texts NAME=VALUE, one behind the other. What is longer is read from the environment alone.
constexpr char prefix[] = "GRAPHPROF_";
constinit char variables[16 * 1024]{};

void noteVariables() noexcept {
  std::size_t used = 0;
  for (char **variable = environ; variable && *variable; ++variable) {
    const std::size_t size = strlen(*variable) + 1;
    if (strncmp(*variable, prefix, sizeof prefix - 1) != 0 || size >= sizeof variables - used)
      continue;
    memcpy(variables + used, *variable, size);
    used += size;
  }
}

// Other libraries' constructors may run before; none of them can load libgraphprof without CUDA.
__attribute__((constructor)) void note() {
  const int error = errno;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  beginning.process = getpid();
  beginning.beganNs = now.tv_sec * 1'000'000'000LL + now.tv_nsec;
  if (!getcwd(beginning.folder, sizeof beginning.folder))
    beginning.folder[0] = 0;
  noteVariables();
  errno = error;
}

} // namespace

// What the program sets later counts, what it takes away does not: options are those of its begin.
const char *graphprof::preload::variable(const char *name) noexcept {
  if (getauxval(AT_SECURE) != 0)
    return nullptr;
  if (const char *const now = getenv(name))
    return now;
  const std::size_t length = strlen(name);
  for (const char *at = variables; *at; at += strlen(at) + 1)
    if (strncmp(at, name, length) == 0 && at[length] == '=')
      return at + length + 1;
  return nullptr;
}

// For libgraphprof.
extern "C" __attribute__((visibility("default"))) const char *
graphprof_preload_variable(const char *name) {
  return graphprof::preload::variable(name);
}

// libgraphprof asks for the process that noted it (a forked child inherits it), when it began
// (since the Unix epoch; 0: not yet) and its working directory (empty: unknown).
extern "C" __attribute__((visibility("default"))) long long
graphprof_preload_began(int *process, const char **folder) {
  *process = beginning.process;
  *folder = beginning.folder;
  return beginning.beganNs;
}
