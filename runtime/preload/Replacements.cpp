// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Handles programs that replace themselves by another (exec): what is recorded ends with the old
// one, so libgraphprof closes its outputs first, as for _exit. Safe in children of fork and vfork:
// there nothing is closed, looked up or allocated.

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/Library.h"
#include "preload/NextSymbols.h"

#define GRAPHPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace graphprof::preload;

using Words = char *const *;

constinit std::atomic<int (*)(const char *, Words, Words)> realExecve{nullptr};
constinit std::atomic<int (*)(const char *, Words, Words)> realExecvpe{nullptr};
constinit std::atomic<int (*)(int, Words, Words)> realFexecve{nullptr};

template <class Function> void lookUp(std::atomic<Function *> &real, const char *name) noexcept {
  real.store(reinterpret_cast<Function *>(behindOurs(name)), std::memory_order_relaxed);
}

// At load, because a child of fork may call all of them.
__attribute__((constructor)) void lookUpAll() {
  lookUp(realExecve, "execve");
  lookUp(realExecvpe, "execvpe");
  lookUp(realFexecve, "fexecve");
}

// Will the system try to run it? A program that looks for another one tries several, and goes on.
bool mayRun(int folder, const char *path, int flags) noexcept {
  struct stat file{};
  return path && fstatat(folder, path, &file, flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)) == 0 &&
         S_ISREG(file.st_mode) && (file.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0 &&
         (*path == '\0' || faccessat(folder, path, X_OK, AT_EACCESS) == 0);
}

// As the C library looks for it.
bool mayRunByName(const char *name) noexcept {
  if (!name || strchr(name, '/'))
    return mayRun(AT_FDCWD, name, 0);
  const char *folders = getenv("PATH");
  if (!folders)
    folders = "/bin:/usr/bin";
  char path[PATH_MAX];
  const std::size_t length = strlen(name);
  for (;;) {
    const char *const end = strchrnul(folders, ':');
    const auto folder = static_cast<std::size_t>(end - folders);
    if (folder < sizeof path - 1 && length < sizeof path - 1 - folder) {
      memcpy(path, folders, folder);
      path[folder] = '/';
      memcpy(path + folder + 1, name, length + 1);
      if (mayRun(AT_FDCWD, folder ? path : name, 0))
        return true;
    }
    if (!*end)
      return false;
    folders = end + 1;
  }
}

// Ends what is recorded of this program, unless this child shares its parent's memory (vfork).
bool leaveIf(bool (*isProgram)(int, const char *, int), int folder, const char *path,
             int flags) noexcept {
  if (!loadedHere())
    return false;
  const int error = errno;
  const bool left = isProgram(folder, path, flags) && loaded.leaving() != 0;
  errno = error;
  return left;
}

// The program goes on.
int failed(bool left) noexcept {
  const int error = errno;
  if (left)
    say({"nothing more is recorded: the outputs were closed for an exec, which failed"});
  errno = error;
  return -1;
}

int replace(const char *path, Words arguments, Words environment) noexcept {
  const bool left = leaveIf(mayRun, AT_FDCWD, path, 0);
  if (const auto real = realExecve.load(std::memory_order_relaxed))
    real(path, arguments, environment);
  else // in a constructor that runs before ours
    syscall(SYS_execve, path, arguments, environment);
  return failed(left);
}

int replaceByName(const char *name, Words arguments, Words environment) noexcept {
  const bool left =
      leaveIf([](int, const char *sought, int) { return mayRunByName(sought); }, 0, name, 0);
  if (!realExecvpe.load(std::memory_order_relaxed))
    lookUp(realExecvpe, "execvpe"); // likewise
  if (const auto real = realExecvpe.load(std::memory_order_relaxed))
    real(name, arguments, environment);
  return failed(left);
}

// Calls `use` with the words from `first` on, up to a null pointer. On the stack, as in the C
// library: nothing may be allocated here.
template <class Use> int withWords(const char *first, std::va_list &rest, Use use) noexcept {
  std::size_t count = 1;
  std::va_list counted;
  va_copy(counted, rest);
  for (const char *word = first; word; word = va_arg(counted, const char *))
    ++count;
  va_end(counted);
  auto *const words = static_cast<char **>(__builtin_alloca(count * sizeof(char *)));
  words[0] = const_cast<char *>(first);
  for (std::size_t i = 1; i < count; ++i)
    words[i] = va_arg(rest, char *);
  return use(words);
}

} // namespace

GRAPHPROF_EXPORT int execve(const char *path, Words arguments, Words environment) noexcept {
  return replace(path, arguments, environment);
}
GRAPHPROF_EXPORT int execv(const char *path, Words arguments) noexcept {
  return replace(path, arguments, environ);
}
GRAPHPROF_EXPORT int execvp(const char *name, Words arguments) noexcept {
  return replaceByName(name, arguments, environ);
}
GRAPHPROF_EXPORT int execvpe(const char *name, Words arguments, Words environment) noexcept {
  return replaceByName(name, arguments, environment);
}
GRAPHPROF_EXPORT int execl(const char *path, const char *first, ...) noexcept {
  std::va_list rest;
  va_start(rest, first);
  const int result = withWords(first, rest, [&](Words words) { return execv(path, words); });
  va_end(rest);
  return result;
}
GRAPHPROF_EXPORT int execlp(const char *name, const char *first, ...) noexcept {
  std::va_list rest;
  va_start(rest, first);
  const int result = withWords(first, rest, [&](Words words) { return execvp(name, words); });
  va_end(rest);
  return result;
}
GRAPHPROF_EXPORT int execle(const char *path, const char *first, ...) noexcept {
  std::va_list rest;
  va_start(rest, first);
  const int result =
      withWords(first, rest, [&](Words words) { return execve(path, words, va_arg(rest, Words)); });
  va_end(rest);
  return result;
}
GRAPHPROF_EXPORT int fexecve(int file, Words arguments, Words environment) noexcept {
  const bool left = leaveIf(mayRun, file, "", AT_EMPTY_PATH);
  if (const auto real = realFexecve.load(std::memory_order_relaxed))
    real(file, arguments, environment);
  else
    syscall(SYS_execveat, file, "", arguments, environment, AT_EMPTY_PATH);
  return failed(left);
}
// Newer than the oldest C library that this runs with.
GRAPHPROF_EXPORT int execveat(int folder, const char *path, Words arguments, Words environment,
                              int flags) noexcept {
  const bool left = leaveIf(mayRun, folder, path, flags);
  syscall(SYS_execveat, folder, path, arguments, environment, flags);
  return failed(left);
}
