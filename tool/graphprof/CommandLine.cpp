// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "CommandLine.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "Commands.h"
#include "output/io/NearMiss.h"
#include "output/io/ReadText.h"
#include "output/io/Text.h"

namespace graphprof::tool {

void sayOf(std::string_view command, std::string_view text) {
  fmt::print(stderr, "{}: {}\n", command, printable(text));
  (void)std::fflush(stderr);
}

std::string unknownOption(const CLI::App &app, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  return fmt::format("unknown option {}{}", word,
                     didYouMean(word.substr(0, word.find('=')),
                                std::vector<std::string_view>(names.begin(), names.end())));
}

void addTop(CLI::App &app, std::size_t &top, const std::string &help) {
  const CLI::Validator isCount(
      [](const std::string &text) {
        std::size_t number = 0;
        return readWhole(std::string_view(text), number) && number > 0
                   ? std::string()
                   : fmt::format("{}: must be a number of rows from 1 on, such as --top 10; "
                                 "--all shows all",
                                 text);
      },
      "");
  app.add_option("--top", top, help)->type_name("N")->check(isCount);
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
  } catch (const CLI::ExtrasError &error) {
    const std::vector<std::string> extras = app.remaining();
    const auto option = std::ranges::find_if(
        extras, [](const std::string &word) { return word.starts_with("-") && word != "-"; });
    const std::string what = option == extras.end() ? error.what() : unknownOption(app, *option);
    sayOf(app.get_name(), fmt::format("{}; see {} --help", what, app.get_name()));
    return usageError;
  } catch (const CLI::Error &error) {
    sayOf(app.get_name(), fmt::format("{}; see {} --help", error.what(), app.get_name()));
    return usageError;
  }
  return std::nullopt;
}

std::vector<char *> pointersTo(std::vector<std::string> &words) {
  std::vector<char *> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

SplitWords splitAtDashes(const std::vector<std::string> &words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const bool separated = dashes != words.end();
  return {{words.begin(), dashes}, {separated ? dashes + 1 : dashes, words.end()}, separated};
}

} // namespace graphprof::tool
