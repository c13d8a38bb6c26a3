// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "CommandLine.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "Commands.h"
#include "output/io/Text.h"

namespace graphprof::tool {

void sayOf(std::string_view command, std::string_view text) {
  fmt::print(stderr, "{}: {}\n", command, printable(text));
  (void)std::fflush(stderr);
}

std::optional<int> parse(CLI::App &app, std::vector<std::string> words, std::string_view usage) {
  std::reverse(words.begin(), words.end()); // CLI11 takes them from the end
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp &) {
    std::string help = app.help();
    const std::size_t line = help.find("Usage:");
    if (!usage.empty() && line != std::string::npos)
      help.replace(line, help.find('\n', line) - line, fmt::format("usage: {}", usage));
    fmt::print("{}", help);
    return 0;
  } catch (const CLI::Error &error) {
    sayOf(app.get_name(), fmt::format("{}; see {} --help", error.what(), app.get_name()));
    return usageError;
  }
  return std::nullopt;
}

SplitWords splitAtDashes(const std::vector<std::string> &words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const bool separated = dashes != words.end();
  return {{words.begin(), dashes}, {separated ? dashes + 1 : dashes, words.end()}, separated};
}

} // namespace graphprof::tool
