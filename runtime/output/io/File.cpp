// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/File.h"

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "Mutex.h"
#include "output/data/Run.h"
#include "output/io/FileName.h"

namespace graphprof {

namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t bufferBytes = std::size_t{1} << 18;
constexpr Milliseconds standardPatience{1'000}; // for a full pipe that its owner made non-blocking
constexpr Milliseconds readerPatience{8'000};   // for a reader that stalls; shorter than Streamed's
constexpr Milliseconds folderPatience{1'000};
constexpr int mostNames = 100; // that are tried for one file
constexpr int mostLinks = 40;  // as in the kernel

constexpr int taken = -1; // not an errno: the descriptor belongs to the program now

std::string failure(const char *what, const std::string &path, int error) {
  if (error == taken)
    return fmt::format("cannot {} {}: the program closed graphprof's descriptor of it", what, path);
  if (error == ENXIO)
    return fmt::format("cannot {} {}: nobody reads this pipe; start its reader", what, path);
  return fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(error));
}

// While it lives, a write to a pipe without a reader, or beyond the file size limit, returns an
// error on this thread instead of killing the program.
class NoDeadlySignal {
public:
  NoDeadlySignal() {
    sigset_t pending;
    sigpending(&pending);
    sigemptyset(&ours_);
    sigset_t both;
    sigemptyset(&both);
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
      sigaddset(&both, signal);
      if (sigismember(&pending, signal) == 0)
        sigaddset(&ours_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &both, &before_);
  }
  ~NoDeadlySignal() {
    const timespec now{0, 0};
    while (sigtimedwait(&ours_, nullptr, &now) > 0 || errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoDeadlySignal(const NoDeadlySignal &) = delete;
  NoDeadlySignal &operator=(const NoDeadlySignal &) = delete;

private:
  sigset_t ours_{}; // those that were not pending before
  sigset_t before_{};
};

// write(2) without ThreadSanitizer, which would report a race with the program's own close() of
// this number. `mayWrite` handles that case.
ssize_t writeSome(int descriptor, std::string_view text) {
  return ::syscall(SYS_write, descriptor, text.data(), text.size());
}

// Returns errno or `taken`; 0 if everything was written. Asks `mayWrite` before each write.
template <class MayWrite>
int writeAll(int descriptor, std::string_view text, Milliseconds patience, MayWrite mayWrite) {
  const NoDeadlySignal guard;
  while (!text.empty()) {
    if (!mayWrite())
      return taken;
    const ssize_t written = writeSome(descriptor, text);
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{descriptor, POLLOUT, 0};
      if (::poll(&ready, 1, static_cast<int>(patience.count())) == 0)
        return EAGAIN;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int writeAll(Descriptor &descriptor, const std::string &path, std::string_view text) {
  if (!descriptor.isOurs()) {
    if (!descriptor.recover(path))
      return taken;
    (void)::flock(descriptor.number(), LOCK_EX | LOCK_NB); // the old lock ended with the descriptor
  }
  return writeAll(descriptor.number(), text, readerPatience,
                  [&descriptor] { return descriptor.isOurs(); });
}

int writeStandard(int descriptor, std::string_view text) {
  return writeAll(descriptor, text, standardPatience,
                  [descriptor] { return mayWriteStandard(descriptor); });
}

// Opens a pipe without blocking, and waits a while for its reader.
Descriptor openFile(const std::string &path, int how, Milliseconds patience) {
  constexpr Milliseconds between{5};
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const int opened =
        ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | how, 0666);
    if (opened >= 0 || errno != ENXIO || std::chrono::steady_clock::now() >= until)
      return Descriptor(opened);
    std::this_thread::sleep_for(between);
  }
}

// The files that this process has written, by name, because an inode may be reused. Leaked: outputs
// write until the process ends.
class OwnFiles {
public:
  static void add(const std::string &name, FileId file) {
    const MutexLock lock(instance().mutex_);
    instance().files_.insert_or_assign(name, file);
  }
  static bool has(const std::string &name, std::optional<FileId> file) {
    const MutexLock lock(instance().mutex_);
    const auto known = instance().files_.find(name);
    return known != instance().files_.end() && file == known->second;
  }

private:
  static OwnFiles &instance() {
    static auto *const files = new OwnFiles;
    return *files;
  }
  Mutex mutex_;
  std::map<std::string, FileId> files_ GUARDED_BY(mutex_);
};

// Has another process written the file since this one began?
bool isOfOthers(const std::string &name, const struct stat &status) {
  constexpr std::int64_t nsPerSecond = 1'000'000'000;
  const std::int64_t changedNs =
      std::int64_t{status.st_mtim.tv_sec} * nsPerSecond + status.st_mtim.tv_nsec;
  return S_ISREG(status.st_mode) && status.st_size > 0 && changedNs > thisRun().beganNs &&
         !OwnFiles::has(name, fileAt(name));
}

// The names that are tried for a file, in order.
std::string nameOf(const std::string &path, int attempt) {
  if (attempt == 0)
    return path;
  return attempt == 1 ? withPid(path) : withPid(path, fmt::format("-{}", attempt));
}

void sayOtherName(const std::string &path, const std::string &name) {
  writeError(fmt::format("graphprof: {} belongs to another process, which wrote it since this one "
                         "began; this process writes {}. {{pid}} in the name keeps them apart\n",
                         path, name));
}

// Who owns the file that was opened.
enum class Claim : std::uint8_t { Ours, OfOthers, Gone };

// A claimed file is ours until it is closed. If the file system has no locks, only the file's
// contents decide.
Claim claim(const Descriptor &descriptor, const std::string &name) {
  struct stat status{};
  if (::fstat(descriptor.number(), &status) != 0 || !S_ISREG(status.st_mode))
    return Claim::Ours;
  if (::flock(descriptor.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return Claim::OfOthers;
  if (fileAt(name) != descriptor.file()) // its owner has removed or replaced it
    return Claim::Gone;
  return ::fstat(descriptor.number(), &status) == 0 && isOfOthers(name, status) ? Claim::OfOthers
                                                                                : Claim::Ours;
}

// The target of a path: follows symbolic links, of which the last may lead to nothing.
std::string followed(std::string path) {
  for (int i = 0; i < mostLinks; ++i) {
    std::array<char, PATH_MAX> link{};
    const ssize_t size = ::readlink(path.c_str(), link.data(), link.size());
    if (size <= 0)
      break;
    const std::string_view to(link.data(), static_cast<std::size_t>(size));
    const std::size_t slash = path.rfind('/');
    if (to.front() == '/' || slash == std::string::npos)
      path = to;
    else
      path.replace(slash + 1, std::string::npos, to);
  }
  return path;
}

std::string folderOf(const std::string &path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// Held while a file is renamed, so that no two processes find the same name free. If the lock is
// not available in time, or the file system has no locks, continues without it.
Descriptor lockOf(const std::string &folder) {
  constexpr Milliseconds between{5};
  Descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto until = std::chrono::steady_clock::now() + folderPatience;
  while (held.isOpen() && ::flock(held.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
         std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(between);
  return held;
}

// The descriptor of an open standard stream. (If it is a file, opening it again would overwrite the
// program's own text from the begin.) Negative: none.
int standardStream(const std::string &path) {
  if (path.empty() || path == "/dev/stderr")
    return STDERR_FILENO;
  return path == "/dev/stdout" ? STDOUT_FILENO : -1;
}

} // namespace

TextStream::~TextStream() = default; // closes; reporting a failure would need memory

std::string TextStream::open() {
  for (int attempt = 0; attempt < mostNames;) {
    std::string name = nameOf(path_, attempt);
    Descriptor opened = openFile(name, O_CREAT, patience_);
    if (!opened.isOpen())
      return failure("open", name, errno);
    const Claim whose = claim(opened, name);
    if (whose == Claim::OfOthers)
      ++attempt;
    if (whose != Claim::Ours)
      continue;
    (void)::ftruncate(opened.number(), 0); // only files have a size
    if (attempt > 0)
      sayOtherName(path_, name);
    OwnFiles::add(name, opened.file());
    descriptor_ = std::move(opened);
    opened_ = std::move(name);
    return {};
  }
  return failure("open", path_, EBUSY);
}

std::string TextStream::write(std::string_view text) {
  if (const int standard = standardStream(path_); standard >= 0) {
    const int error = writeStandard(standard, text);
    if (error == taken)
      return fmt::format("cannot write {}: the program has put another file in its place",
                         path_.empty() ? "standard error" : path_);
    return error ? failure("write", path_.empty() ? "standard error" : path_, error)
                 : std::string();
  }
  if (!descriptor_.isOpen())
    if (std::string failed = open(); !failed.empty())
      return failed;
  const int error = writeAll(descriptor_, opened_, text);
  return error ? failure("write", opened_, error) : std::string();
}

std::string TextStream::close() {
  const int error = descriptor_.close();
  return error ? failure("write", opened_, error) : std::string();
}

WholeFile::~WholeFile() { discard(); }

void WholeFile::discard() noexcept {
  (void)descriptor_.close();
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());
  temporary_.clear();
  buffer_ = {};
}

// Removes the temporary file: at the end of the process the destructor does not run.
std::string WholeFile::fail(int error) {
  discard();
  return failure("write", path_, error);
}

std::string WholeFile::check() const {
  struct stat status{};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return failure("write", path_, EISDIR);
  if (exists && !S_ISREG(status.st_mode))
    return {};
  const std::string folder = folderOf(followed(path_));
  if (::stat(folder.c_str(), &status) == 0 && !S_ISDIR(status.st_mode))
    return failure("write", path_, ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return failure("write", path_, errno);
  return {};
}

std::string WholeFile::open() {
  if (path_.ends_with(".gz")) {
    gzip_ = Gzip::make();
    if (!gzip_)
      return fmt::format("cannot write {}: {}", path_,
                         Gzip::builtIn() ? "no memory" : "graphprof is built without zlib");
  }
  struct stat status{};
  if (::stat(path_.c_str(), &status) != 0 || S_ISREG(status.st_mode))
    return openTemporary();
  descriptor_ = openFile(path_, 0, pipePatience);
  return descriptor_.isOpen() ? std::string() : failure("write", path_, errno);
}

// Never opens an existing file.
std::string WholeFile::openTemporary() {
  target_ = followed(path_);
  int error = EEXIST;
  for (int attempt = 1; error == EEXIST && attempt < mostNames; ++attempt) {
    std::string name = fmt::format("{}.{}{}.tmp", target_, ::getpid(),
                                   attempt == 1 ? std::string() : fmt::format("-{}", attempt));
    descriptor_ = openFile(name, O_CREAT | O_EXCL, pipePatience);
    if (descriptor_.isOpen()) {
      temporary_ = std::move(name);
      return {};
    }
    error = errno;
  }
  return failure("write", path_, error);
}

std::string WholeFile::write(std::string_view text) {
  if (gzip_)
    gzip_->add(text, buffer_);
  else
    buffer_ += text;
  return buffer_.size() < bufferBytes ? std::string() : flush();
}

std::string WholeFile::flush() {
  const int error = writeAll(descriptor_, temporary_.empty() ? path_ : temporary_, buffer_);
  buffer_.clear();
  return error ? fail(error) : std::string();
}

std::string WholeFile::commit() {
  if (gzip_)
    gzip_->finish(buffer_);
  if (std::string failed = flush(); !failed.empty())
    return failed;
  written_ = descriptor_.file();
  if (const int error = descriptor_.close())
    return fail(error);
  if (temporary_.empty())
    return {};
  return rename();
}

std::string WholeFile::rename() {
  const Descriptor lock = others_ == OfOthers::Spared ? lockOf(folderOf(target_)) : Descriptor();
  int attempt = 0;
  std::string name = target_;
  for (struct stat status{}; others_ == OfOthers::Spared && attempt < mostNames &&
                             ::stat(name.c_str(), &status) == 0 && isOfOthers(name, status);)
    name = nameOf(target_, ++attempt);
  if (attempt == mostNames)
    return fail(EBUSY);
  if (::rename(temporary_.c_str(), name.c_str()) != 0)
    return fail(errno);
  temporary_.clear();
  OwnFiles::add(name, written_);
  if (attempt > 0)
    sayOtherName(path_, name);
  return {};
}

std::string writeWhole(std::string path, std::string_view text, OfOthers others) {
  WholeFile file(std::move(path), others);
  std::string failure = file.open();
  if (failure.empty())
    failure = file.write(text);
  return failure.empty() ? file.commit() : failure;
}

void writeError(std::string_view text) noexcept { (void)writeStandard(STDERR_FILENO, text); }

} // namespace graphprof
