// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Foreign.h"

#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphprof {

namespace {

// Another user can make a hard link to a file of this user's, too.
bool isForeign(const std::string &path, const struct stat &there) {
  struct stat folder{};
  if (::stat(folderOf(path).c_str(), &folder) != 0 || !(folder.st_mode & (S_IWGRP | S_IWOTH)))
    return false;
  if (there.st_uid != ::geteuid() && there.st_uid != folder.st_uid && there.st_uid != 0)
    return true;
  return (folder.st_mode & S_IWOTH) && S_ISREG(there.st_mode) && there.st_nlink > 1;
}

} // namespace

std::string folderOf(const std::string &path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::optional<std::string> linkedFrom(const std::string &path) {
  struct stat link{};
  std::array<char, PATH_MAX> text{};
  if (::lstat(path.c_str(), &link) != 0 || !S_ISLNK(link.st_mode) || isForeign(path, link))
    return std::nullopt;
  const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
  if (size <= 0)
    return std::nullopt;
  const std::string_view to(text.data(), static_cast<std::size_t>(size));
  if (to.front() == '/')
    return std::string(to);
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string(to) : path.substr(0, slash + 1).append(to);
}

std::string followed(std::string path) {
  std::optional<std::string> next = linkedFrom(path);
  for (int i = 0; next && i < mostLinks; ++i, next = linkedFrom(path))
    path = std::move(*next);
  return path;
}

bool isForeign(const std::string &path) {
  struct stat there{};
  return ::lstat(path.c_str(), &there) == 0 && isForeign(path, there);
}

// Asks again when the file is open: somebody may have put it there meanwhile.
int openOwn(const std::string &path, int flags, mode_t mode) noexcept {
  const std::string target = followed(path);
  int opened = -1;
  errno = ofAnotherUser;
  if (!isForeign(target))
    opened = ::open(target.c_str(), flags | O_NOFOLLOW, mode);
  struct stat there{};
  if (opened < 0 || ::fstat(opened, &there) != 0 || !isForeign(target, there))
    return opened;
  ::close(opened);
  errno = ofAnotherUser;
  return -1;
}

} // namespace graphprof
