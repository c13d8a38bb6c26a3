// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/File.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace graphprof {

namespace {

constexpr std::size_t bufferBytes = std::size_t{1} << 18;
constexpr int patienceMs = 1000; // with a full pipe that its owner made non-blocking

std::string failure(const char *what, const std::string &path, int error) {
  return fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(error));
}

// While it lives, a write to a pipe that nobody reads, or beyond the largest size of a file,
// returns its error on this thread instead of killing the program.
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
  sigset_t ours_{}; // what was not pending before
  sigset_t before_{};
};

// Returns errno, 0 when all was written.
int writeAll(int descriptor, std::string_view text) {
  const NoDeadlySignal guard;
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{descriptor, POLLOUT, 0};
      if (::poll(&ready, 1, patienceMs) == 0)
        return EAGAIN;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int openFile(const std::string &path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

} // namespace

namespace {

// What is open already: opened anew, a file would be written from its beginning beside the
// program's own text. Negative: none of them.
int standardStream(const std::string &path) {
  if (path.empty() || path == "/dev/stderr")
    return STDERR_FILENO;
  return path == "/dev/stdout" ? STDOUT_FILENO : -1;
}

} // namespace

TextStream::~TextStream() { (void)close(); }

std::string TextStream::write(std::string_view text) {
  if (descriptor_ < 0) {
    descriptor_ = standardStream(path_);
    if (descriptor_ < 0)
      descriptor_ = openFile(path_);
    if (descriptor_ < 0)
      return failure("open", path_, errno);
  }
  const int error = writeAll(descriptor_, text);
  return error ? failure("write", path_.empty() ? "standard error" : path_, error) : std::string();
}

std::string TextStream::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor < 0 || standardStream(path_) >= 0)
    return {};
  return ::close(descriptor) == 0 ? std::string() : failure("write", path_, errno);
}

WholeFile::~WholeFile() {
  if (descriptor_ < 0)
    return;
  ::close(descriptor_);
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());
}

std::string WholeFile::check() const {
  struct stat status{};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return failure("write", path_, EISDIR);
  if (exists && !S_ISREG(status.st_mode))
    return {};
  const std::size_t slash = path_.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  if (::stat(directory.c_str(), &status) == 0 && !S_ISDIR(status.st_mode))
    return failure("write", path_, ENOTDIR);
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
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
  const bool inPlace = ::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  temporary_ = inPlace ? std::string() : fmt::format("{}.{}.tmp", path_, ::getpid());
  descriptor_ = openFile(inPlace ? path_ : temporary_);
  return descriptor_ < 0 ? failure("write", path_, errno) : std::string();
}

std::string WholeFile::write(std::string_view text) {
  if (gzip_)
    gzip_->add(text, buffer_);
  else
    buffer_ += text;
  return buffer_.size() < bufferBytes ? std::string() : flush();
}

std::string WholeFile::flush() {
  const int error = writeAll(descriptor_, buffer_);
  buffer_.clear();
  return error ? failure("write", path_, error) : std::string();
}

std::string WholeFile::commit() {
  if (gzip_)
    gzip_->finish(buffer_);
  if (std::string failed = flush(); !failed.empty())
    return failed;
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    const int error = errno;
    if (!temporary_.empty())
      ::unlink(temporary_.c_str());
    return failure("write", path_, error);
  }
  if (!temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    return failure("write", path_, error);
  }
  return {};
}

std::string writeWhole(std::string path, std::string_view text) {
  WholeFile file(std::move(path));
  std::string failure = file.open();
  if (failure.empty())
    failure = file.write(text);
  return failure.empty() ? file.commit() : failure;
}

void writeError(std::string_view text) noexcept { (void)writeAll(STDERR_FILENO, text); }

} // namespace graphprof
