// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs two commands under `graphprof run`, in turn, each time in a process of its own that leaves a
// recording. Does not know what is compared.

#ifndef GRAPHPROF_TOOL_DECIDE_FRESHPROCESSES_H
#define GRAPHPROF_TOOL_DECIDE_FRESHPROCESSES_H

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace graphprof::tool {

class FreshProcesses {
public:
  using Words = std::vector<std::string>;

  /// The recordings go to `folder`, as before-01.gprof, after-01.gprof and so on.
  FreshProcesses(std::filesystem::path folder, Words before, Words after);

  /// Runs both until each has `count` recordings: A B, then B A, so that neither has the warmer
  /// machine. Returns false if it cannot go on; says why, with the end of what the program printed.
  [[nodiscard]] bool runUntil(std::size_t count);

  [[nodiscard]] const std::vector<std::string> &before() const { return sides_[0].files; }
  [[nodiscard]] const std::vector<std::string> &after() const { return sides_[1].files; }

private:
  struct OneSide {
    const char *name;
    Words command;
    std::vector<std::string> files;
  };

  [[nodiscard]] bool record(OneSide &side);

  std::filesystem::path folder_;
  std::array<OneSide, 2> sides_;
};

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_DECIDE_FRESHPROCESSES_H
