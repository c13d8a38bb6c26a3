// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What another user may have put into a folder that several may write, as into /tmp: a file, or a
// link that leads to a file of this user's. Outputs neither overwrite nor follow it, also where
// the system allows that (fs.protected_symlinks, fs.protected_regular). The folder's owner and
// root are trusted.

#ifndef GRAPHPROF_OUTPUT_IO_FOREIGN_H
#define GRAPHPROF_OUTPUT_IO_FOREIGN_H

#include <optional>
#include <string>

#include <sys/types.h>

namespace graphprof {

/// So many links, one to the next, are followed: as many as the kernel follows.
constexpr int mostLinks = 40;

/// In place of an errno.
inline constexpr int ofAnotherUser = -2;

/// Where a symbolic link leads, one step; nullopt if `path` is none, or another user's.
[[nodiscard]] std::optional<std::string> linkedFrom(const std::string &path);
/// The target of a path: follows symbolic links, of which the last may lead to nothing. What is
/// left may be another user's.
[[nodiscard]] std::string followed(std::string path);
/// Is what is there, itself, not what it leads to, another user's?
[[nodiscard]] bool isForeign(const std::string &path);
/// open(2), which fails with `ofAnotherUser`.
[[nodiscard]] int openOwn(const std::string &path, int flags, mode_t mode) noexcept;

/// The folder of a path, with a slash at its end unless it is the current one.
[[nodiscard]] std::string folderOf(const std::string &path);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_FOREIGN_H
