// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is newer than glibc 2.28, in terms of what that has. Hidden: the program keeps its own.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

// glibc's struct stat is the kernel's on these processors, and stat64 is the same.
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one system call fills both");

HIDDEN int fstatat(int folder, const char *path, struct stat *result, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, result, flags);
}
HIDDEN int stat(const char *path, struct stat *result) {
  return fstatat(AT_FDCWD, path, result, 0);
}
HIDDEN int lstat(const char *path, struct stat *result) {
  return fstatat(AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW);
}
HIDDEN int fstat(int file, struct stat *result) { return (int)syscall(SYS_fstat, file, result); }

HIDDEN int fstatat64(int folder, const char *path, struct stat64 *result, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, result, flags);
}
HIDDEN int stat64(const char *path, struct stat64 *result) {
  return fstatat64(AT_FDCWD, path, result, 0);
}
HIDDEN int lstat64(const char *path, struct stat64 *result) {
  return fstatat64(AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW);
}
HIDDEN int fstat64(int file, struct stat64 *result) {
  return (int)syscall(SYS_fstat, file, result);
}

HIDDEN pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// In libpthread until 2.32, which not every program has. It is a thread's mask on Linux, too.
HIDDEN int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
  const int kept = errno;
  const int failed = sigprocmask(how, set, before) == 0 ? 0 : errno;
  errno = kept;
  return failed;
}

// libstdc++ leaves out atomic instructions where this says that there is one thread.
HIDDEN char __libc_single_threaded = 0;
