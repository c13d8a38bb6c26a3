// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where the control sockets of a user's processes are, for the library, which makes them, and for
// the command graphprof, which looks for them: in the folder `graphprof` of XDG_RUNTIME_DIR, else
// of /run/user/UID; else in /tmp/graphprof-UID. The folder is the user's alone. A socket is called
// PID.sock; a process in another namespace with the same number makes it PID-2.sock.

#ifndef GRAPHPROF_WIRE_SOCKETFOLDER_H
#define GRAPHPROF_WIRE_SOCKETFOLDER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>
#include <sys/un.h>

#include "Expected.h"

namespace graphprof::wire {

/// The folders that may hold sockets, the one for new sockets first. They need not exist.
[[nodiscard]] std::vector<std::string> socketFolders();

/// Makes the first of these that can be had, if there is none yet, and returns it. A failure if
/// there is none.
Expected<std::string> makeSocketFolder();

/// Is this a folder of this user's that nobody else may enter? Follows no symbolic link.
[[nodiscard]] bool isPrivate(const std::string &folder);

/// A file that may be a socket.
struct SocketFile {
  std::string path;
  std::int64_t pid = 0;
};
/// Those in the private ones of the folders, in the order of their numbers.
[[nodiscard]] std::vector<SocketFile> socketFiles();

/// The name of a process's `number`th socket, from 1.
[[nodiscard]] std::string socketName(pid_t pid, int number);

/// Returns false if the path is too long for a socket's address.
[[nodiscard]] bool addressOf(std::string_view path, sockaddr_un &address);

/// A socket that is connected to `path`, without waiting, with close-on-exec. Negative: errno,
/// negated; -ECONNREFUSED: nobody listens there any more.
[[nodiscard]] int connectTo(std::string_view path);

/// Is the process at the other end of this socket one of this user's, or root's?
[[nodiscard]] bool isOfThisUser(int socket);

} // namespace graphprof::wire

#endif // GRAPHPROF_WIRE_SOCKETFOLDER_H
