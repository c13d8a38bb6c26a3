// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Graphviz.h"

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

namespace graphprof {

namespace {

// A file without a name, in memory.
class Unnamed {
public:
  Unnamed() : descriptor_(memfd_create("graphprof", MFD_CLOEXEC)) {}
  ~Unnamed() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }
  Unnamed(const Unnamed &) = delete;
  Unnamed &operator=(const Unnamed &) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool fill(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR)
        return false;
      text.remove_prefix(static_cast<std::size_t>(written < 0 ? 0 : written));
    }
    return lseek(descriptor_, 0, SEEK_SET) == 0;
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    std::array<char, 65'536> piece{};
    lseek(descriptor_, 0, SEEK_SET);
    for (ssize_t count = 0; (count = ::read(descriptor_, piece.data(), piece.size())) > 0;)
      all.append(piece.data(), static_cast<std::size_t>(count));
    return all;
  }

private:
  const int descriptor_;
};

// Waits for a child of ours; false when it was ended because it took too long. Where the program
// waits for all its children itself, or ignores them, it may be gone already.
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

// It gets no more of the environment than it needs: nothing is preloaded into it.
int start(pid_t &child, const std::string &program, int input, int output) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  std::string name = program, format = "-Tsvg";
  std::array<char *, 3> words = {name.data(), format.data(), nullptr};
  std::string path = "PATH=";
  if (const char *given = getenv("PATH"))
    path += given;
  std::array<char *, 2> environment = {path.data(), nullptr};
  const int failed =
      posix_spawnp(&child, program.c_str(), &files, nullptr, words.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

} // namespace

Drawn svgOf(const std::string &dot, const std::string &program, std::chrono::seconds patience) {
  const Unnamed input, output;
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
