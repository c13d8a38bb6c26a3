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

// Divided as PyTorch divides, so that what lies in the middle is rounded alike.
std::string formatTime(double ns) {
  const double us = ns / 1e3;
  if (ns >= 1e9)
    return fmt::format("{:.3f}s", us / 1e6);
  if (ns >= 1e6)
    return fmt::format("{:.3f}ms", us / 1e3);
  return fmt::format("{:.3f}us", us);
}

} // namespace graphprof
