// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timing with external events: event-record nodes in the captured stream.

#include "technique.h"

#include "check.h"

namespace benchmark {
namespace {

/// Events hold the times of the last replay only: each replay overwrites those of the one before.
class Events : public Technique {
public:
  using Technique::Technique;

protected:
  void record(const Event &event) const {
    CHECK(cudaEventRecordWithFlags(event.get(), stream(), cudaEventRecordExternal));
  }
};

class EventsPerRegion : public Events {
public:
  EventsPerRegion() : Events("events around each region") {}

  std::vector<std::vector<double>> readings(int) override {
    std::vector<double> us;
    for (std::size_t i = 0; i < begins_.size(); ++i)
      us.push_back(elapsedUs(begins_[i], ends_[i]));
    return {us};
  }

protected:
  void makeRoom(int regions) override {
    begins_ = std::vector<Event>(regions);
    ends_ = std::vector<Event>(regions);
  }

  void time(int index, const Work &work) override {
    record(begins_[index]);
    work();
    record(ends_[index]);
  }

private:
  std::vector<Event> begins_, ends_;
};

class SharedEvents : public Events {
public:
  SharedEvents() : Events("events, shared by neighbours") {}

  std::vector<std::vector<double>> readings(int) override {
    std::vector<double> us;
    for (std::size_t i = 0; i + 1 < boundaries_.size(); ++i)
      us.push_back(elapsedUs(boundaries_[i], boundaries_[i + 1]));
    return {us};
  }

protected:
  void makeRoom(int regions) override { boundaries_ = std::vector<Event>(regions + 1); }

  void beginCapture() override {
    Technique::beginCapture();
    record(boundaries_[0]);
  }

  void time(int index, const Work &work) override {
    work();
    record(boundaries_[index + 1]);
  }

private:
  std::vector<Event> boundaries_;
};

} // namespace

std::unique_ptr<Technique> makeEventsPerRegion() { return std::make_unique<EventsPerRegion>(); }
std::unique_ptr<Technique> makeSharedEvents() { return std::make_unique<SharedEvents>(); }

} // namespace benchmark
