// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Screen.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace graphprof::tool {

std::size_t screenWidth() {
  constexpr std::size_t least = 40;
  std::size_t columns = 0;
  struct winsize size{};
  if (const char *const set = getenv("COLUMNS"))
    (void)std::from_chars(set, set + std::strlen(set), columns);
  if (columns == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    columns = size.ws_col;
  return columns == 0 || columns >= least ? columns : least;
}

bool screenShowsUtf8() {
  if (!isatty(STDOUT_FILENO))
    return true;
  for (const char *const variable : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char *const set = getenv(variable); set && *set)
      return strcasestr(set, "utf-8") || strcasestr(set, "utf8");
  return false;
}

bool printWhole(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return true;
  fmt::print(stderr, "graphprof: cannot write to standard output: {}\n", std::strerror(errno));
  return false;
}

} // namespace graphprof::tool
