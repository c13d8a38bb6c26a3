// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program with things of its own, which graphprof must leave alone:
//
//     own new            operators new that need not be thread-safe, because there is one thread
//     own stderr PATH    another file in the place of standard error
//     own sockets        a socket in the place of each descriptor that it did not open itself

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "Driver.h"

namespace {

bool isSingle = false; // nobody else may call the operators below
bool wasCalledElsewhere = false;

void note() {
  if (isSingle && gettid() != getpid())
    wasCalledElsewhere = true;
}

int ownNew() {
  // Behind everything of graphprof's, which is registered later.
  std::atexit(
      [] { std::printf("operators called on another thread: %d\n", wasCalledElsewhere ? 1 : 0); });
  isSingle = true;
  return replay(findDriver("dlsym"));
}

int ownStderr(const char *path) {
  if (findDriver("proc2").Init(0) != CUDA_SUCCESS)
    return 94;
  close(STDERR_FILENO);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  return file == STDERR_FILENO && write(file, "data\n", 5) == 5 ? 6 : 93;
}

// A child outlives it, and then reads what it was sent.
int ownSockets() {
  if (findDriver("proc2").Init(0) != CUDA_SUCCESS)
    return 94;
  int pair[2], ended[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || pipe(ended) != 0)
    return 93;
  const std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir("/proc/self/fd"), closedir);
  while (const dirent *const entry = readdir(folder.get())) {
    const int each = std::atoi(entry->d_name); // NOLINT: the kernel's
    if (each > STDERR_FILENO && each != pair[0] && each != pair[1] && each != ended[0] &&
        each != ended[1] && each != dirfd(folder.get()) && dup2(pair[0], each) < 0)
      return 93;
  }
  if (write(pair[1], "ABC", 3) != 3)
    return 93;
  if (fork() == 0) {
    close(ended[1]);
    char bytes[8] = "";
    static_cast<void>(!read(ended[0], bytes, 1)); // returns at the parent's end
    const ssize_t size = recv(pair[0], bytes, sizeof bytes - 1, MSG_DONTWAIT);
    std::printf("%d bytes: %s\n", static_cast<int>(size), bytes);
    std::fflush(stdout);
    _exit(0);
  }
  return 6;
}

} // namespace

void *operator new(std::size_t size) {
  note();
  if (void *const memory = std::malloc(size ? size : 1)) // NOLINT: this is an operator new
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept {
  note();
  std::free(memory); // NOLINT
}
void operator delete(void *memory, std::size_t /*size*/) noexcept { operator delete(memory); }

int main(int argc, char **argv) {
  const auto is = [&](const char *word) { return argc > 1 && std::strcmp(argv[1], word) == 0; };
  if (is("new"))
    return ownNew();
  if (is("stderr") && argc > 2)
    return ownStderr(argv[2]);
  return is("sockets") ? ownSockets() : 92;
}
