// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/windows/Windows.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "OwnThread.h"
#include "Thrown.h"
#include "session/CycleName.h"

namespace graphprof {

// The windows so far, for the thread that hands on what was recorded in them.
class Windows::Times : public Admission {
public:
  void set(bool isOpen, std::int64_t nowNs) {
    const MutexLock lock(mutex_);
    if (isOpen)
      all_.push_back({nowNs, INT64_MAX});
    else if (!all_.empty())
      all_.back().endNs = std::min(all_.back().endNs, nowNs);
    if (all_.size() > most) // what was recorded so long ago has been handed on
      all_.pop_front();
  }
  [[nodiscard]] bool admitsDevice(std::int64_t ns) const override {
    const MutexLock lock(mutex_);
    return std::any_of(all_.rbegin(), all_.rend(), [ns](const Interval &each) {
      return ns >= each.beginNs && ns < each.endNs;
    });
  }
  [[nodiscard]] bool admitsHost(std::int64_t ns) const override { return admitsDevice(ns); }
  [[nodiscard]] bool admitsSpan(std::int64_t beginNs, std::int64_t /*endNs*/) const override {
    return admitsDevice(beginNs);
  }

private:
  static constexpr std::size_t most = 1000;
  struct Interval {
    std::int64_t beginNs, endNs;
  };
  mutable Mutex mutex_;
  std::deque<Interval> all_ GUARDED_BY(mutex_);
};

namespace {

// What the handler of the window's signal needs. There is one window in a process.
std::atomic<sem_t *> signalled{nullptr};
std::atomic<int> signalsCame{0};
std::atomic<pid_t> signalsProcess{0};
std::atomic<int> signalNumber{0};

void leaveToSystem(int signal) noexcept {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
}

extern "C" void onWindowSignal(int signal) {
  const int before = errno;
  if (::getpid() == signalsProcess.load()) {
    ++signalsCame;
    if (sem_t *const wake = signalled.load())
      ::sem_post(wake);
  } else { // a child, in which graphprof is off
    leaveToSystem(signal);
    (void)::raise(signal);
  }
  errno = before;
}

} // namespace

Windows::Windows(Session &session, std::int64_t (*now)() noexcept) : session_(session), now_(now) {
  const Config &config = session.config();
  if (!config.enabled || !config.window || config.schedule)
    return;
  opener_ = config.window->opener;
  state_ = std::make_unique<WindowState>(*config.window);
  times_ = std::make_shared<Times>();
  ::sem_init(&wake_, 0, 0);
  session.recordingSwitch.onlyRequested();
  wanted_ = {true, true, false, config.memory};
  attachOutputs();
}

void Windows::attachOutputs() {
  const Config &config = session_.config();
  for (const std::string &item : config.outputs) {
    std::unique_ptr<Output> output = session_.outputIfRecorded(withCycle(item, 1));
    if (!output)
      continue;
    wanted_.spans = wanted_.spans || output->wants().hostSpans;
    auto gated = std::make_unique<GatedOutput>(std::move(output), times_);
    if (config.outputsGiven)
      session_.outputs.attach(std::move(gated));
    else
      session_.outputs.attachDefaultTable(std::move(gated));
  }
}

void Windows::happened(Event event, int signals) noexcept {
  if (!opener_)
    return;
  if (!survived([&] {
        const MutexLock lock(mutex_);
        const std::int64_t nowNs = now_();
        change(event, signals, nowNs);
        follow(nowNs);
      }))
    session_.say("GRAPHPROF_WINDOW: a window was not followed: no memory");
}

void Windows::change(Event event, int signals, std::int64_t nowNs) {
  const bool ofRange = opener_ == Opener::NvtxRange;
  switch (event) {
  case Event::Open:
    if (!ofRange || openRanges_ == 0)
      state_->opened(nowNs);
    ++openRanges_;
    break;
  case Event::Close:
    openRanges_ -= openRanges_ > 0 ? 1 : 0;
    if (!ofRange || openRanges_ == 0)
      state_->closed();
    break;
  case Event::Launched:
    state_->launched(nowNs);
    break;
  case Event::Passed:
    state_->passed(nowNs);
    for (int i = 0; i < signals; ++i)
      state_->isClosed() ? state_->opened(nowNs) : state_->closed();
    break;
  }
}

void Windows::follow(std::int64_t nowNs) {
  counts_.store(state_->countsLaunches(), std::memory_order_relaxed);
  if (const bool open = state_->isOpen(); isOpen_.exchange(open) != open) {
    times_->set(open, nowNs);
    if (open)
      session_.recordingSwitch.request(this, wanted_);
    else
      session_.recordingSwitch.withdraw(this);
  }
  if (const auto next = state_->nextNs(); std::exchange(nextNs_, next) != next)
    ::sem_post(&wake_);
}

void Windows::begin() noexcept {
  if (!opener_)
    return;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(begun_, true))
      return;
  }
  const WindowArguments &arguments = state_->arguments();
  if (!survived([&] {
        if (arguments.afterNs > 0 || arguments.lastsNs > 0 || arguments.opener == Opener::Signal)
          startOwnThread([this] { run(); });
        if (arguments.opener == Opener::Signal)
          takeSignal();
      }))
    session_.say("GRAPHPROF_WINDOW: no thread can be started, so no window opens or closes by "
                 "itself");
  if (arguments.opener == Opener::Begin)
    open(Opener::Begin);
}

