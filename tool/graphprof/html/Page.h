// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The page as text: its frame, style, scripts and the library of charts, which are inside the
// program, with what it shows. Needs nothing from elsewhere, and its policy allows nothing.

#ifndef GRAPHPROF_TOOL_HTML_PAGE_H
#define GRAPHPROF_TOOL_HTML_PAGE_H

#include <string>
#include <string_view>

namespace graphprof {

/// `json`: what page/data.js describes.
[[nodiscard]] std::string pageText(std::string_view title, std::string_view json);

/// Does a page begin like this?
[[nodiscard]] bool isPage(std::string_view head);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_HTML_PAGE_H
