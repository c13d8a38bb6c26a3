// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs Graphviz's program `dot`, to make a picture of what the output PATH.dot wrote.

#ifndef GRAPHPROF_CONVERT_PICTURE_H
#define GRAPHPROF_CONVERT_PICTURE_H

#include <string>
#include <string_view>

namespace graphprof {

/// What pictures can be, as messages show them.
inline constexpr std::string_view pictures = "PATH.svg, PATH.png, PATH.pdf";

/// Whether the path's ending is one of those.
[[nodiscard]] bool isPicture(std::string_view path);

/// Does a file that begins like this come from Graphviz? A PNG or a PDF does not say.
[[nodiscard]] bool isOwnPicture(std::string_view head);

/// Draws the graphs of the file `dot` as `picture`. Waits for Graphviz, which writes its own
/// messages to standard error. Returns an empty text, or why there is no picture.
[[nodiscard]] std::string drawPicture(const std::string &dot, const std::string &picture);

} // namespace graphprof

#endif // GRAPHPROF_CONVERT_PICTURE_H
