// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "preload/ChildLaunchSignal.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "output/io/Descriptor.h"
#include "preload/Library.h"

namespace graphprof::preload {

namespace {

// Made once, before a graph is launched; the program may put a file of its own in its place.
constinit std::atomic<int> listening{-1};
constinit FileId listeningFile{};

// The process id that `graphprof run` noted, before a colon; 0 if it did not start this process.
long runsProcess() noexcept {
  const char *const run = variable("GRAPHPROF_RUN");
  return run ? strtol(run, nullptr, 10) : 0;
}

// A socket name outside the file system, which disappears with its socket. Sets `*size`.
sockaddr_un addressOf(long process, socklen_t *size) noexcept {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length =
      snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "graphprof-run-%ld", process);
  *size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1) + static_cast<socklen_t>(length);
  return address;
}

int datagrams() noexcept { return socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

} // namespace

bool isRuns() noexcept { return runsProcess() == getpid(); }

void listen() noexcept {
  const int error = errno;
  socklen_t size = 0;
  const sockaddr_un address = addressOf(runsProcess(), &size);
  const int made = datagrams();
  if (made >= 0 && bind(made, reinterpret_cast<const sockaddr *>(&address), size) == 0) {
    const int moved = outOfTheWay(made);
    listeningFile = fileOf(moved).value_or(FileId{});
    listening = moved;
  } else if (made >= 0) {
    close(made);
  }
  errno = error;
}

void signalLaunch() noexcept {
  const long process = runsProcess();
  if (process == 0 || process == getpid())
    return;
  const int error = errno;
  socklen_t size = 0;
  const sockaddr_un address = addressOf(process, &size);
  if (const int made = datagrams(); made >= 0) {
    static_cast<void>(
        sendto(made, "", 1, MSG_NOSIGNAL, reinterpret_cast<const sockaddr *>(&address), size));
    close(made);
  }
  errno = error;
}

bool childMayHaveLaunched() noexcept {
  char told = 0;
  return listening >= 0 &&
         (fileOf(listening) != listeningFile || recv(listening, &told, 1, MSG_DONTWAIT) == 1);
}

} // namespace graphprof::preload
