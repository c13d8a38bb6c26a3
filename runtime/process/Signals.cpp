// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/Signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>

#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "OwnThread.h"
#include "Thrown.h"
#include "process/Lifetime.h"
#include "process/MainThread.h"

namespace graphprof {

namespace {

constexpr std::array watched = {SIGINT, SIGTERM};
constexpr timespec holdPoll{0, 1'000'000};

std::atomic<bool> begun{false};
std::atomic<int> came{0}; // the first signal
std::atomic<bool> stuck{false}, over{false};
sem_t wake;
pid_t watchOwner = 0;

bool isDefault(const struct sigaction &action) {
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

void leaveToSystem(int signal) noexcept {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
}

// Did the signal interrupt a system call that will not continue, such as pause(), sleep() or
// poll()? Such a thread holds no lock of graphprof's or of the allocator's. If the answer is wrong
// because the register happens to hold this number, data may be lost.
bool endsACall(const void *interrupted) noexcept {
  const auto &registers = static_cast<const ucontext_t *>(interrupted)->uc_mcontext;
#if defined(__x86_64__)
  return registers.gregs[REG_RAX] == -EINTR;
#elif defined(__aarch64__)
  return static_cast<std::int64_t>(registers.regs[0]) == -EINTR;
#else
  (void)registers;
  return true;
#endif
}

// Without graphprof, the signal would have ended the program here, so nothing of it may run behind.
// But what was interrupted may hold a lock that the end needs: if that makes no progress, the
// program continues for the moment, as if the signal came later. No handlers of the program run
// meanwhile; a second signal ends the wait.
void holdThread(const void *interrupted) noexcept {
  sigset_t held;
  sigfillset(&held);
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGTSTP})
    sigdelset(&held, signal);
  pthread_sigmask(SIG_SETMASK, &held, nullptr);
  const bool mayContinue = !endsACall(interrupted);
  while (!over.load() && !(mayContinue && stuck.load()))
    ::nanosleep(&holdPoll, nullptr);
}

// A second signal means that the user does not want to wait.
extern "C" void onSignal(int signal, siginfo_t *, void *interrupted) {
  const int before = errno;
  int none = 0;
  if (::getpid() == watchOwner && came.compare_exchange_strong(none, signal)) {
    ::sem_post(&wake);
    holdThread(interrupted);
  } else {
    leaveToSystem(signal);
    (void)::raise(signal);
  }
  errno = before;
}

bool isOurs(int signal) noexcept {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) &&
         action.sa_sigaction == onSignal;
}

void watch() noexcept {
  while (::sem_wait(&wake) != 0) {
  }
  endWithin(endPatience, []() noexcept { stuck.store(true); });
  const int signal = came.load();
  leaveToSystem(signal);
  sigset_t it;
  sigemptyset(&it);
  sigaddset(&it, signal);
  pthread_sigmask(SIG_UNBLOCK, &it, nullptr);
  (void)::raise(signal);
  over.store(true); // not reached: nobody ignores the signal
}

void takeOver(int signal) noexcept {
  struct sigaction ours{}, before{};
  ours.sa_sigaction = onSignal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK; // the program must not notice the handler
  // Another thread may have set a handler meanwhile.
  if (::sigaction(signal, &ours, &before) == 0 && !isDefault(before))
    ::sigaction(signal, &before, nullptr);
}

bool isLeftToSystem(int signal) noexcept {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && isDefault(action);
}

} // namespace

void watchSignals() noexcept {
  if (begun.load(std::memory_order_relaxed) || begun.exchange(true))
    return;
  followMainThread();
  if (::getpid() == 1) // a container's first process: the system ignores what it does not handle
    return;
  std::array<bool, watched.size()> left{};
  bool any = false;
  for (std::size_t i = 0; i < watched.size(); ++i)
    any |= left[i] = isLeftToSystem(watched[i]);
  if (!any || ::sem_init(&wake, 0, 0) != 0)
    return;
  watchOwner = ::getpid();
  if (!survived([] { startOwnThread(watch); })) // the signals keep their defaults
    return;
  for (std::size_t i = 0; i < watched.size(); ++i)
    if (left[i])
      takeOver(watched[i]);
}

void awaitSignalsEnd() noexcept {
  while (came.load() && ::getpid() == watchOwner && !over.load())
    ::nanosleep(&holdPoll, nullptr);
}

void signalsInChild() noexcept {
  for (const int signal : watched)
    if (isOurs(signal))
      leaveToSystem(signal);
}

} // namespace graphprof
