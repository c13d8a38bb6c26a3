// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "OwnThread.h"

#include <atomic>
#include <cfenv>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>

#include <dirent.h>
#include <pthread.h>

#include "NoSignals.h"

namespace graphprof {

namespace {

// Counted while the thread certainly exists, so never more than there are.
std::atomic<std::size_t> count{0};

// How many threads the process has, with one that has ended but is the main one. 0: unknown.
std::size_t threadsOfProcess() noexcept {
  const std::unique_ptr<DIR, int (*)(DIR *)> folder(::opendir("/proc/self/task"), ::closedir);
  std::size_t threads = 0;
  while (const dirent *const entry = folder ? ::readdir(folder.get()) : nullptr)
    threads += entry->d_name[0] == '.' ? 0 : 1;
  return threads;
}

} // namespace

void startOwnThread(std::function<void()> work) {
  const NoSignals inThread;
  std::thread([work = std::move(work)]() mutable {
    ++count;
    std::fesetenv(FE_DFL_ENV);                       // a thread inherits what the program has set
    pthread_setname_np(pthread_self(), "graphprof"); // for debuggers and profilers
    std::exchange(work, nullptr)();
    --count;
  }).detach();
}

bool onlyOwnThreadsAreLeft() noexcept {
  const std::size_t own = count.load(); // first: threads that begin meanwhile are the program's
  const std::size_t all = threadsOfProcess();
  return all > 0 && all <= own + 1;
}

void forgetOwnThreads() noexcept { count.store(0); }

} // namespace graphprof
