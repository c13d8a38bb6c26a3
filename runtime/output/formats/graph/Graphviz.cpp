// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/graph/Graphviz.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "NoDeadlySignal.h"
#include "output/io/Descriptor.h"

namespace graphprof {

namespace {

// A file in memory, without a name.
class MemoryFile {
public:
  MemoryFile() : descriptor_(memfd_create("graphprof", MFD_CLOEXEC)) {}

  [[nodiscard]] int descriptor() const { return descriptor_.number(); }
  [[nodiscard]] bool fill(std::string_view text) const {
    const NoDeadlySignal guard;
    while (!text.empty()) {
      if (!descriptor_.isOurs())
        return false;
      const ssize_t written = ::write(descriptor(), text.data(), text.size());
      if (written < 0 && errno != EINTR)
        return false;
      text.remove_prefix(static_cast<std::size_t>(written < 0 ? 0 : written));
    }
    return lseek(descriptor(), 0, SEEK_SET) == 0;
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    constexpr std::size_t piece = 65'536;
    if (!descriptor_.isOurs())
      return all;
    lseek(descriptor(), 0, SEEK_SET);
    // Not through an array on the stack, which may be small.
    for (ssize_t count = 1; count > 0;) {
      const std::size_t before = all.size();
      all.resize(before + piece);
      count = ::read(descriptor(), all.data() + before, piece);
      all.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    return all;
  }

private:
  const Descriptor descriptor_;
};

// Waits for a child process. Returns false if it was ended because it took too long. If the program
// waits for all its children, or ignores them, the child may be gone already.
bool waitFor(pid_t child, std::chrono::steady_clock::time_point until) {
  for (int status = 0;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR))
      return true;
    if (std::chrono::steady_clock::now() >= until) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// Passes only the needed part of the environment, so that nothing is preloaded into the child.
int start(pid_t &child, const std::string &program, int input, int output) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  std::string name = program, format = "-Tsvg";
  std::array<char *, 3> words = {name.data(), format.data(), nullptr};
  std::string path = "PATH=";
  if (const char *given = secure_getenv("PATH"))
    path += given;
  std::array<char *, 2> environment = {path.data(), nullptr};
  const int failed =
      posix_spawnp(&child, program.c_str(), &files, nullptr, words.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

} // namespace

Drawn svgOf(const std::string &dot, const std::string &program, std::chrono::seconds patience) {
  const MemoryFile input, output;
  if (input.descriptor() < 0 || output.descriptor() < 0 || !input.fill(dot))
    return {{}, std::string("no room for it: ") + std::strerror(errno)};
  pid_t child = 0;
  const auto until = std::chrono::steady_clock::now() + patience;
  if (const int failed = start(child, program, input.descriptor(), output.descriptor()))
    return {{}, "Graphviz's " + program + " cannot be run: " + std::strerror(failed)};
  if (!waitFor(child, until))
    return {{},
            "Graphviz's " + program + " took longer than " + std::to_string(patience.count()) +
                " s"};
  std::string svg = output.text();
  if (svg.find("</svg>") == std::string::npos)
    return {{}, "Graphviz's " + program + " made no picture of it"};
  return {std::move(svg), {}};
}

} // namespace graphprof
