// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/BackendRegions.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "Deadline.h"
#include "backend/Backends.h"
#include "clock/HostClock.h"
#include "session/Session.h"

namespace graphprof {

namespace {

constexpr std::chrono::microseconds poll{100};

bool hasHappened(const BackendGroup &group) {
  return std::none_of(group.regions.begin(), group.regions.end(), [&](const BackendRegion &region) {
    return region.end && group.backend.happened(region.end) == graphprof_backend_not_ready;
  });
}

} // namespace

BackendGroup::~BackendGroup() {
  for (const BackendRegion &region : regions)
    for (const graphprof_event event : {region.begin, region.end})
      if (event)
        backend.release(event);
}

// The thread holds the step, too, so none is missed between.
void BackendGroup::hold(std::int64_t step) {
  if (held_)
    return;
  held_ = steps_.join();
  held_->hold(step);
}

const graphprof_backend *BackendRegions::chosen() noexcept {
  static const graphprof_backend *const others = [this]() noexcept -> const graphprof_backend * {
    const graphprof_backend *const backend = graphprof_backend_chosen();
    const bool own = backend == &cudaBackend() || backend == &hostBackend();
    if (own)
      return nullptr;
    if (backend->enabled && backend->enabled())
      return backend;
    session_.say("only host times are taken: GRAPHPROF_BACKEND names a backend without "
                 "a device; unset it, or check ",
                 backend->name);
    return nullptr;
  }();
  return others;
}

std::unique_ptr<BackendPlace> BackendRegions::open(const graphprof_backend &backend,
                                                   const Site &site, std::vector<Value> context,
                                                   graphprof_stream stream,
                                                   const BackendPlace *around) {
  auto place = std::make_unique<BackendPlace>();
  place->group = around ? around->group : std::make_shared<BackendGroup>(backend, steps_);
  place->index = place->group->regions.size();
  place->stream = stream;
  BackendRegion &region = place->group->regions.emplace_back();
  region.site = &site;
  region.context = std::move(context);
  region.depth = around ? around->group->regions[around->index].depth + 1 : 0;
  region.launchNs = hostNowNs();
  if (backend.record(stream, &region.device, &region.begin, nullptr) != graphprof_backend_ok) {
    region.begin = nullptr;
    session_.say("a region is not timed: ", backend.why());
  }
  return place;
}

void BackendRegions::close(BackendPlace &place) {
  BackendGroup &group = *place.group;
  BackendRegion &region = group.regions[place.index];
  if (region.begin &&
      group.backend.record(place.stream, nullptr, &region.end, nullptr) != graphprof_backend_ok)
    region.end = nullptr;
  if (place.index != 0)
    return;
  {
    const MutexLock lock(mutex_);
    if (waiting_.size() >= session_.config().maxQueue) {
      session_.counters.notQueued += group.regions.size();
      return;
    }
    waiting_.push_back(std::move(place.group));
  }
  collect();
}

bool BackendRegions::collect() {
  const MutexLock lock(mutex_);
  std::size_t done = 0;
  for (; done < waiting_.size() && hasHappened(*waiting_[done]); ++done)
    hand(*waiting_[done]);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(done));
  return waiting_.empty();
}

bool BackendRegions::collect(std::int64_t patienceMs, bool last) {
  Deadline deadline(std::chrono::milliseconds(patienceMs), poll);
  while (!collect()) {
    if (!deadline.isOver()) {
      std::this_thread::sleep_for(poll);
      continue;
    }
    const MutexLock lock(mutex_);
    for (const auto &group : waiting_)
      session_.counters.eager += last ? group->regions.size() : 0;
    return false;
  }
  return true;
}

void BackendRegions::hand(const BackendGroup &group) {
  const graphprof_backend &backend = group.backend;
  std::vector<std::string> names;
  names.reserve(group.regions.size());
  std::vector<Record> records;
  records.reserve(group.regions.size());
  for (const BackendRegion &region : group.regions) {
    Record record{};
    record.site = region.site;
    record.name = names.emplace_back(session_.nameOf(*region.site, region.context));
    record.context = region.context.data();
    record.context_size = region.context.size();
    record.depth = region.depth;
    record.clock = backend.can & graphprof_backend_is_host ? Clock::Host : Clock::Event;
    record.device = region.device;
    record.step = region.step;
    record.launch_ns = region.launchNs;
    record.begin_ns = region.launchNs;
    record.duration_ns = -1;
    float us = 0;
    if (region.begin && region.end &&
        backend.elapsed(region.begin, region.end, &us) == graphprof_backend_ok)
      record.duration_ns = std::max<std::int64_t>(0, static_cast<std::int64_t>(us * 1e3));
    std::int64_t beginNs = 0;
    if (record.measured() && backend.can & graphprof_backend_can_place &&
        backend.when(region.begin, &beginNs) == graphprof_backend_ok)
      record.begin_ns = beginNs;
    if (!record.measured())
      ++session_.counters.eager;
    records.push_back(record);
  }
  Replay replay;
  replay.device = records.front().device;
  replay.step = records.front().step;
  replay.launchNs = records.front().launch_ns;
  replay.beginNs = replay.endNs = records.front().begin_ns;
  for (const Record &record : records)
    if (record.measured())
      replay.endNs = std::max(replay.endNs, record.begin_ns + record.duration_ns);
  replay.records = records;
  session_.consume(replay);
}

} // namespace graphprof
