// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/MainThread.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "OwnThread.h"
#include "Thrown.h"
#include "process/Lifetime.h"
#include "process/OpenRegions.h"

namespace graphprof {

namespace {

// How often to look for the program's last thread when its main thread has ended.
constexpr timespec lastThreadPoll{0, 20'000'000};

// The main thread takes it and never gives it back, and the system wakes who waits for it when that
// thread is gone.
pthread_mutex_t lifeOfMain;
std::atomic<bool> isHeld{false}, isFollowed{false}, exits{false};

void hold() noexcept {
  if (isHeld.load(std::memory_order_relaxed) || ::gettid() != ::getpid() || isHeld.exchange(true))
    return;
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lifeOfMain, &robust);
  pthread_mutexattr_destroy(&robust);
  (void)pthread_mutex_trylock(&lifeOfMain);
  (void)survived([] { (void)OpenRegions::ofThisThread(); }); // says of pthread_exit()
}

void awaitLastThread() noexcept {
  while (!onlyOwnThreadsAreLeft())
    ::nanosleep(&lastThreadPoll, nullptr);
}

// What the main thread gave to exit. In `/proc/self/task/PID/stat`, the last number: as wait() has
// it.
int statusOfMain() {
  std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/stat");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text.erase(text.find_last_not_of(" \n") + 1);
  int status = 0;
  const std::size_t last = text.rfind(' ');
  if (last != std::string::npos)
    std::from_chars(text.data() + last + 1, text.data() + text.size(), status);
  return WEXITSTATUS(status);
}

void follow() noexcept {
  if (pthread_mutex_lock(&lifeOfMain) != EOWNERDEAD || exits.load())
    return;
  awaitLastThread();
  (void)leaveWithin(endPatience);
  int status = 0;
  (void)survived([&] { status = statusOfMain(); });
  for (;;)
    syscall(SYS_exit_group, status);
}

} // namespace

void followMainThread() noexcept {
  hold();
  if (!isHeld.load() || isFollowed.load(std::memory_order_relaxed) || isFollowed.exchange(true))
    return;
  (void)survived([] { startOwnThread(follow); }); // without it such a process does not end
}

void mainThreadExits() noexcept {
  if (exits.exchange(true))
    return;
  sigset_t programs;
  pthread_sigmask(SIG_SETMASK, nullptr, &programs);
  (void)survived([&] {
    startOwnThread([programs] {
      awaitLastThread();
      pthread_sigmask(SIG_SETMASK, &programs, nullptr); // exit handlers are the program's
      std::exit(0);                                     // as the C library does
    });
  });
}

void forgetMainThread() noexcept {
  isHeld = false;
  isFollowed = false;
}

} // namespace graphprof
