// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Programs that a command runs, or becomes.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_CHILD_H
#define GRAPHPROF_TOOL_GRAPHPROF_CHILD_H

#include <string>
#include <string_view>
#include <vector>

namespace graphprof::tool {

/// Replaces this process. Returns only if that fails, the exit status; says why, as `command`.
int become(std::string_view command, std::vector<std::string> words);

/// Runs a program to its end, as a child, and returns its wait status. The terminal sends its
/// signals to both processes; others are forwarded.
[[nodiscard]] int waitFor(std::string_view command, std::vector<std::string> words);

/// Ends as the other process did: returns its exit status, or dies of its signal.
[[nodiscard]] int statusOf(int waited);

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_CHILD_H
