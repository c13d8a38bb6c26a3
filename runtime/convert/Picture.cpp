// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "convert/Picture.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace graphprof {

namespace {

constexpr std::array<std::string_view, 3> endings = {".svg", ".png", ".pdf"};

} // namespace

bool isPicture(std::string_view path) {
  for (const std::string_view ending : endings)
    if (path.ends_with(ending))
      return true;
  return false;
}

std::string drawPicture(const std::string &dot, const std::string &picture) {
  std::string program = "dot", form = "-T" + picture.substr(picture.rfind('.') + 1), to = "-o",
              into = picture, from = dot;
  const std::array<char *, 6> words = {program.data(), form.data(), to.data(),
                                       into.data(),    from.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program.c_str(), nullptr, nullptr, words.data(), environ);
  if (failed == ENOENT)
    return "Graphviz's program dot is not in PATH; install Graphviz (Debian's package is graphviz)";
  if (failed != 0)
    return fmt::format("Graphviz's program dot cannot be run: {}", std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {};
  return WIFEXITED(status)
             ? fmt::format("Graphviz's program dot failed with exit status {}", WEXITSTATUS(status))
             : fmt::format("Graphviz's program dot was ended by signal {}", WTERMSIG(status));
}

} // namespace graphprof
