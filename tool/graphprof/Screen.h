// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What standard output can show.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_SCREEN_H
#define GRAPHPROF_TOOL_GRAPHPROF_SCREEN_H

#include <cstddef>
#include <string_view>

namespace graphprof::tool {

/// How many characters a line may have: the terminal's, or what COLUMNS says. 0: any number.
[[nodiscard]] std::size_t screenWidth();
/// Whether the environment says that texts are UTF-8. A file's are.
[[nodiscard]] bool screenShowsUtf8();
/// Prints a text on standard output. False, with a message, if that fails.
[[nodiscard]] bool printWhole(std::string_view text);

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_SCREEN_H
