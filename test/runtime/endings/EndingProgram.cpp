// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program that ends in the way that its argument names, with replays in flight and a region
// open. With a second argument, "flushed", graphprof has been asked to flush two replays before.

#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "Program.h"

namespace {

using graphprof::test::Replayed;

Replayed *replayed = nullptr;

[[noreturn]] void forEver() {
  for (;;)
    pause();
}

void launchTimed(const Replayed &graph) {
  REGION(3, "around", graph.stream());
  graph.launch(2);
}

/// Its end launches, in a region, when everything that began later is gone.
struct Late {
  ~Late() {
    if (replayed) {
      launchTimed(*replayed);
      replayed->show();
    }
  }
};

/// A region that is open until its end. Where there is graphprof, in a Scope of its own.
struct Open {
#ifdef GRAPHPROF_TEST_PLAIN
  explicit Open(cudaStream_t) {}
#else
  explicit Open(cudaStream_t stream) : scope(site, graphprof::onStream(stream)) {}
  static constexpr graphprof::Site site{"open", __FILE__, __LINE__, "Open"};
  graphprof::Scope scope;
#endif
};

Late first; // constructed before anything of CUDA's or graphprof's is used, so destroyed behind it

int returns() { return 3; }
int exits() { std::exit(3); }
int exitsElsewhere() {
  std::thread([] {
    replayed->launch(1);
    std::exit(3);
  }).detach();
  forEver();
}
int exitsBesideLaunches() {
  // The lines that this thread prints are as many as it comes to: it prints none.
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::quick_exit(3);
  }).detach();
  replayed->launch(1);
  forEver();
}
int quickExits() { std::quick_exit(3); }
int exitsAtOnce() { _exit(3); }
int aborts() { std::abort(); }
int isTerminated() {
  (void)raise(SIGTERM);
  forEver();
}
int crashes() {
  (void)raise(SIGSEGV);
  forEver();
}
int throws() { throw std::runtime_error("nobody catches this"); }
int resets() {
  SEE(cudaStreamSynchronize(replayed->stream()));
  SEE(calls::cudaDeviceReset());
  replayed = nullptr;
  return 3;
}
// With replays under way; then the device has another life.
int resets(cudaError_t (*reset)()) {
  replayed->launch(8);
  SEE(reset());
  auto *const again = new Replayed;
  again->launch(3);
  again->show();
  replayed = nullptr;
  return 3;
}
int resetsInFlight() { return resets(calls::cudaDeviceReset); }
// In a library that was not instrumented.
int resetsUnseen() { return resets(::cudaDeviceReset); }

// CUDA does not work in a forked child; everything else does, graphprof's functions included.
[[noreturn]] void goOnInChild([[maybe_unused]] cudaStream_t stream) {
  replayed = nullptr;
  REGION(4, "in the child", stream);
#ifndef GRAPHPROF_TEST_PLAIN
  graphprof::stop();
  graphprof::start();
  {
    const graphprof::Profiler profiler([](const graphprof::Record &) {});
    const graphprof::Step step;
    (void)graphprof::flush();
  }
  (void)graphprof::losses();
#endif
  std::exit(4);
}

int forks() {
  const pid_t child = fork();
  if (child == 0)
    goOnInChild(replayed->stream());
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("the child ended with %d\n", status);
  replayed->launch(3);
  return 3;
}

// While a region is open that the child closes.
int forksInARegion() {
  Open *open = new Open(replayed->stream());
  const pid_t child = fork();
  if (child == 0) {
    delete open;
    goOnInChild(replayed->stream());
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("the child ended with %d\n", status);
  delete open;
  return 3;
}

int endsInStatics() {
  static Late late;                     // before exit's handlers of graphprof
  static Open open(replayed->stream()); // closed behind the main thread's thread_locals
  return 3;
}

int endsInThreadLocals() {
  const auto use = [] {
    thread_local Late late;                     // its region begins behind graphprof's
    thread_local Open open(replayed->stream()); // own thread_locals
    thread_local std::unique_ptr<Open> again = std::make_unique<Open>(replayed->stream());
    (void)late;
    launchTimed(*replayed);
  };
  std::thread(use).join();
  use();
  return 3;
}

#ifndef GRAPHPROF_TEST_PLAIN
void flushes() { (void)graphprof::flush(); }
void hold(std::chrono::milliseconds time) {
  static graphprof::Profiler *const profiler = new graphprof::Profiler(
      [time](const graphprof::Record &) { std::this_thread::sleep_for(time); });
  (void)profiler;
}
#else
void flushes() {}
void hold(std::chrono::milliseconds) {}
#endif

int hangs() {
  hold(std::chrono::hours(1));
  replayed->launch(3);
  return 3;
}
int starves() {
  hold(std::chrono::milliseconds(50));
  replayed->launch(100);
  return 3;
}

const std::map<std::string, int (*)()> ways = {
    {"return", returns},
    {"exit", exits},
    {"exit-elsewhere", exitsElsewhere},
    {"quick_exit", quickExits},
    {"quick_exit-elsewhere", exitsBesideLaunches},
    {"_exit", exitsAtOnce},
    {"abort", aborts},
    {"SIGTERM", isTerminated},
    {"SIGSEGV", crashes},
    {"throw", throws},
    {"reset", resets},
    {"reset-in-flight", resetsInFlight},
    {"reset-unseen", resetsUnseen},
    {"fork", forks},
    {"fork-in-a-region", forksInARegion},
    {"statics", endsInStatics},
    {"thread_locals", endsInThreadLocals},
    {"hang", hangs},
    {"starve", starves},
};

} // namespace

int main(int argc, char **argv) {
  const auto way = argc > 1 ? ways.find(argv[1]) : ways.end();
  if (way == ways.end())
    return 2;
  replayed = new Replayed;
  replayed->launch(2);
  replayed->show();
  if (argc > 2 && argv[2] == std::string("flushed"))
    flushes();
  replayed->launch(2); // in flight from here on
  REGION(1, "main", replayed->stream());
  return way->second();
}
