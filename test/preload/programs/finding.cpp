// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
//     finding WAY [ENDING]    WAY: dlsym, default, proc, proc2, perthread
//     finding both            by cuGetProcAddress in the older and in the newer form, one replay
//     after the other finding nothing         finds the driver, and replays nothing finding nothing
//     child   the same, but a child that is another process of this program replays
//
// ENDING, how and where the graph is replayed: fork, a child that ends by exit; forkexit, one that
// ends by _exit; exec, a program that replaces this one; after, a child of a process that has
// replayed it; _exit, quick_exit; vfork, a child of which leaves by _exit before it is replayed.

#include <cstdlib>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

#include "Driver.h"

namespace {
int statusOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}
} // namespace

int main(int argc, char **argv) {
  const char *const way = argv[1];
  const char *const ending = argc > 2 ? argv[2] : "";
  const auto is = [&](const char *word) { return std::strcmp(ending, word) == 0; };
  if (is("exec")) {
    execl("/proc/self/exe", argv[0], way, nullptr);
    return 96;
  }
  if (is("fork") || is("forkexit")) {
    const pid_t child = fork();
    if (child != 0)
      return statusOf(child);
    const int status = replay(findDriver(way));
    if (is("forkexit"))
      _exit(status);
    return status;
  }
  if (std::strcmp(way, "nothing") == 0) {
    const int status = findDriver("proc2").Init(0) == CUDA_SUCCESS ? 6 : 94;
    if (!is("child"))
      return status;
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", argv[0], "proc2", nullptr);
      _exit(96);
    }
    return statusOf(child) == 7 ? status : 95;
  }
  if (std::strcmp(way, "both") == 0) {
    const int status = replay(findDriver("proc"));
    return status == 7 ? replay(findDriver("perthread")) : status;
  }
  const Driver driver = findDriver(way);
  const int status = replay(driver);
  if (is("after")) {
    const pid_t child = fork();
    if (child == 0)
      _exit(3);
    return statusOf(child) == 3 ? status : 95;
  }
  if (is("vfork")) {
    // What is tried.
    // NOLINTNEXTLINE(bugprone-unsafe-functions,clang-analyzer-security.insecureAPI.vfork)
    const pid_t child = vfork();
    if (child == 0)
      _exit(3);
    return statusOf(child) == 3 ? replay(driver) : 95;
  }
  if (is("_exit"))
    _exit(status);
  if (is("quick_exit"))
    std::quick_exit(status);
  return status;
}
