// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs other programs: in this process's place, or to their end.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_CHILD_H
#define GRAPHPROF_TOOL_GRAPHPROF_CHILD_H

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace graphprof::tool {

/// Replaces this process by a program. Returns only if that fails: says why as `command`
/// ("graphprof sim"), and returns the exit status for it.
int become(std::string_view command, std::vector<std::string> words);

/// Runs a program to its end, and returns its wait status. The terminal sends its signals to both
/// processes; others are forwarded. `output`: where its standard output and error go; -1: where
/// this process's do.
[[nodiscard]] int waitFor(std::string_view command, std::vector<std::string> words,
                          int output = -1);

/// Ends this process as another one did, if that was by a signal. Otherwise returns its exit
/// status.
[[nodiscard]] int statusOf(int waited);

/// A folder for files that are removed with it. The path is empty if there can be none: then TMPDIR
/// names a folder that cannot be written.
class ScratchFolder {
public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_CHILD_H
