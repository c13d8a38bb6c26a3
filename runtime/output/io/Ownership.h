// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Whose a file is. Processes that share an environment share the paths of their outputs, and none
// may overwrite what another one writes or has written in the same run (output/data/Origin.h). A
// file belongs to another process
//   - while that process holds the lock on it, which it does while it writes piece by piece,
//   - if it was written since this run began. So whoever closes a file marks that time in it,
//   - if it was held when this process's output was made, even if its owner was killed since.
// Otherwise it is of an earlier run, and is replaced. Where the file system has no locks, the times
// decide alone.

#ifndef GRAPHPROF_OUTPUT_IO_OWNERSHIP_H
#define GRAPHPROF_OUTPUT_IO_OWNERSHIP_H

#include <cstdint>
#include <optional>
#include <string>

#include "output/io/Descriptor.h"

namespace graphprof {

/// How many names are tried for one file.
inline constexpr int mostNames = 100;

/// The names that are tried for a file, in order: the path, then with this process's id in it.
[[nodiscard]] std::string nameOf(const std::string &path, int attempt);

/// Says on standard error that `name` is taken instead of `path`; of a file, not of a directory.
/// `file`: the one at `path`.
void sayOtherName(const std::string &path, const std::string &name, std::optional<FileId> file);

/// Notes that this process has written a file.
void noteOwn(const std::string &name, FileId file);

/// The file at `path`, if somebody holds it now.
[[nodiscard]] std::optional<FileId> heldAt(const std::string &path);

/// Does the file at `name` belong to another process, or to another output of this one that still
/// writes it? Does not ask for the lock, which the caller may have.
[[nodiscard]] bool isOfOthers(const std::string &name, std::optional<FileId> heldBefore = {});

enum class Claim : std::uint8_t { Ours, Existing, Gone };

/// Claims a file that was opened as `name`; it is ours until it is closed. Gone: its owner has
/// removed or replaced it meanwhile; open it again.
[[nodiscard]] Claim claim(const Descriptor &descriptor, const std::string &name,
                          std::optional<FileId> heldBefore);

/// Marks the time in a file before it is closed, if it is still ours.
void markEnd(const Descriptor &descriptor) noexcept;

/// Held while a file is renamed, so that no two processes find the same name free. If the lock is
/// not available in time, or the file system has no locks, continues without it.
[[nodiscard]] Descriptor lockOf(const std::string &folder);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_OWNERSHIP_H
