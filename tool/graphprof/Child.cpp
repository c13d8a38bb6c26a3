// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CommandLine.h"
#include "Commands.h"

namespace graphprof::tool {
namespace {

namespace fs = std::filesystem;

volatile sig_atomic_t child = 0;
constexpr std::array forwarded{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

void forward(int signal) {
  if (child > 0)
    kill(static_cast<pid_t>(child), signal);
}

} // namespace

int become(std::string_view command, std::vector<std::string> words) {
  execvp(words[0].c_str(), pointersTo(words).data());
  const int error = errno;
  sayOf(command, fmt::format("{}: {}", words[0], std::strerror(error)));
  return error == ENOENT ? notFound : notExecutable;
}

int waitFor(std::string_view command, std::vector<std::string> words, int output) {
  sigset_t all, before;
  sigemptyset(&all);
  for (const int signal : forwarded)
    sigaddset(&all, signal);
  sigprocmask(SIG_BLOCK, &all, &before);
  struct sigaction action{};
  action.sa_handler = forward;
  action.sa_flags = SA_RESTART;
  std::array<struct sigaction, forwarded.size()> old{};
  for (std::size_t i = 0; i < forwarded.size(); ++i) {
    sigaction(forwarded[i], nullptr, &old[i]);
    if (old[i].sa_handler != SIG_IGN)
      sigaction(forwarded[i], &action, nullptr);
  }
  const pid_t process = fork();
  if (process == 0) {
    for (std::size_t i = 0; i < forwarded.size(); ++i)
      sigaction(forwarded[i], &old[i], nullptr);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    if (output >= 0) {
      dup2(output, STDOUT_FILENO);
      dup2(output, STDERR_FILENO);
    }
    _exit(become(command, std::move(words)));
  }
  child = process;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  int status = process < 0 ? cannotRun << 8 : 0;
  while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  for (std::size_t i = 0; i < forwarded.size(); ++i)
    sigaction(forwarded[i], &old[i], nullptr);
  return status;
}

int statusOf(int waited) {
  if (!WIFSIGNALED(waited))
    return WEXITSTATUS(waited);
  signal(WTERMSIG(waited), SIG_DFL);
  (void)raise(WTERMSIG(waited));
  return 128 + WTERMSIG(waited);
}

ScratchFolder::ScratchFolder() {
  std::error_code none;
  std::string name = (fs::temp_directory_path(none) / "graphprof-XXXXXX").native();
  if (mkdtemp(name.data()))
    path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code none;
  if (!path_.empty())
    fs::remove_all(path_, none);
}

} // namespace graphprof::tool
