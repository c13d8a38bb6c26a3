// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "control/Recordings.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "OwnThread.h"
#include "Thrown.h"
#include "output/Failure.h"
#include "output/ForwardingOutput.h"
#include "output/MakeOutput.h"
#include "output/data/LossText.h"
#include "output/data/Origin.h"
#include "session/GatedOutput.h"

namespace graphprof {

namespace {

// How long to wait for what was launched.
constexpr std::int64_t patienceNs = 2'000'000'000;

// What was launched between two times, of which the second may be later.
class Between : public Admission {
public:
  explicit Between(std::int64_t beginNs) : beginNs_(beginNs) {}
  void end(std::int64_t ns) { endNs_ = ns; }
  [[nodiscard]] bool admitsDevice(std::int64_t ns) const override {
    return ns >= beginNs_ && ns < endNs_;
  }
  [[nodiscard]] bool admitsHost(std::int64_t ns) const override { return admitsDevice(ns); }
  [[nodiscard]] bool admitsSpan(std::int64_t beginNs, std::int64_t /*endNs*/) const override {
    return admitsDevice(beginNs);
  }

private:
  const std::int64_t beginNs_;
  std::atomic<std::int64_t> endNs_{INT64_MAX};
};

// Passes everything on to an output that outlives it, and counts.
class Shared : public ForwardingOutput {
public:
  struct Given {
    std::atomic<bool> any{false};
    std::atomic<std::uint64_t> replays{0};
  };
  Shared(std::shared_ptr<Output> output, std::shared_ptr<Given> given)
      : ForwardingOutput(std::move(output)), given_(std::move(given)) {}
  [[nodiscard]] std::string write(const Batch &batch) override {
    for (const Batch::Launch &launch : batch.launches)
      given_->replays += launch.replay.exec != 0 ? 1 : 0;
    if (batch.records() > 0)
      given_->any = true;
    return ForwardingOutput::write(batch);
  }
  // Who asked for the recording names the file.
  [[nodiscard]] std::string written() const override { return {}; }

private:
  const std::shared_ptr<Given> given_;
};

Losses since(const Losses &before, Losses now) {
  for (const LossKind &kind : lossKinds())
    now.*kind.count -= std::min(now.*kind.count, before.*kind.count);
  return now;
}

} // namespace

struct Recordings::Running {
  std::uint64_t owner;
  std::shared_ptr<Output> output;
  std::shared_ptr<Shared::Given> given;
  std::shared_ptr<Between> times;
  Output *attached = nullptr; // null: detached again
  Losses before;
  std::int64_t untilNs = 0, stoppedNs = 0; // 0: not stopped
  std::atomic<bool> closed{false};
  Result result; // once it is closed
};

std::string Recordings::begin(std::uint64_t owner, const std::string &item, std::int64_t lastsNs,
                              bool force) {
  if (std::any_of(running_.begin(), running_.end(),
                  [owner](const auto &one) { return one->owner == owner; }))
    return "this connection records already";
  if (running_.size() >= most)
    return fmt::format("{} recordings are running, and there are never more", running_.size());
  if (!session_.recordingSwitch.permitted())
    return "recording is stopped; start it first (graphprof attach PID start)";
  if (const std::string why = whyNoOutput(item); !why.empty())
    return fmt::format("'{}': {}", item, why);
  if (pathOf(item).empty())
    return fmt::format("'{}' has no path, and would be in the middle of what the program prints; "
                       "name a file",
                       item);
  if (const std::string why = whyNotWritten(item, {.force = force, .records = true}); !why.empty())
    return fmt::format("'{}': {}", item, why);
  auto running = std::make_shared<Running>();
  running->owner = owner;
  running->output = session_.outputOf(item);
  if (!running->output)
    return fmt::format("'{}': there is no such output", item);
  running->given = std::make_shared<Shared::Given>();
  running->before = session_.outputs.lossesBefore(running->output->wants());
  running->times = std::make_shared<Between>(now_());
  running->untilNs = now_() + lastsNs;
  running_.push_back(running);
  running->attached = session_.outputs.attach(std::make_unique<GatedOutput>(
      std::make_unique<Shared>(running->output, running->given), running->times));
  if (!running->attached) {
    running_.pop_back();
    return "no memory";
  }
  session_.recordingSwitch.request(running.get(),
                                   {true, true, running->output->wants().hostSpans, false});
  return {};
}

void Recordings::end(std::uint64_t owner) {
  for (const auto &running : running_)
    if (running->owner == owner)
      running->untilNs = 0;
}

void Recordings::stop(Running &running) {
  running.stoppedNs = now_();
  running.times->end(running.stoppedNs);
  session_.recordingSwitch.withdraw(&running);
}

// On a thread of its own: a trace may take long to write.
void Recordings::close(const std::shared_ptr<Running> &running) {
  session_.outputs.detach(std::exchange(running->attached, nullptr));
  const auto work = [this, running] {
    running->result.owner = running->owner;
    running->result.replays = running->given->replays;
    if (!running->given->any) {
      running->result.failed = "nothing was recorded in that time, so no file is written";
    } else {
      running->result.failed = failureOf([&] {
        Batch last;
        for (auto &[key, json] : session_.facts())
          last.notes.push_back({key, json});
        std::string failed = running->output->write(last);
        if (failed.empty())
          failed = running->output->close(
              since(running->before, session_.outputs.lossesBefore(running->output->wants())));
        return failed;
      });
      running->result.written = fromOrigin(running->output->written());
    }
    running->closed = true;
    --closing_;
  };
  ++closing_;
  if (!survived([&] { startOwnThread(work); }))
    work();
}

std::vector<Recordings::Result> Recordings::proceed() {
  std::vector<Result> over;
  for (auto each = running_.begin(); each != running_.end();) {
    const std::shared_ptr<Running> &running = *each;
    if (running->closed) { // asked once: another thread closes it at any time
      over.push_back(running->result);
      each = running_.erase(each);
      continue;
    }
    if (running->stoppedNs == 0) {
      if (now_() >= running->untilNs)
        stop(*running);
    } else if (running->attached &&
               (handedOn_(running->stoppedNs) || now_() - running->stoppedNs > patienceNs)) {
      close(running);
    }
    ++each;
  }
  return over;
}

} // namespace graphprof
