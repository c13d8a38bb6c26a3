// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace graphprof::launcher {
namespace {

constexpr int Ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

volatile sig_atomic_t Child = 0;

// Only forwards the signal: whether this process ends depends on how the child ends.
void forwardSignal(int Signal) {
  if (Child > 0)
    kill(static_cast<pid_t>(Child), Signal);
}

/// While an object of this class lives, signals go to the child. Signals that this process ignores
/// stay ignored.
class Forwarding {
public:
  Forwarding() {
    // Blocks signals until the child exists.
    sigset_t All;
    sigemptyset(&All);
    for (const int Signal : Ends)
      sigaddset(&All, Signal);
    sigprocmask(SIG_BLOCK, &All, &Before);
    struct sigaction Action = {};
    Action.sa_handler = forwardSignal;
    Action.sa_flags = SA_RESTART;
    for (size_t I = 0; I < std::size(Ends); ++I) {
      sigaction(Ends[I], nullptr, &Old[I]);
      if (Old[I].sa_handler != SIG_IGN)
        sigaction(Ends[I], &Action, nullptr);
    }
  }
  Forwarding(const Forwarding &) = delete;
  Forwarding &operator=(const Forwarding &) = delete;
  ~Forwarding() {
    Child = 0;
    for (size_t I = 0; I < std::size(Ends); ++I)
      sigaction(Ends[I], &Old[I], nullptr);
    sigprocmask(SIG_SETMASK, &Before, nullptr);
  }

  void to(pid_t Process) {
    Child = Process;
    sigprocmask(SIG_SETMASK, &Before, nullptr);
  }
  [[nodiscard]] const sigset_t &mask() const { return Before; }

private:
  sigset_t Before = {};
  struct sigaction Old[std::size(Ends)] = {};
};

std::vector<char *> pointers(llvm::ArrayRef<std::string> Words) {
  std::vector<char *> Result;
  for (const std::string &Word : Words)
    Result.push_back(const_cast<char *>(Word.c_str())); // exec's interface predates const
  Result.push_back(nullptr);
  return Result;
}

llvm::Error cannotRun(llvm::StringRef Program, int Code) {
  const std::error_code Why(Code, std::generic_category());
  return llvm::createStringError(Why, "cannot run '%s': %s", Program.str().c_str(),
                                 Why.message().c_str());
}

} // namespace

llvm::Expected<Ending> run(llvm::ArrayRef<std::string> Words, const std::string &Messages) {
  Forwarding Signals;
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&Attributes, &Signals.mask());
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  if (!Messages.empty())
    posix_spawn_file_actions_addopen(&Files, STDERR_FILENO, Messages.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
  pid_t Process = 0;
  const int Code = posix_spawnp(&Process, Words[0].c_str(), &Files, &Attributes,
                                pointers(Words).data(), environ);
  posix_spawn_file_actions_destroy(&Files);
  posix_spawnattr_destroy(&Attributes);
  if (Code != 0)
    return cannotRun(Words[0], Code);
  Signals.to(Process);

  int State = 0;
  while (waitpid(Process, &State, 0) < 0)
    if (errno != EINTR)
      return cannotRun(Words[0], errno);
  return WIFSIGNALED(State) ? Ending{0, WTERMSIG(State)} : Ending{WEXITSTATUS(State), 0};
}

llvm::Error become(llvm::ArrayRef<std::string> Words) {
  execvp(Words[0].c_str(), pointers(Words).data());
  return cannotRun(Words[0], errno);
}

void exitAs(Ending How) {
  if (How.Signal != 0) {
    signal(How.Signal, SIG_DFL);
    raise(How.Signal);
    exit(128 + How.Signal); // if the signal did not end this process
  }
  exit(How.Status);
}

} // namespace graphprof::launcher
