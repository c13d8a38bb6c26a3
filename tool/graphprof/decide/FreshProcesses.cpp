// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "decide/FreshProcesses.h"

#include <cerrno>
#include <cstring>
#include <deque>
#include <fstream>
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

constexpr std::string_view ownCommand = "graphprof diff";

// Says the last lines of what a program printed.
void sayEndOf(const fs::path &file) {
  std::ifstream in(file);
  constexpr std::size_t most = 10;
  std::deque<std::string> last;
  for (std::string line; std::getline(in, line); last.push_back(line))
    if (last.size() == most)
      last.pop_front();
  for (const std::string &line : last)
    sayOf(ownCommand, "  " + line);
}

std::string wordOf(int waited) {
  return WIFSIGNALED(waited) ? fmt::format("was ended by signal {}", WTERMSIG(waited))
                             : fmt::format("ended with status {}", WEXITSTATUS(waited));
}

} // namespace

FreshProcesses::FreshProcesses(fs::path folder, Words before, Words after)
    : folder_(std::move(folder)),
      sides_{OneSide{"before", std::move(before), {}}, OneSide{"after", std::move(after), {}}} {}

bool FreshProcesses::record(OneSide &side) {
  const fs::path stem =
      folder_ / fmt::format("{}-{:02}", side.name, side.files.size() + 1); // sorts as it was made
  const std::string recording = stem.native() + ".gprof", log = stem.native() + ".log";
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (output < 0) {
    sayOf(ownCommand, fmt::format("cannot write {}: {}", log, std::strerror(errno)));
    return false;
  }
  Words words{"/proc/self/exe", "run", "-o", recording, "--"};
  words.insert(words.end(), side.command.begin(), side.command.end());
  const int ending = waitFor(ownCommand, std::move(words), output);
  close(output);
  std::error_code none;
  std::string why;
  if (ending != 0)
    why = wordOf(ending);
  else if (!fs::exists(recording, none))
    why = "recorded nothing: it may launch no CUDA graph, or set GRAPHPROF_OUTPUT itself";
  if (!why.empty()) {
    sayOf(ownCommand, fmt::format("{} {}; its output ends:", fmt::join(side.command, " "), why));
    sayEndOf(log);
    return false;
  }
  side.files.push_back(recording);
  return true;
}

bool FreshProcesses::runUntil(std::size_t count) {
  while (sides_[0].files.size() < count) {
    const std::size_t first = sides_[0].files.size() % 2;
    for (OneSide *const side : {&sides_[first], &sides_[1 - first]})
      if (!record(*side))
        return false;
  }
  return true;
}

} // namespace graphprof::tool
