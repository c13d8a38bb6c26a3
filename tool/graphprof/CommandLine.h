// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How subcommands read their words with CLI11, and what they say of help and mistakes.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_COMMANDLINE_H
#define GRAPHPROF_TOOL_GRAPHPROF_COMMANDLINE_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "output/io/Text.h"

namespace CLI {
class App;
}

namespace graphprof::tool {

/// Prints "COMMAND: TEXT" on standard error. `command`: "graphprof report".
void sayOf(std::string_view command, std::string_view text);

/// Prints a line on standard output. Names that come from outside cannot forge another one
/// (printable()).
template <class... Values> void printLine(fmt::format_string<Values...> form, Values &&...values) {
  fmt::print("{}\n", printable(fmt::format(form, std::forward<Values>(values)...)));
}

/// Reads `words` into what `app` was told. Returns the exit status if the command ends here: its
/// help was asked for, or a mistake was reported. `usage` replaces CLI11's line about it, which
/// does not know two sides; empty: CLI11's.
[[nodiscard]] std::optional<int> parse(CLI::App &app, std::vector<std::string> words,
                                       std::string_view usage = {});

/// "unknown option --topp (did you mean --top?)".
[[nodiscard]] std::string unknownOption(const CLI::App &app, std::string_view word);

/// Adds --top to `app`, which is a number of rows from 1 on.
void addTop(CLI::App &app, std::size_t &top, const std::string &help);

/// The words as execvp() and posix_spawn() take them. `words` must outlive the result.
[[nodiscard]] std::vector<char *> pointersTo(std::vector<std::string> &words);

/// The words before and behind "--".
struct SplitWords {
  std::vector<std::string> before, behind;
  bool separated; ///< there is a "--"
};
[[nodiscard]] SplitWords splitAtDashes(const std::vector<std::string> &words);

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_COMMANDLINE_H
