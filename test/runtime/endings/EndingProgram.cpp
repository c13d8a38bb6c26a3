// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program that ends in the way that its argument names, with replays in flight and a region
// open. With a second argument, "flushed", graphprof has been asked to flush two replays before.
// "idle" alone does nothing at all. Files of its own are those of PROGRAM_FILES, a path.

#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "Program.h"

namespace {

using graphprof::test::Replayed;

Replayed *replayed = nullptr;
std::string program; // how it was started

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
  explicit Open(cudaStream_t stream) : scope(site, graphprof::on_stream(stream)) {}
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
  // The launch prints no line: whether it came to that would be chance. The process ends after some
  // time, whatever the launch has come to until then.
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::quick_exit(3);
  }).detach();
  replayed->launchUnseen();
  forEver();
}
int quickExits() { std::quick_exit(3); }
int exitsAtOnce() { _exit(3); }
int aborts() { std::abort(); }
int isTerminated() {
  (void)raise(SIGTERM);
  forEver();
}
#ifndef GRAPHPROF_TEST_PLAIN
void flushes() { (void)graphprof::flush(); }
void attachesAProfiler() {
  const graphprof::Profiler profiler([](const graphprof::Record &) {});
}
// A callback that takes its time.
void hold(std::chrono::milliseconds time) {
  static graphprof::Profiler *const profiler = new graphprof::Profiler(
      [time](const graphprof::Record &) { std::this_thread::sleep_for(time); });
  (void)profiler;
}
#else
void flushes() {}
void attachesAProfiler() {}
void hold(std::chrono::milliseconds) {}
#endif

