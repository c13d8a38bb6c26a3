// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/Lifetime.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "Deadline.h"
#include "Edge.h"
#include "OwnThread.h"
#include "Thrown.h"
#include "backend/Backends.h"
#include "clock/HostClock.h"
#include "control/Server.h"
#include "cuda/Driver.h"
#include "graph/Graphs.h"
#include "graph/harvest/Harvester.h"
#include "graphprof/control.h"
#include "host/HostSpans.h"
#include "output/data/Run.h"
#include "output/io/File.h"
#include "process/BackendRegions.h"
#include "process/Facts.h"
#include "process/GraphMemoryAnswer.h"
#include "process/Interrupted.h"
#include "process/MainThread.h"
#include "process/OpenRegions.h"
#include "process/Process.h"
#include "process/Signals.h"
#include "process/StepSpans.h"
#include "process/Where.h"
#include "services/Steps.h"
#include "session/Session.h"
#include "session/cycles/Saver.h"
#include "session/cycles/ScheduledOutputs.h"

namespace graphprof {

bool detail::activeFlag = true;

namespace {

// Traces that are not written within this time are left out.
constexpr std::int64_t saverPatienceMs = 2000;
// There is less time before a signal ends the process.
constexpr std::int64_t signalPatienceMs = 1000;
constexpr std::chrono::milliseconds wherePatience{200}; // to find out where replays are

// How long to wait for another thread that works on the end but makes no progress.
constexpr std::chrono::seconds stuckPatience{3};
constexpr std::chrono::milliseconds endingPoll{1};
// The same before a signal ends the process. Shorter: it has two seconds in all.
constexpr std::chrono::milliseconds stuckBeforeSignal{200};

std::atomic<bool> forked{false};
std::atomic<pid_t> owner{0}; // the process whose threads and outputs graphprof's are

// Is this a child that was made without fork() (by the system call clone), so that inChild() was
// not called? It has none of the parent's threads either.
bool isForeignChild() noexcept { return ::getpid() != owner.load(std::memory_order_relaxed); }

std::atomic<ScheduledOutputs *> scheduled{nullptr};

enum class Ending : std::uint8_t { NotYet, Begun, Done };
std::atomic<Ending> ending{Ending::NotYet};
std::atomic<std::thread::id> endingThread; // the thread that works on the end
std::atomic<clockid_t> endingClock{0};     // that thread's clock

// Runs `work`. If memory is short, leaves it out and continues.
template <class Work> void attempt(Work work) noexcept {
  if (!survived(work))
    process().session.lose(&Counters::dropped, 1, "the outputs are incomplete: no memory");
}

// Waits for launched replays, within the bound, and closes the outputs. Other threads may continue:
// while their replays run, the launches of each exec are still kept in order.
// `inFlight`: says which replays there are.
void end(std::int64_t launchPatienceMs, std::int64_t tracePatienceMs,
         void (*inFlight)() noexcept = nullptr) noexcept {
  endingThread.store(std::this_thread::get_id());
  if (clockid_t clock{}; pthread_getcpuclockid(pthread_self(), &clock) == 0)
    endingClock.store(clock);
  Process &own = process();
  Session &session = own.session;
  Harvester &harvester = own.harvester;
  own.steps.ending();
  session.recordingSwitch.permit(false);
  if (ScheduledOutputs *const outputs = scheduledOutputs()) {
    own.steps.tell(nullptr);
    attempt([&] { outputs->leave(); });
  }
  own.windows.leave();
  const bool all = harvester.flush(launchPatienceMs);
  attempt([&] { own.backendRegions.collect(launchPatienceMs, true); });
  __atomic_store_n(&detail::activeFlag, false, __ATOMIC_SEQ_CST);
  if (!all && inFlight)
    inFlight();
  if (!all)
    attempt([&] { harvester.abandon(); });
  attempt([&] { own.graphs.countUnused(); });
  own.graphMemory.finish();
  attempt([&] {
    if (!saver().flush(tracePatienceMs))
      session.say("a trace is not written: the function on_trace_ready has not returned");
  });
  session.close();
  ControlServer::leave();
  ending.store(Ending::Done);
}

void end() noexcept { end(process().session.config().exitTimeoutMs, saverPatienceMs); }

void endSoon() noexcept {
  end(std::min(process().session.config().exitTimeoutMs, signalPatienceMs), signalPatienceMs,
      []() noexcept { sayWhereAtEnd(wherePatience); });
}

// How long the threads have worked for which the end waits.
std::chrono::nanoseconds worked() noexcept {
  timespec time{};
  if (const clockid_t clock = endingClock.load())
    clock_gettime(clock, &time);
  return process().harvester.worked() + std::chrono::seconds(time.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec);
}

// Waits for another thread that works on the end. Takes no lock, because this thread may hold it.
void awaitEnd() noexcept {
  auto before = worked();
  for (Deadline deadline(stuckPatience, endingPoll); ending.load() != Ending::Done;) {
    std::this_thread::sleep_for(endingPoll);
    if (const auto now = worked(); now != before) {
      before = now;
      deadline = Deadline(stuckPatience, endingPoll);
    } else if (deadline.isOver()) {
      writeError("graphprof: the outputs are incomplete: exit() in a signal handler interrupted "
                 "something that they wait for\n");
      ending.store(Ending::Done); // nobody waits again
      return;
    }
  }
}

// At exit; registered twice. exit() may be called anywhere, even in a signal handler. The code that
// the signal interrupted, in graphprof or in the allocator, keeps its locks for ever. In that case
// the harvest thread ends the session, and this thread waits while that makes progress.
void finishNow() noexcept {
  if (!active() && ending.load() == Ending::NotYet)
    return;
  Ending before = Ending::NotYet;
  if (!ending.compare_exchange_strong(before, Ending::Begun)) {
    if (before == Ending::Begun && endingThread.load() != std::this_thread::get_id())
      awaitEnd();
    return; // the same thread was interrupted here and does not continue
  }
  if (!mayBeInterrupted()) {
    OpenRegions::endOfThread();
    return end();
  }
  Process &own = process();
  own.session.counters.eager += OpenRegions::waitingOnThread();
  if (own.harvester.onThread(end))
    awaitEnd();
}

// A signal may come meanwhile.
void finish() noexcept {
  if (isForeignChild())
    return;
  const Edge edge;
  awaitSignalsEnd();
  finishNow();
  awaitSignalsEnd();
}

// Connects the parts of this process.
void beginSession() noexcept {
  Process &own = process();
  const Config &config = own.session.config();
  own.session.factsFrom(facts);
  own.hostSpans.wakeWith([]() noexcept { process().harvester.wake(); });
  own.harvester.watchFor(config.stuckNs, sayStuck);
  attempt([&] { own.steps.show(new StepSpans(own.session, own.hostSpans)); });
  attempt([&] {
    if (!config.schedule)
      return;
    auto *const outputs =
        new ScheduledOutputs(own.session, saver(), OpenRegions::handOnEnded, hostNowNs);
    scheduled.store(outputs);
    own.steps.tell(outputs);
  });
}

// graphprof has not begun anything that a forked child would have to end, and no other thread can
// hold a lock that the child needs: everything that measures first asks for the driver, and
// everything that counts steps first says so. What others use is made when graphprof is loaded,
// because the first use of a static object takes a lock, too. This is the case before the program's
// first CUDA call.
bool nothingBegun() noexcept {
  return active() && ending.load() == Ending::NotYet && !driver::wasAsked() &&
         !process().steps.used();
}

// A forked child has none of the parent's threads, and must not write to its outputs. If graphprof
// had nothing to do yet, the child is a process like any other. Otherwise graphprof is off; CUDA
// does not work there either, as a rule.
void inChild() {
  forgetOwnThreads();
  if (nothingBegun()) {
    forgetRun();
    owner = ::getpid();
    forgetMainThread();
    if (Process::renew())
      return beginSession();
  }
  signalsInChild();
  Windows::inChild();
  ControlServer::inChild();
  __atomic_store_n(&detail::activeFlag, false, __ATOMIC_SEQ_CST);
  forked.store(true);
}

// Null if the backend in use is CUDA's.
const char *whyLeftAlone() noexcept {
  const graphprof_backend *const named = backendByName();
  if (!named || named == &cudaBackend())
    return nullptr;
  const char *why = "another backend is used: CUDA is left alone";
  attempt([&] {
    const auto *const text = new std::string("GRAPHPROF_BACKEND=" + std::string(named->name) +
                                             ": CUDA is left alone"); // kept for whyNot()
    why = text->c_str();
  });
  return why;
}

// Runs before main(): one switch for the whole process.
const bool loaded = []() noexcept {
  owner = ::getpid();
  const Config &config = process().session.config();
  __atomic_store_n(&detail::activeFlag, config.enabled, __ATOMIC_SEQ_CST);
  if (!config.enabled)
    return true;
  if (!config.backend.empty()) // more backends may register until one is needed
    driver::leaveAloneIf(whyLeftAlone);
  attempt([] { (void)OpenRegions::ofThisThread(); });
  beginSession();
  std::atexit(finish);
  pthread_atfork(nullptr, nullptr, inChild);
  return true;
}();

} // namespace

namespace {
void awaitEnd(std::chrono::milliseconds most, void (*stuck)() noexcept = nullptr) noexcept {
  auto before = worked();
  Deadline deadline(stuckBeforeSignal, endingPoll);
  for (Deadline last(most, endingPoll); ending.load() != Ending::Done && !last.isOver();) {
    std::this_thread::sleep_for(endingPoll);
    if (const auto now = worked(); now != before) {
      before = now;
      deadline = Deadline(stuckBeforeSignal, endingPoll);
    } else if (stuck && deadline.isOver()) {
      std::exchange(stuck, nullptr)();
    }
  }
}
} // namespace

void endWithin(std::chrono::milliseconds most, void (*stuck)() noexcept) noexcept {
  Ending before = Ending::NotYet;
  if (ending.compare_exchange_strong(before, Ending::Begun)) {
    if (!survived([] { startOwnThread(endSoon); }))
      return;
  }
  awaitEnd(most, stuck);
}

bool leaveWithin(std::chrono::milliseconds most) noexcept {
  // First: there nothing may be allocated, not even a thread's own variables.
  if (inForkedChild() || isForeignChild())
    return false;
  const Edge edge;
  awaitSignalsEnd();
  ControlServer::leave();
  if (!active() && ending.load() == Ending::NotYet)
    return false;
  Ending before = Ending::NotYet;
  if (!ending.compare_exchange_strong(before, Ending::Begun) ||
      process().harvester.onThread(endSoon))
    awaitEnd(most);
  return true;
}

void threadOfProgramEnds() noexcept {
  if (!inForkedChild() && !isForeignChild() && ::gettid() == ::getpid())
    mainThreadExits();
}

Saver &saver() {
  static Saver *const saver =
      new Saver([](std::int64_t hostNs) { return process().harvester.handedOn(hostNs); });
  return *saver;
}

ScheduledOutputs *scheduledOutputs() noexcept { return scheduled.load(std::memory_order_acquire); }

bool inForkedChild() noexcept { return forked.load(std::memory_order_relaxed); }

// Lives as long as the process.
void beginControl() {
  Process &own = process();
  Session &session = own.session;
  if (!session.config().control)
    return;
  auto *const server = new ControlServer(
      session, own.windows,
      {hostNowNs, [](std::int64_t ns) { return process().harvester.handedOn(ns); },
       [](std::int64_t ms) { return flush(ms); }, [] { return active(); }, whereAnswer,
       graphMemoryAnswer});
  if (const std::string why = server->start(); !why.empty())
    session.say("graphprof attach, top and exporter cannot reach this process: " + why);
  followMainThread();
}

void cudaBegins() noexcept {
  static std::atomic<bool> begun{false};
  if (inForkedChild() || !active() || begun.exchange(true))
    return;
  process().windows.begin();
  attempt([] { beginControl(); });
}

void used() noexcept {
  const bool works = driver::functions() != nullptr; // first: nothingBegun()
  static const bool registered = [works] {
    process().session.inUse.store(true);
    if (!works)
      attempt([] { process().session.say(driver::whyNot() + ": only host times are taken"); });
    cudaBegins();
    return std::atexit(finish) == 0;
  }();
  (void)registered;
  (void)loaded;
}

} // namespace graphprof
