// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Eager.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cuda/Driver.h"
#include "session/Session.h"

namespace graphprof {

using driver::cu;
using driver::ok;

// The context of one device after the other, changed where the next one is another.
class ContextOfEach {
public:
  /// False where no call may be made.
  bool change(Device &device) {
    if (!relaxed_)
      relaxed_.emplace();
    if (*relaxed_ && device_ != &device) {
      current_.emplace(device.context());
      device_ = &device;
    }
    return static_cast<bool>(*relaxed_);
  }

private:
  const Device *device_ = nullptr;
  std::optional<driver::RelaxedCapture> relaxed_;
  std::optional<driver::CurrentContext> current_;
};

namespace {

// Groups are small, mostly one region, and come and go in bursts.
constexpr std::size_t largestSpare = 16;
constexpr std::size_t mostSpares = 256;
constexpr std::size_t harvestedAtOnce = 64;

void returnEvents(const EagerRegion &region, EventCache &to) {
  for (const driver::Event event : {region.begin, region.end})
    if (event)
      to.put(*region.device, event);
}

// A host region, and one without an end, wait for nothing. Anything but "not ready" ends the wait:
// what cannot be read is counted.
bool happened(const EagerRegion &region, ContextOfEach &context) {
  return !region.end || (context.change(*region.device) &&
                         cu().eventQuery(region.end) != driver::Result::NotReady);
}

} // namespace

std::vector<EagerRegion> EagerQueue::push(std::vector<EagerRegion> group, Session &session) {
  if (!take(group, session.config().maxQueue)) {
    session.counters.notQueued += group.size();
    EventCache returned;
    for (const EagerRegion &region : group)
      returnEvents(region, returned);
    returned.clear();
  }
  group.clear();
  return group;
}

bool EagerQueue::take(Group &group, std::size_t most) {
  const std::lock_guard lock(mutex_);
  if (!groups_.empty() && size_ + group.size() > most)
    return false;
  size_ += group.size();
  groups_.push_back(std::exchange(group, {}));
  if (!spare_.empty()) {
    group = std::move(spare_.back());
    spare_.pop_back();
  }
  return true;
}

std::vector<EagerQueue::Group *> EagerQueue::oldest() {
  const std::lock_guard lock(mutex_);
  std::vector<Group *> groups(std::min(groups_.size(), harvestedAtOnce));
  std::transform(groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(groups.size()),
                 groups.begin(), [](Group &group) { return &group; });
  return groups;
}

// No longer than the calls take: what consumes records may call CUDA too, in the harvest thread's
// own context and capture mode.
std::size_t EagerQueue::read(const std::vector<Group *> &groups) {
  ContextOfEach context;
  times_.clear();
  const auto end = std::find_if_not(groups.begin(), groups.end(), [&](const Group *group) {
    return std::all_of(group->begin(), group->end(),
                       [&](const EagerRegion &region) { return happened(region, context); });
  });
  for (auto group = groups.begin(); group != end; ++group)
    for (const EagerRegion &region : **group) {
      times_.push_back(timesOf(region, context));
      returnEvents(region, returned_);
    }
  returned_.clear();
  return static_cast<std::size_t>(end - groups.begin());
}

// By its events, where it has some.
EagerQueue::Times EagerQueue::timesOf(const EagerRegion &region, ContextOfEach &context) {
  Times times{region.hostBeginNs, -1};
  if (!region.device) {
    if (region.hostEndNs)
      times.durationNs = region.hostEndNs - region.hostBeginNs;
    return times;
  }
  float ms = 0;
  if (!region.begin || !region.end || !context.change(*region.device) ||
      !ok(cu().eventElapsedTime(&ms, region.begin, region.end)))
    return times;
  times.durationNs = static_cast<std::int64_t>(static_cast<double>(ms) * 1e6);
  std::int64_t beginNs = 0;
  if (region.device->alignment().eventToHost(region.begin, beginNs))
    times.beginNs = beginNs;
  return times;
}

std::size_t EagerQueue::finished(std::size_t count) {
  std::size_t out = 0;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < count; ++i) {
      Group &group = groups_.front();
      size_ -= group.size();
      const bool kept = group.capacity() <= largestSpare && spare_.size() < mostSpares;
      (kept ? spare_ : done_).push_back(std::move(group));
      groups_.pop_front();
    }
    out = size_;
  }
  done_.clear(); // not under the lock
  return out;
}

std::size_t EagerQueue::harvest(Session &session) {
  for (;;) {
    const std::vector<Group *> groups = oldest();
    if (groups.empty())
      return 0;
    const std::size_t ready = read(groups);
    std::span<const Times> times = times_;
    for (std::size_t i = 0; i < ready; ++i) {
      const std::size_t size = groups[i]->size();
      consume(*groups[i], times.first(size), session);
      times = times.subspan(size);
    }
    const std::size_t out = finished(ready);
    if (ready < groups.size())
      return out;
  }
}

void EagerQueue::consume(const Group &group, std::span<const Times> times, Session &session) {
  std::vector<std::string> names;
  names.reserve(group.size());
  std::vector<Record> records;
  records.reserve(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    const EagerRegion &region = group[i];
    Record record{};
    record.site = region.site;
    record.name = names.emplace_back(session.nameOf(*region.site, region.context));
    record.context = region.context.data();
    record.contextSize = region.context.size();
    record.depth = region.depth;
    record.clock = region.device ? Clock::Event : Clock::Host;
    record.device = region.device ? region.device->ordinal() : -1;
    record.stream = region.stream;
    record.step = region.step;
    record.launchNs = region.hostBeginNs;
    record.beginNs = times[i].beginNs;
    record.durationNs = times[i].durationNs;
    if (!record.measured())
      ++session.counters.eager;
    records.push_back(record);
  }

  Replay replay;
  replay.device = records.front().device;
  replay.stream = records.front().stream;
  replay.step = records.front().step;
  replay.launchNs = group.front().hostBeginNs;
  replay.beginNs = records.front().beginNs;
  replay.endNs = replay.beginNs;
  for (const Record &record : records)
    if (record.measured())
      replay.endNs = std::max(replay.endNs, record.beginNs + record.durationNs);
  replay.records = records;
  session.consume(replay);
}

bool EagerQueue::outBefore(std::int64_t hostNs) {
  const std::lock_guard lock(mutex_);
  return std::any_of(groups_.begin(), groups_.end(),
                     [hostNs](const auto &group) { return group.front().hostBeginNs < hostNs; });
}

std::size_t EagerQueue::outstanding() {
  const std::lock_guard lock(mutex_);
  return size_;
}

std::size_t EagerQueue::abandon() {
  const std::lock_guard lock(mutex_);
  groups_.clear();
  return std::exchange(size_, 0);
}

} // namespace graphprof
