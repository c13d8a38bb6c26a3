// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One printer for each form, for all commands. Computes nothing.

#ifndef GRAPHPROF_TOOL_FIGURES_RENDER_H
#define GRAPHPROF_TOOL_FIGURES_RENDER_H

#include <cstddef>
#include <string>
#include <string_view>

#include "Document.h"

namespace graphprof {

/// `width`: of a line, to which names are shortened; 0: any.
[[nodiscard]] std::string asText(const Document &document, std::size_t width);
[[nodiscard]] std::string asMarkdown(const Document &document);
/// Every column with a key. Times have one decimal, other numbers six digits.
[[nodiscard]] std::string asCsv(const FigureTable &table);

/// Text in Markdown, in which a vertical line and a backtick are text.
[[nodiscard]] std::string markdownText(std::string_view text);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_FIGURES_RENDER_H