// A program that handles the signal keeps it.
void Windows::takeSignal() {
  const int number = state_->arguments().signal;
  struct sigaction ours{}, before{};
  ours.sa_handler = onWindowSignal;
  ours.sa_flags = SA_RESTART | SA_ONSTACK;
  if (::sigaction(number, nullptr, &before) != 0 || (before.sa_flags & SA_SIGINFO) ||
      before.sa_handler != SIG_DFL) {
    session_.say(fmt::format("GRAPHPROF_WINDOW: the program handles signal {} itself, so no window "
                             "opens; choose another signal",
                             number));
    return;
  }
  signalNumber = number;
  signalsProcess = ::getpid();
  signalled = &wake_;
  ::sigaction(number, &ours, nullptr);
}

void Windows::inChild() noexcept {
  struct sigaction action{};
  if (const int number = signalNumber;
      number && ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == onWindowSignal)
    leaveToSystem(number);
}

void Windows::open(Opener opener) noexcept {
  if (openBy(opener))
    happened(Event::Open);
}

void Windows::close(Opener opener) noexcept {
  if (openBy(opener))
    happened(Event::Close);
}

std::uint64_t Windows::windows() noexcept {
  const MutexLock lock(mutex_);
  return state_ ? state_->windows() : 0;
}

// In steps, because the clock of launches is not the semaphore's.
void Windows::await(std::optional<std::int64_t> untilNs) noexcept {
  if (!untilNs) {
    while (::sem_wait(&wake_) != 0) {
    }
    return;
  }
  constexpr std::int64_t step = 50'000'000, second = 1'000'000'000;
  timespec end{};
  ::clock_gettime(CLOCK_REALTIME, &end);
  const std::int64_t ns = end.tv_nsec + std::clamp<std::int64_t>(*untilNs - now_(), 0, step);
  end.tv_sec += ns / second;
  end.tv_nsec = ns % second;
  while (::sem_timedwait(&wake_, &end) != 0 && errno == EINTR) {
  }
}

// On the thread of its own.
void Windows::run() noexcept {
  for (;;) {
    std::optional<std::int64_t> nextNs;
    {
      const MutexLock lock(mutex_);
      nextNs = nextNs_;
    }
    await(nextNs);
    const int signals = opener_ == Opener::Signal ? signalsCame.exchange(0) : 0;
    if (signals > 0 || (nextNs && *nextNs <= now_()))
      happened(Event::Passed, signals);
  }
}

void Windows::leave() noexcept {
  if (!opener_ || windows() > 0)
    return;
  const char *why = nullptr;
  switch (state_->arguments().opener) {
  case Opener::Begin:
    why = "the program ended before; lower after or skip";
    break;
  case Opener::CudaProfiler:
    why = "the program did not call cudaProfilerStart, or ended before after or skip were over";
    break;
  case Opener::NvtxRange:
    why = "no NVTX range with that name began, or the program ended before after or skip were over";
    break;
  case Opener::Signal:
    why = "the signal did not come while the program used CUDA";
    break;
  case Opener::Attach:
    why = "nobody opened one with graphprof attach PID start";
    break;
  }
  if (why)
    session_.say("GRAPHPROF_WINDOW: no window was opened, so nothing was recorded: ", why);
}

} // namespace graphprof
