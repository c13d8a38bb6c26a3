// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Descriptor.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace graphprof {

namespace {

// Above what daemons and shells close, but not too high: the kernel's table of a process's
// descriptors is as long as the highest one.
constexpr rlim_t highest = 4096, room = 64;
constexpr int lowest = 3; // the standard streams are below

struct Status {
  FileId file;
  mode_t mode;
  dev_t special; // which device it is, if it is one
};

constexpr std::int64_t nsPerSecond = 1'000'000'000;

Status statusOf(const struct statx &found) {
  const bool born = (found.stx_mask & STATX_BTIME) != 0;
  return {FileId{makedev(found.stx_dev_major, found.stx_dev_minor), found.stx_ino,
                 born ? found.stx_btime.tv_sec * nsPerSecond + found.stx_btime.tv_nsec : 0},
          found.stx_mode, makedev(found.stx_rdev_major, found.stx_rdev_minor)};
}

// Not fstat: ThreadSanitizer would report a race with the program, which may close the descriptor
// at any time. That is what this check is for. Sandboxes (seccomp) may know the older call only.
std::optional<Status> statusOf(int descriptor, const char *path, int flags) {
  struct statx found{};
  if (::statx(descriptor, path, flags, STATX_BASIC_STATS | STATX_BTIME, &found) == 0)
    return statusOf(found);
  struct stat older{};
  if (::fstatat(descriptor, path, &older, flags) == 0)
    return Status{FileId{older.st_dev, older.st_ino, 0}, older.st_mode, older.st_rdev};
  return std::nullopt;
}

std::optional<FileId> idOf(int descriptor, const char *path, int flags) {
  const std::optional<Status> status = statusOf(descriptor, path, flags);
  return status ? std::optional(status->file) : std::nullopt;
}

using Standard = std::array<std::optional<FileId>, 3>;
const Standard &standardAtLoad() {
  static const Standard files = {fileOf(STDIN_FILENO), fileOf(STDOUT_FILENO),
                                 fileOf(STDERR_FILENO)};
  return files;
}
[[maybe_unused]] const Standard &lookedAtWhenLoaded = standardAtLoad();

bool isNull(const Status &status) {
  const std::optional<Status> null = statusOf(AT_FDCWD, "/dev/null", 0);
  return null && status.special == null->special;
}

} // namespace

int outOfTheWay(int descriptor) {
  rlimit limit{};
  const bool known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 2 * room;
  const int high = known ? static_cast<int>(std::min(limit.rlim_cur, highest) - room) : lowest;
  for (const int from : {high, lowest})
    if (const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, from); moved >= 0) {
      ::close(descriptor);
      return moved;
    }
  return descriptor; // there is no other number free
}

std::optional<FileId> fileOf(int descriptor) {
  return descriptor < 0 ? std::nullopt : idOf(descriptor, "", AT_EMPTY_PATH);
}

std::optional<FileId> fileAt(const std::string &path) { return idOf(AT_FDCWD, path.c_str(), 0); }

Descriptor::Descriptor(int opened) {
  if (opened < 0)
    return;
  number_ = outOfTheWay(opened);
  file_ = fileOf(number_).value_or(FileId{});
}

bool Descriptor::isOurs() const { return number_ >= 0 && fileOf(number_) == file_; }

bool Descriptor::recover(const std::string &path) {
  Descriptor again(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!again.isOpen() || again.file_ != file_)
    return false;
  *this = std::move(again);
  return true;
}

int Descriptor::close() {
  const bool ours = isOurs();
  const int number = std::exchange(number_, -1);
  return ours && ::close(number) != 0 ? errno : 0;
}

bool mayWriteStandard(int descriptor) {
  const std::optional<Status> status = statusOf(descriptor, "", AT_EMPTY_PATH);
  if (!status)
    return false;
  if (standardAtLoad()[static_cast<std::size_t>(descriptor)] == status->file)
    return true;
  if (::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) // a standard stream never has this flag
    return false;
  if (S_ISCHR(status->mode))
    return ::isatty(descriptor) == 1 || isNull(*status);
  const int other = descriptor == STDERR_FILENO ? STDOUT_FILENO : STDERR_FILENO;
  return S_ISFIFO(status->mode) || (::fcntl(descriptor, F_GETFL) & O_APPEND) ||
         fileOf(other) == status->file;
}

} // namespace graphprof
