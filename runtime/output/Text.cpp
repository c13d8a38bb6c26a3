// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Text.h"

#include <fmt/format.h>

namespace graphprof {

std::string printable(std::string_view name) {
  std::string text(name);
  for (char &character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (code < 0x20 || code == 0x7f)
      character = '?';
  }
  return text;
}

std::string formatTime(double ns) {
  if (ns >= 1e9)
    return fmt::format("{:.3f}s", ns * 1e-9);
  if (ns >= 1e6)
    return fmt::format("{:.3f}ms", ns * 1e-6);
  return fmt::format("{:.3f}us", ns * 1e-3);
}

} // namespace graphprof
