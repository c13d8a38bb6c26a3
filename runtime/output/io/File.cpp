// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/File.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <filesystem>
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

#include "Deadline.h"
#include "NoDeadlySignal.h"
#include "output/data/Origin.h"
#include "output/io/Foreign.h"
#include "output/io/Ownership.h"
#include "output/io/StandardStream.h"

namespace graphprof {

namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t bufferBytes = std::size_t{1} << 18;
constexpr Milliseconds readerPatience{8'000}; // for a reader that stalls; shorter than Streamed's

constexpr int taken = takenByProgram;

bool isPipe(const std::string &path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

std::string failure(const char *what, const std::string &path, int error) {
  if (error == taken)
    return fmt::format("cannot {} {}: the program closed graphprof's descriptor of it", what, path);
  if (error == ofAnotherUser)
    return fmt::format("cannot {} {}: another user put it into a folder that several may write",
                       what, path);
  if (error == ENXIO && isPipe(path))
    return fmt::format("cannot {} {}: nobody reads this pipe; start its reader", what, path);
  return fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(error));
}

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

// Opens a pipe without blocking, and waits a while for its reader.
Descriptor openFile(const std::string &path, int how, Milliseconds patience) {
  constexpr Milliseconds between{5};
  Deadline deadline(patience, between);
  for (;;) {
    const int opened =
        openOwn(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | how, 0666);
    const int error = errno;
    if (opened >= 0 || error != ENXIO || !isPipe(path) || // a terminal that there is not, a socket
        deadline.isOver()) {
      errno = error;
      return Descriptor(opened);
    }
    std::this_thread::sleep_for(between);
  }
}

// The number in "/dev/fd/7" and the other names of a process's own descriptors; -1: none.
int numberIn(std::string_view path) {
  if (path == "/dev/stdout" || path == "/dev/stderr")
    return path == "/dev/stdout" ? STDOUT_FILENO : STDERR_FILENO;
  const std::string own = fmt::format("/proc/{}/fd/", ::getpid());
  for (const std::string_view folder :
       {std::string_view("/dev/fd/"), std::string_view("/proc/self/fd/"),
        std::string_view("/proc/thread-self/fd/"), std::string_view(own)}) {
    int number = -1;
    if (!path.starts_with(folder))
      continue;
    const char *const end = path.data() + path.size();
    const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && stop == end && number >= 0)
      return number;
  }
  return -1;
}

} // namespace

// Links are followed step by step, because the last one, in /proc, shows the file's own name.
OpenFile::OpenFile(const std::string &path) : number_(path.empty() ? STDERR_FILENO : -1) {
  if (path.empty())
    return;
  std::string named = path;
  for (int i = 0; i < mostLinks; ++i) {
    number_ = numberIn(named);
    std::optional<std::string> next = linkedFrom(named);
    if (number_ >= 0 || !next)
      break;
    named = std::move(*next);
  }
  if (number_ >= 0 && !isStandard())
    copy_ = Descriptor(::fcntl(number_, F_DUPFD_CLOEXEC, 0));
}

std::string OpenFile::write(const std::string &path, std::string_view text) {
  if (!isStandard()) {
    const int error = copy_.isOpen() ? writeAll(copy_, path, text) : EBADF;
    return error ? failure("write", path, error) : std::string();
  }
  const char *const stream = number_ == STDOUT_FILENO ? "standard output" : "standard error";
  const std::string shown = path.empty() ? stream : path;
  const int error = writeStandard(number_, text);
  if (error == taken)
    return fmt::format("cannot write {}: the program has put another file in its place", shown);
  return error ? failure("write", shown, error) : std::string();
}

TextStream::TextStream(std::string path, std::chrono::milliseconds patience)
    : path_(std::move(path)), patience_(patience), given_(path_) {
  if (!given_)
    heldBefore_ = heldAt(path_);
}

TextStream::~TextStream() { markEnd(descriptor_); } // reporting a failure would need memory

std::string TextStream::open() {
  int attempt = 0;
  for (int tries = 0; attempt < mostNames && tries < 2 * mostNames; ++tries) {
    std::string name = nameOf(path_, attempt);
    Descriptor opened = openFile(name, O_CREAT, patience_);
    if (!opened.isOpen())
      return failure("open", asSeenFromOrigin(name), errno);
    const Claim whose = claim(opened, name, heldBefore_);
    if (whose == Claim::Existing)
      ++attempt;
    if (whose != Claim::Ours)
      continue;
    (void)::ftruncate(opened.number(), 0); // only files have a size
    if (attempt > 0)
      sayOtherName(path_, name, fileAt(path_));
    noteOwn(name, opened.file());
    descriptor_ = std::move(opened);
    opened_ = std::move(name);
    return {};
  }
  return failure("open", asSeenFromOrigin(path_), EBUSY);
}

