// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Eager.h"

#include <algorithm>
#include <utility>

#include "cuda/Driver.h"
#include "session/Session.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Groups are small, mostly one region, and come and go in bursts.
constexpr std::size_t largestSpare = 16;
constexpr std::size_t mostSpares = 256;

} // namespace

std::vector<EagerRegion> EagerQueue::push(std::vector<EagerRegion> group, Session &session) {
  {
    const std::lock_guard lock(mutex_);
    if (groups_.empty() || size_ + group.size() <= session.config().maxQueue) {
      size_ += group.size();
      groups_.push_back(std::move(group));
      if (spare_.empty())
        return {};
      std::vector<EagerRegion> next = std::move(spare_.back());
      spare_.pop_back();
      return next;
    }
  }
  session.counters.notQueued += group.size();
  for (const EagerRegion &region : group)
    returnEvents(region);
  group.clear();
  return group;
}

std::size_t EagerQueue::harvest(Session &session) {
  for (;;) {
    std::vector<EagerRegion> *oldest = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (groups_.empty())
        return 0;
      oldest = &groups_.front(); // stays in place: others only push behind it
    }
    if (!std::all_of(oldest->begin(), oldest->end(), happened)) {
      const std::lock_guard lock(mutex_);
      return groups_.size();
    }
    consume(*oldest, session);
    const std::size_t regions = oldest->size();
    oldest->clear();
    const std::lock_guard lock(mutex_);
    size_ -= regions;
    if (oldest->capacity() <= largestSpare && spare_.size() < mostSpares)
      spare_.push_back(std::move(*oldest));
    groups_.pop_front();
  }
}

void EagerQueue::returnEvents(const EagerRegion &region) {
  for (const driver::Event event : {region.begin, region.end})
    if (event)
      region.device->returnEvent(event);
}

bool EagerQueue::happened(const EagerRegion &region) {
  if (!region.end)
    return true; // a host region, or one without an end
  const driver::CurrentContext current(region.device->context());
  const driver::RelaxedCapture relaxed;
  // Anything but "not ready" ends the wait: what cannot be read is counted below.
  return relaxed && cu().eventQuery(region.end) != driver::Result::NotReady;
}

void EagerQueue::consume(std::vector<EagerRegion> &group, Session &session) {
  std::vector<std::string> names;
  names.reserve(group.size());
  std::vector<Record> records;
  records.reserve(group.size());
  for (EagerRegion &region : group) {
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
    record.beginNs = region.hostBeginNs;
    record.durationNs = region.hostEndNs ? region.hostEndNs - region.hostBeginNs : -1;
    if (!region.device && !region.hostEndNs)
      ++session.counters.eager;
    if (region.device) {
      const driver::CurrentContext current(region.device->context());
      const driver::RelaxedCapture relaxed;
      float ms = 0;
      std::int64_t beginNs = 0;
      const bool read = relaxed && region.begin && region.end &&
                        ok(cu().eventElapsedTime(&ms, region.begin, region.end));
      record.durationNs = read ? static_cast<std::int64_t>(static_cast<double>(ms) * 1e6) : -1;
      if (read && region.device->alignment().eventToHost(region.begin, beginNs))
        record.beginNs = beginNs;
      if (!read)
        ++session.counters.eager;
      returnEvents(region);
    }
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
