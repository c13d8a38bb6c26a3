// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "decide/FreshProcesses.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include "Child.h"
#include "CommandLine.h"

namespace graphprof::tool {
namespace {

namespace fs = std::filesystem;

// The last lines of what a program printed, behind a line end; empty: it printed nothing.
std::string endOf(const fs::path &file) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  constexpr int mostLines = 10;
  std::size_t begin = text.size();
  for (int lines = 0; begin > 0; --begin)
    if (text[begin - 1] == '\n' && begin != text.size() && ++lines == mostLines)
      break;
  return text.empty() ? std::string() : "\n" + text.substr(begin);
}

std::string wordOf(int waited) {
  return WIFSIGNALED(waited) ? fmt::format("was ended by signal {}", WTERMSIG(waited))
                             : fmt::format("ended with status {}", WEXITSTATUS(waited));
}

} // namespace

FreshProcesses::FreshProcesses(fs::path folder, Words before, Words after)
    : folder_(std::move(folder)),
      sides_{OneSide{"before", std::move(before)}, OneSide{"after", std::move(after)}} {}

std::string FreshProcesses::record(OneSide &side) {
  const fs::path stem =
      folder_ / fmt::format("{}-{:02}", side.name, side.files.size() + 1); // sorts as it was made
  const std::string recording = stem.native() + ".gprof", log = stem.native() + ".log";
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (output < 0)
    return fmt::format("cannot write {}", log);
  Words words{"/proc/self/exe", "run", "-o", recording, "--"};
  words.insert(words.end(), side.command.begin(), side.command.end());
  const int ending = waitFor("graphprof diff", std::move(words), output);
  close(output);
  const std::string command = fmt::format("{}", fmt::join(side.command, " "));
  if (ending != 0)
    return fmt::format("{} {}{}", command, wordOf(ending), endOf(log));
  std::error_code none;
  if (!fs::exists(recording, none))
    return fmt::format("{} recorded nothing: it may launch no CUDA graph, or set GRAPHPROF_OUTPUT "
                       "itself{}",
                       command, endOf(log));
  side.files.push_back(recording);
  return {};
}

std::string FreshProcesses::runUntil(std::size_t count) {
  while (sides_[0].files.size() < count) {
    const std::size_t first = sides_[0].files.size() % 2;
    for (OneSide *const side : {&sides_[first], &sides_[1 - first]})
      if (std::string why = record(*side); !why.empty())
        return why;
  }
  return {};
}

} // namespace graphprof::tool
