// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "wire/SocketFolder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <dirent.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphprof::wire {

namespace {

constexpr std::string_view ending = ".sock";

bool isOwnFolder(const std::string &path) {
  struct stat file{};
  return ::stat(path.c_str(), &file) == 0 && S_ISDIR(file.st_mode) && file.st_uid == ::geteuid();
}

std::string inTmp() { return fmt::format("/tmp/graphprof-{}", ::geteuid()); }

// "4711.sock" or "4711-2.sock"; 0 if it is neither.
std::int64_t pidOf(std::string_view name) {
  if (!name.ends_with(ending))
    return 0;
  name.remove_suffix(ending.size());
  name = name.substr(0, name.find('-'));
  std::int64_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return error == std::errc() && end == name.data() + name.size() && pid > 0 ? pid : 0;
}

} // namespace

std::vector<std::string> socketFolders() {
  std::vector<std::string> folders;
  const auto add = [&folders](const std::string &runtime) {
    const std::string folder = runtime + "/graphprof";
    if (isOwnFolder(runtime) && std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(folder);
  };
  if (const char *const given = ::secure_getenv("XDG_RUNTIME_DIR"); given && *given == '/')
    add(given);
  add(fmt::format("/run/user/{}", ::geteuid()));
  folders.push_back(inTmp());
  return folders;
}

bool isPrivate(const std::string &folder) {
  struct stat file{};
  return ::lstat(folder.c_str(), &file) == 0 && S_ISDIR(file.st_mode) &&
         file.st_uid == ::geteuid() && (file.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

Expected<std::string> makeSocketFolder() {
  Failure last;
  for (const std::string &folder : socketFolders()) {
    sockaddr_un address{};
    if (!addressOf(folder + "/" + socketName(INT32_MAX, 9), address)) {
      last.why =
          fmt::format("{} is too long for a socket; set XDG_RUNTIME_DIR to a shorter path", folder);
      continue;
    }
    const bool made = ::mkdir(folder.c_str(), S_IRWXU) == 0;
    if (!made && errno != EEXIST) {
      last.why = fmt::format("{} cannot be made ({}); set XDG_RUNTIME_DIR to a folder of yours",
                             folder, std::strerror(errno));
      continue;
    }
    if (isPrivate(folder))
      return folder;
    last.why =
        fmt::format("{} is not a folder that only you may enter; remove it, or chmod 700", folder);
  }
  return last;
}

std::vector<SocketFile> socketFiles() {
  std::vector<SocketFile> files;
  for (const std::string &folder : socketFolders()) {
    if (!isPrivate(folder))
      continue;
    const std::unique_ptr<DIR, int (*)(DIR *)> opened(::opendir(folder.c_str()), ::closedir);
    while (const dirent *const entry = opened ? ::readdir(opened.get()) : nullptr)
      if (const std::int64_t pid = pidOf(entry->d_name))
        files.push_back({folder + "/" + entry->d_name, pid});
  }
  std::sort(files.begin(), files.end(), [](const SocketFile &left, const SocketFile &right) {
    return left.pid != right.pid ? left.pid < right.pid : left.path < right.path;
  });
  return files;
}

std::string socketName(pid_t pid, int number) {
  return number > 1 ? fmt::format("{}-{}{}", pid, number, ending)
                    : fmt::format("{}{}", pid, ending);
}

bool addressOf(std::string_view path, sockaddr_un &address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return false;
  std::copy(path.begin(), path.end(), address.sun_path);
  return true;
}

int connectTo(std::string_view path) {
  sockaddr_un address{};
  if (!addressOf(path, address))
    return -ENAMETOOLONG;
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (made < 0)
    return -errno;
  if (::connect(made, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
    return made;
  const int error = errno;
  ::close(made);
  return -error;
}

bool isOfThisUser(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0);
}

} // namespace graphprof::wire
