// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
//     finding WAY [ENDING]    WAY: dlsym, default, proc, proc2, perthread
//     finding both            by cuGetProcAddress in the older and in the newer form, one replay
//     after the other finding nothing         finds the driver, and replays nothing finding nothing
//     child   the same, but a child that is another process of this program replays
//
// ENDING, how and where the graph is replayed: fork, a child that ends by exit; forkexit, one that
// ends by _exit; exec, a program that replaces this one; after, a child of a process that has
// replayed it; _exit, quick_exit; vfork, a child of which leaves by _exit before it is replayed;
// clone, a child that the system call made leaves by exit; clearenv, before all; mainexit, the
// system call exit ends the main thread, the only one; execl and its siblings, this program once
// more by that call; missing, exec of a program that is not there, and a replay; refused, the same
// of one that the system refuses; nolocks, a replay, and another one once fcntl() fails.

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "Driver.h"

namespace {
int statusOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

// As a file system without locks: fcntl() fails from now on.
void refuseLocks() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program = {static_cast<unsigned short>(std::size(steps)), steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
    std::exit(93);
}

// Does not return if `call` is one of them and works.
void replace(const char *call, char *program, char *way) {
  const auto is = [&](const char *name) { return std::strcmp(call, name) == 0; };
  static char self[] = "/proc/self/exe";
  char *const words[] = {program, way, nullptr};
  if (is("execl"))
    execl(self, program, way, nullptr);
  if (is("execle"))
    execle(self, program, way, nullptr, environ);
  if (is("execlp"))
    execlp(self, program, way, nullptr);
  if (is("execv"))
    execv(self, words);
  if (is("execve"))
    execve(self, words, environ);
  const char *const name = std::strrchr(program, '/') + 1;
  const std::string folders =
      "/nowhere::" + std::string(program, static_cast<std::size_t>(name - program));
  if (is("execvp") || is("execvpe"))
    setenv("PATH", folders.c_str(), 1);
  if (is("execvp"))
    execvp(name, words);
  if (is("execvpe"))
    execvpe(name, words, environ);
  if (is("fexecve"))
    fexecve(open(self, O_RDONLY | O_CLOEXEC), words, environ);
  if (is("execveat"))
    execveat(AT_FDCWD, self, words, environ, 0);
}

} // namespace

int main(int argc, char **argv) {
  const char *const way = argv[1];
  const char *const ending = argc > 2 ? argv[2] : "";
  const auto is = [&](const char *word) { return std::strcmp(ending, word) == 0; };
  if (is("clearenv"))
    clearenv();
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
  if (is("clone")) {
    const auto child =
        static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0));
    if (child == 0) {
      alarm(5);
      std::exit(3);
    }
    return statusOf(child) == 3 ? status : 95;
  }
  if (is("nolocks")) {
    refuseLocks();
    return replay(driver);
  }
  if (is("mainexit"))
    syscall(SYS_exit, 5);
  if (is("missing") || is("refused")) {
    execl(is("missing") ? "./missing" : "./refused", "refused", nullptr);
    return replay(driver);
  }
  replace(ending, argv[0], argv[1]);
  if (is("_exit"))
    _exit(status);
  if (is("quick_exit"))
    std::quick_exit(status);
  return status;
}
