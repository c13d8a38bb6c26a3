// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "api/Signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "NoSignals.h"
#include "api/Lifetime.h"

namespace graphprof {

namespace {

constexpr std::array watched = {SIGINT, SIGTERM};
constexpr std::chrono::milliseconds endPatience{1'800};

std::atomic<bool> begun{false};
std::atomic<int> came{0}; // the first signal
sem_t wake;
pid_t owner = 0;

bool isDefault(const struct sigaction &action) {
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

void leaveToSystem(int signal) noexcept {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
}

// A second signal means that the user does not want to wait.
extern "C" void onSignal(int signal) {
  const int before = errno;
  int none = 0;
  if (::getpid() == owner && came.compare_exchange_strong(none, signal)) {
    ::sem_post(&wake);
  } else {
    leaveToSystem(signal);
    (void)::raise(signal);
  }
  errno = before;
}

bool isOurs(int signal) noexcept {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && !(action.sa_flags & SA_SIGINFO) &&
         action.sa_handler == onSignal;
}

void watch() noexcept {
  pthread_setname_np(pthread_self(), "graphprof");
  while (::sem_wait(&wake) != 0) {
  }
  endWithin(endPatience);
  const int signal = came.load();
  leaveToSystem(signal);
  sigset_t it;
  sigemptyset(&it);
  sigaddset(&it, signal);
  pthread_sigmask(SIG_UNBLOCK, &it, nullptr);
  (void)::raise(signal);
}

void takeOver(int signal) noexcept {
  struct sigaction ours{}, before{};
  ours.sa_handler = onSignal;
  ours.sa_flags = SA_RESTART | SA_ONSTACK; // the program must not notice the handler
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
  std::array<bool, watched.size()> left{};
  bool any = false;
  for (std::size_t i = 0; i < watched.size(); ++i)
    any |= left[i] = isLeftToSystem(watched[i]);
  if (!any || ::sem_init(&wake, 0, 0) != 0)
    return;
  owner = ::getpid();
  try {
    const NoSignals inThread;
    std::thread(watch).detach();
  } catch (...) { // no thread: the signals keep their defaults
    return;
  }
  for (std::size_t i = 0; i < watched.size(); ++i)
    if (left[i])
      takeOver(watched[i]);
}

void signalsInChild() noexcept {
  for (const int signal : watched)
    if (isOurs(signal))
      leaveToSystem(signal);
}

} // namespace graphprof
