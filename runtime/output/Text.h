// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names and times as the text outputs print them.

#ifndef GRAPHPROF_OUTPUT_TEXT_H
#define GRAPHPROF_OUTPUT_TEXT_H

#include <string>
#include <string_view>

namespace graphprof {

/// `name` on one line: control characters become '?'.
[[nodiscard]] std::string printable(std::string_view name);

/// A time in nanoseconds as torch.profiler prints it: "12.345us", "1.234ms", "2.000s".
[[nodiscard]] std::string formatTime(double ns);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_TEXT_H