// Another thread sends it when this one waits.
int isTerminatedIn(void (*wait)()) {
  std::thread([] {
    for (char state = 0; state != 'S';) {
      std::ifstream file("/proc/self/task/" + std::to_string(getpid()) + "/stat");
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      state = text[text.rfind(')') + 2];
    }
    kill(getpid(), SIGTERM);
  }).detach();
  wait();
  std::printf("behind the wait\n");
  std::fflush(stdout);
  return 3;
}
int isTerminatedInPause() {
  return isTerminatedIn([] { pause(); });
}
int isTerminatedInPoll() {
  return isTerminatedIn([] { poll(nullptr, 0, -1); });
}
int isTerminatedInSleep() {
  return isTerminatedIn([] { sleep(1'000); });
}
// The signal came first: it is the status. Without graphprof the process ends before the call of
// exit() does.
int exitsBesideSigterm() {
  const pthread_t main = pthread_self();
  std::thread([main] {
    pthread_kill(main, SIGTERM); // NOLINT(bugprone-bad-signal-to-kill-thread)
    // Nothing tells that the end for the signal has begun, which exit() is to meet.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::exit(3);
  }).detach();
  forEver();
}

// The process ends with its last thread.
int endsMainThread() { pthread_exit(nullptr); }
int endsMainThreadBeforeAnother() {
  std::thread([] {
    for (char state = 0; state != 'Z';) {
      std::ifstream file("/proc/self/task/" + std::to_string(getpid()) + "/stat");
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      state = text[text.rfind(')') + 2];
    }
    replayed->launch(1);
    replayed->show();
  }).detach();
  pthread_exit(nullptr);
}

// The program has not come to a cancellation point yet.
int isCancelled() {
  pthread_t thread{};
  void *returned = nullptr;
  const auto work = [](void *) -> void * {
    pthread_cancel(pthread_self());
    {
      REGION(6, "in a cancelled thread", replayed->stream());
    }
    flushes();
    attachesAProfiler();
    return replayed;
  };
  if (pthread_create(&thread, nullptr, work, nullptr) != 0 || pthread_join(thread, &returned) != 0)
    return 2;
  std::printf("cancelled: %d\n", returned == PTHREAD_CANCELED ? 1 : 0);
  return 3;
}

// As programs that compute have it, here from the begin: each inexact result is a signal.
int computesItsOwnWay() {
  std::printf("rounds upward: %d, traps: %d\n", std::fegetround() == FE_UPWARD ? 1 : 0,
              fegetexcept() == FE_INEXACT ? 1 : 0);
  return 3;
}

int isInterruptedByHand() { // Ctrl-C
  (void)raise(SIGINT);
  forEver();
}
int isTerminatedTwice() {
  hold(std::chrono::hours(1));
  replayed->launch(3);
  (void)raise(SIGTERM);
  (void)raise(SIGTERM); // who asks twice does not want to wait
  forEver();
}
int isTerminatedWhileItHangs() {
  hold(std::chrono::hours(1));
  replayed->launch(3);
  (void)raise(SIGTERM);
  forEver();
}
// Signals that the program has taken, or left to nobody, are its own: it was so before it launched.
volatile std::sig_atomic_t handled = 0;
void takesSignals(const std::string &way) {
  if (way == "SIGTERM-handled")
    (void)std::signal(SIGTERM, [](int) { handled = 1; });
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  if (way == "SIGTERM-waited")
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}
int handlesSigterm() {
  (void)raise(SIGTERM);
  std::printf("handled %d\n", static_cast<int>(handled));
  return 3;
}
int handlesSigtermLater() {
  (void)std::signal(SIGTERM, [](int) { handled = 1; });
  return handlesSigterm();
}
int waitsForSigterm() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  kill(getpid(), SIGTERM);
  int signal = 0;
  sigwait(&set, &signal);
  std::printf("got %d\n", signal == SIGTERM ? 1 : 0);
  return 3;
}
// As under nohup, where its parent has said so.
int ignoresSigint() {
  (void)raise(SIGINT);
  std::printf("goes on\n");
  return 3;
}
int crashes() {
  (void)raise(SIGSEGV);
  forEver();
}
int throws() { throw std::runtime_error("nobody catches this"); }
// What the device has been reset below is nobody's to use, nor a leak.
void leave(Replayed *reset) {
  static auto *const left = new std::vector<Replayed *>;
  left->push_back(reset);
  replayed = nullptr;
}
int resets() {
  SEE(cudaStreamSynchronize(replayed->stream()));
  SEE(calls::cudaDeviceReset());
  leave(replayed);
  return 3;
}
// The device then has another life.
int resets(cudaError_t (*reset)()) {
  SEE(reset());
  leave(replayed);
  auto *const again = new Replayed;
  again->launch(3);
  again->show();
  leave(again);
  return 3;
}
int resetsInFlight() {
  replayed->launch(8);
  return resets(calls::cudaDeviceReset);
}
// In a library that was not instrumented. With events, graphprof may ask about one at the very
// moment of such a reset, and the simulation aborts then, as the driver does: so nothing is in
// flight.
int resetsUnseen() {
  replayed->launch(8);
  const char *clock = std::getenv("GRAPHPROF_CLOCK");
  if (clock && std::strcmp(clock, "event") == 0)
    flushes();
  return resets(::cudaDeviceReset);
}

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

// As a daemon does, which then opens files of its own.
int closesDescriptors(int first) {
  constexpr int last = 255, files = 40;
  for (int descriptor = first; descriptor <= last; ++descriptor)
    close(descriptor);
  const char *const path = std::getenv("PROGRAM_FILES");
  for (int i = 0; path && i < files; ++i) {
    const int file = open((path + std::to_string(i)).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(file, "mine\n", 5) != 5)
      return 2;
  }
  replayed->launch(3);
  return 3;
}
int becomesADaemon() { return closesDescriptors(3); }
int becomesADaemonWithoutStderr() { return closesDescriptors(2); }

// Its arguments are those of another process, with the same environment.
int starts(const char *arguments) {
  std::fflush(stdout);
  const int status = std::system((program + ' ' + arguments).c_str()); // NOLINT: our own words
  std::printf("the other ended with %d\n", status);
  replayed->launch(3);
  return 3;
}
int startsAnIdleOne() { return starts("idle"); }
int startsAnother() { return starts("return"); }

int exitsOnASmallStack() {
#if defined(__has_feature) // a sanitizer needs more
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  constexpr std::size_t bytes = 1 << 20;
#else
  constexpr std::size_t bytes = 1 << 16;
#endif
#else
  constexpr std::size_t bytes = 1 << 16;
#endif
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, bytes);
  pthread_t thread{};
  if (pthread_create(&thread, &small, [](void *) -> void * { std::exit(3); }, nullptr) != 0)
    return 2;
  forEver();
}

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

// From here on there is no room for the stack of another thread.
void refuseThreads() {
  pthread_attr_t attributes;
  constexpr std::size_t tooLarge = std::size_t{1} << 46;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, tooLarge);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

int isInterrupted(bool twice) {
  static const bool again = twice;
  std::signal(SIGALRM, [](int) {
    if (again)
      (void)std::signal(SIGALRM, [](int) { std::exit(3); });
    std::exit(3);
  });
  const itimerval soon{{0, 500}, {0, 20'000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
  // Says nothing: it depends on the time.
  for (;;) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    calls::cudaStreamBeginCapture(replayed->stream(), cudaStreamCaptureModeGlobal);
    {
      REGION(1, "interrupted", replayed->stream());
      cudaMemsetAsync(nullptr, 0, 0, replayed->stream());
    }
    calls::cudaStreamEndCapture(replayed->stream(), &graph);
    calls::cudaGraphInstantiateWithFlags(&exec, graph, 0);
    for (int i = 0; i < 20; ++i) {
      REGION(2, "outside", replayed->stream());
      calls::cudaGraphLaunch(exec, replayed->stream());
    }
    calls::cudaGraphExecDestroy(exec);
    calls::cudaGraphDestroy(graph);
  }
}
int exitsInAHandler() { return isInterrupted(false); }
int exitsInAHandlerTwice() { return isInterrupted(true); }

const std::map<std::string, int (*)()> ways = {
    {"return", returns},
    {"exit", exits},
    {"exit-elsewhere", exitsElsewhere},
    {"pthread_exit", endsMainThread},
    {"pthread_exit-first", endsMainThreadBeforeAnother},
    {"cancelled", isCancelled},
    {"floats", computesItsOwnWay},
    {"quick_exit", quickExits},
    {"quick_exit-elsewhere", exitsBesideLaunches},
    {"_exit", exitsAtOnce},
    {"abort", aborts},
    {"SIGTERM", isTerminated},
    {"SIGINT", isInterruptedByHand},
    {"SIGTERM-twice", isTerminatedTwice},
    {"SIGTERM-pause", isTerminatedInPause},
    {"SIGTERM-poll", isTerminatedInPoll},
    {"SIGTERM-sleep", isTerminatedInSleep},
    {"SIGTERM-beside-exit", exitsBesideSigterm},
    {"SIGTERM-hang", isTerminatedWhileItHangs},
    {"SIGTERM-handled", handlesSigterm},
    {"SIGTERM-handled-later", handlesSigtermLater},
    {"SIGTERM-waited", waitsForSigterm},
    {"SIGINT-ignored", ignoresSigint},
    {"SIGSEGV", crashes},
    {"throw", throws},
    {"reset", resets},
    {"reset-in-flight", resetsInFlight},
    {"reset-unseen", resetsUnseen},
    {"fork", forks},
    {"fork-in-a-region", forksInARegion},
    {"statics", endsInStatics},
    {"thread_locals", endsInThreadLocals},
    {"daemon", becomesADaemon},
    {"daemon-without-stderr", becomesADaemonWithoutStderr},
    {"start-idle", startsAnIdleOne},
    {"start-another", startsAnother},
    {"small-stack", exitsOnASmallStack},
    {"hang", hangs},
    {"starve", starves},
    {"threadless", returns},
    {"exit-in-handler", exitsInAHandler},
    {"exit-in-handler-twice", exitsInAHandlerTwice},
};

} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && argv[1] == std::string("idle"))
    return 0;
  program = argv[0];
  const auto way = argc > 1 ? ways.find(argv[1]) : ways.end();
  if (way == ways.end())
    return 2;
  if (way->first == "threadless")
    refuseThreads();
  // Behind graphprof's end, which is registered later: the simulation's and the C library's may
  // meet what was interrupted half done, and hang or abort without graphprof, too.
  if (way->first.starts_with("exit-in-handler"))
    std::atexit([] { _exit(3); });
  takesSignals(way->first);
  if (way->first == "floats") {
    feenableexcept(FE_INEXACT);
    std::fesetround(FE_UPWARD);
  }
  replayed = new Replayed;
  replayed->launch(2);
  replayed->show();
  if (argc > 2 && argv[2] == std::string("flushed"))
    flushes();
  replayed->launch(2); // in flight from here on
  REGION(1, "main", replayed->stream());
  return way->second();
}
