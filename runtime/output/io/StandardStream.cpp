// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/StandardStream.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "NoCancellation.h"
#include "NoDeadlySignal.h"
#include "output/io/Descriptor.h"

namespace graphprof {

namespace {

constexpr int patienceMs = 1'000;
// So much finds room in a pipe in one piece where poll() says that there is room.
constexpr std::size_t safePiece = PIPE_BUF;

std::atomic<bool> stalls{false};

// Not fstat first, for ThreadSanitizer (Descriptor.cpp). A sandbox may refuse statx. 0: unknown.
mode_t modeOf(int descriptor) noexcept {
  struct statx status{};
  if (::statx(descriptor, "", AT_EMPTY_PATH, STATX_TYPE, &status) == 0)
    return status.stx_mode;
  struct stat plain{};
  return ::fstat(descriptor, &plain) == 0 ? plain.st_mode : 0;
}

// The program's descriptor must keep its flags, which other processes share. A pipe can be opened
// again; the new description has flags of its own. Through this thread's folder: that of the
// process is empty if its main thread has ended.
int withoutBlocking(int pipe) noexcept {
  std::array<char, 48> path{};
  (void)std::snprintf(path.data(), path.size(), "/proc/thread-self/fd/%d", pipe);
  return ::open(path.data(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

// Waits until something can be written.
bool awaitRoom(int descriptor) noexcept {
  pollfd ready{descriptor, POLLOUT, 0};
  int found = 0;
  do
    found = ::poll(&ready, 1, stalls.load(std::memory_order_relaxed) ? 0 : patienceMs);
  while (found < 0 && errno == EINTR);
  stalls.store(found == 0, std::memory_order_relaxed);
  return found != 0;
}

// What stands behind a standard descriptor, and how to write to it without waiting.
class Stream {
public:
  explicit Stream(int descriptor) noexcept : descriptor_(descriptor) {
    const mode_t mode = modeOf(descriptor);
    if (S_ISSOCK(mode))
      kind_ = Kind::Socket;
    else if (S_ISFIFO(mode))
      kind_ = (reopened_ = withoutBlocking(descriptor)) >= 0 ? Kind::Reopened : Kind::MayBlock;
    else if (!S_ISREG(mode))
      kind_ = Kind::MayBlock; // a terminal, which may be stopped; or unknown
  }
  ~Stream() {
    if (reopened_ >= 0)
      ::close(reopened_);
  }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  // As write(2). Without ThreadSanitizer, which would report a race with the program's own close()
  // of this number.
  [[nodiscard]] ssize_t write(std::string_view text) const noexcept {
    switch (kind_) {
    case Kind::Socket:
      return ::send(descriptor_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    case Kind::Reopened:
      return ::syscall(SYS_write, reopened_, text.data(), text.size());
    case Kind::MayBlock:
      if (!awaitRoom(descriptor_)) {
        errno = EAGAIN;
        return -1;
      }
      return ::syscall(SYS_write, descriptor_, text.data(),
                       text.size() < safePiece ? text.size() : safePiece);
    case Kind::File:
      break;
    }
    return ::syscall(SYS_write, descriptor_, text.data(), text.size());
  }

private:
  enum class Kind : unsigned char { File, Socket, Reopened, MayBlock };
  const int descriptor_;
  int reopened_ = -1;
  Kind kind_ = Kind::File;
};

} // namespace

int writeStandard(int descriptor, std::string_view text) noexcept {
  const NoCancellation inHere;
  const NoDeadlySignal guard;
  if (!mayWriteStandard(descriptor))
    return takenByProgram;
  const Stream stream(descriptor);
  while (!text.empty()) {
    if (!mayWriteStandard(descriptor))
      return takenByProgram;
    if (const ssize_t written = stream.write(text); written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      stalls.store(false, std::memory_order_relaxed);
    } else if (errno == EAGAIN) {
      if (!awaitRoom(descriptor))
        return EAGAIN;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

} // namespace graphprof
