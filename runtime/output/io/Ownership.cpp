// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Ownership.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "Deadline.h"
#include "Mutex.h"
#include "output/data/Origin.h"
#include "output/io/File.h"
#include "output/io/FileName.h"

namespace graphprof {

namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds between{5}; // tries of a lock
constexpr Milliseconds folderPatience{1'000};
constexpr Milliseconds filePatience{20}; // while another process only looks whether it is held

bool lockWithin(int descriptor, Milliseconds patience) {
  Deadline deadline(patience, between);
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return true; // there are no locks
    if (deadline.isOver())
      return false;
    std::this_thread::sleep_for(between);
  }
  return true;
}

// The files that this process has written, by name, because an inode may be reused. What a forked
// child inherits is its parent's. Leaked: outputs write until the process ends.
class OwnFiles {
public:
  static void add(const std::string &name, FileId file) {
    const MutexLock lock(instance().mutex_);
    instance().files_.insert_or_assign(name, std::pair(::getpid(), file));
  }
  static bool has(const std::string &name, std::optional<FileId> file) {
    const MutexLock lock(instance().mutex_);
    const auto known = instance().files_.find(name);
    return known != instance().files_.end() && known->second.first == ::getpid() &&
           file == known->second.second;
  }
  // Under any name.
  static bool has(std::optional<FileId> file) {
    const MutexLock lock(instance().mutex_);
    const auto &files = instance().files_;
    return std::any_of(files.begin(), files.end(), [&](const auto &known) {
      return known.second.first == ::getpid() && file == known.second.second;
    });
  }

private:
  static OwnFiles &instance() {
    static auto *const files = new OwnFiles;
    return *files;
  }
  Mutex mutex_;
  std::map<std::string, std::pair<pid_t, FileId>> files_ GUARDED_BY(mutex_);
};

} // namespace

std::string nameOf(const std::string &path, int attempt) {
  if (attempt == 0)
    return path;
  return attempt == 1 ? withPid(path) : withPid(path, fmt::format("-{}", attempt));
}

void sayOtherName(const std::string &path, const std::string &name, std::optional<FileId> file) {
  const std::string given = asSeenFromOrigin(path), taken = asSeenFromOrigin(name);
  if (OwnFiles::has(file))
    return writeError(fmt::format("graphprof: {} is written by another output of this process; "
                                  "this one writes {}. Give each a name of its own\n",
                                  given, taken));
  writeError(fmt::format("graphprof: {} belongs to another process, which wrote it since this run "
                         "began; this process writes {}. {{pid}} in the name keeps them apart\n",
                         given, taken));
}

void noteOwn(const std::string &name, FileId file) { OwnFiles::add(name, file); }

std::optional<FileId> heldAt(const std::string &path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  const Descriptor looked(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!looked.isOpen() || ::flock(looked.number(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return std::nullopt; // closing it ends the lock
  return looked.file();
}

bool isOfOthers(const std::string &name, std::optional<FileId> heldBefore) {
  constexpr std::int64_t nsPerSecond = 1'000'000'000;
  struct stat status{};
  if (::stat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
    return false;
  const std::optional<FileId> file = fileAt(name);
  if (OwnFiles::has(name, file))
    return false;
  const std::int64_t changedNs =
      std::int64_t{status.st_mtim.tv_sec} * nsPerSecond + status.st_mtim.tv_nsec;
  return changedNs > familyBeganNs() || (heldBefore && file == heldBefore);
}

Claim claim(const Descriptor &descriptor, const std::string &name,
            std::optional<FileId> heldBefore) {
  struct stat status{};
  if (::fstat(descriptor.number(), &status) != 0 || !S_ISREG(status.st_mode))
    return Claim::Ours;
  if (!lockWithin(descriptor.number(), filePatience))
    return Claim::Existing;
  if (const std::optional<FileId> there = fileAt(name); there != descriptor.file())
    return there || errno == ENOENT ? Claim::Gone : Claim::Ours; // or nobody may ask
  return isOfOthers(name, heldBefore) ? Claim::Existing : Claim::Ours;
}

void markEnd(const Descriptor &descriptor) noexcept {
  struct stat status{};
  if (descriptor.isOurs() && ::fstat(descriptor.number(), &status) == 0 && S_ISREG(status.st_mode))
    (void)::futimens(descriptor.number(), nullptr);
}

Descriptor lockOf(const std::string &folder) {
  Descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (held.isOpen())
    (void)lockWithin(held.number(), folderPatience);
  return held;
}

} // namespace graphprof