std::string TextStream::write(std::string_view text) {
  if (given_)
    return given_.write(path_, text);
  if (!descriptor_.isOpen())
    if (std::string failed = open(); !failed.empty())
      return failed;
  const int error = writeAll(descriptor_, opened_, text);
  return error ? failure("write", asSeenFromOrigin(opened_), error) : std::string();
}

std::string TextStream::close() {
  markEnd(descriptor_);
  const int error = descriptor_.close();
  return error ? failure("write", asSeenFromOrigin(opened_), error) : std::string();
}

std::string TextStream::written() const {
  std::error_code error;
  return std::filesystem::is_regular_file(opened_, error) ? asSeenFromOrigin(opened_)
                                                          : std::string();
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
  return failure("write", shown_, error);
}

std::string WholeFile::check() const {
  if (given_)
    return {};
  struct stat status{};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return failure("write", shown_, EISDIR);
  if (exists && !S_ISREG(status.st_mode))
    return {};
  const std::string target = followed(path_), folder = folderOf(target);
  if (isForeign(target))
    return failure("write", shown_, ofAnotherUser);
  if (::stat(folder.c_str(), &status) == 0 && !S_ISDIR(status.st_mode))
    return failure("write", shown_, ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return failure("write", shown_, errno);
  return {};
}

std::string WholeFile::open() {
  if (path_.ends_with(".gz")) {
    gzip_ = Gzip::make();
    if (!gzip_)
      return fmt::format("cannot write {}: {}", shown_,
                         Gzip::builtIn() ? "no memory" : "graphprof is built without zlib");
  }
  if (given_)
    return {};
  struct stat status{};
  if (::stat(path_.c_str(), &status) != 0 || S_ISREG(status.st_mode))
    return openTemporary();
  descriptor_ = openFile(path_, 0, pipePatience);
  return descriptor_.isOpen() ? std::string() : failure("write", shown_, errno);
}

// Never opens an existing file.
std::string WholeFile::openTemporary() {
  target_ = followed(path_);
  if (isForeign(target_))
    return failure("write", shown_, ofAnotherUser);
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
  return failure("write", shown_, error);
}

std::string WholeFile::write(std::string_view text) {
  if (gzip_)
    gzip_->add(text, buffer_);
  else
    buffer_ += text;
  return buffer_.size() < bufferBytes ? std::string() : flush();
}

std::string WholeFile::flush() {
  if (given_) {
    std::string failed = given_.write(path_, buffer_);
    buffer_.clear();
    return failed;
  }
  const int error = writeAll(descriptor_, temporary_.empty() ? path_ : temporary_, buffer_);
  buffer_.clear();
  return error ? fail(error) : std::string();
}

std::string WholeFile::commit() {
  if (gzip_)
    gzip_->finish(buffer_);
  if (std::string failed = flush(); !failed.empty())
    return failed;
  if (given_)
    return {};
  written_ = descriptor_.file();
  if (!temporary_.empty())
    markEnd(descriptor_);
  if (const int error = descriptor_.close())
    return fail(error);
  if (temporary_.empty())
    return {};
  return rename();
}

std::string WholeFile::rename() {
  const bool spared = others_ == Existing::KeepForeign;
  const Descriptor lock = spared ? lockOf(folderOf(target_)) : Descriptor();
  int attempt = 0;
  std::string name = target_;
  while (spared && attempt < mostNames && (isOfOthers(name) || heldAt(name)))
    name = nameOf(target_, ++attempt);
  if (attempt == mostNames)
    return fail(EBUSY);
  if (attempt > 0)
    sayOtherName(target_, name, fileAt(target_));
  if (isForeign(name))
    return fail(ofAnotherUser);
  if (::rename(temporary_.c_str(), name.c_str()) != 0)
    return fail(errno);
  temporary_.clear();
  noteOwn(name, written_);
  renamed_ = attempt == 0 ? shown_ // perhaps a link to it
             : spared     ? asSeenFromOrigin(name)
                          : name;
  return {};
}

std::string WholeFile::writeOnce(std::string_view text) {
  std::string failure = open();
  if (failure.empty())
    failure = write(text);
  if (failure.empty())
    failure = commit();
  return failure;
}

std::string writeWhole(std::string path, std::string_view text, Existing others,
                       std::string *written) {
  WholeFile file(std::move(path), others);
  std::string failure = file.writeOnce(text);
  if (failure.empty() && written)
    *written = file.written();
  return failure;
}

void writeError(std::string_view text) noexcept { (void)writeStandard(STDERR_FILENO, text); }

} // namespace graphprof
