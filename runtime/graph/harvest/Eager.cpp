// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/harvest/Eager.h"

#include <algorithm>
#include <utility>

#include "Thrown.h"
#include "cuda/Driver.h"
#include "output/data/ReplaySink.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

// Makes the context of one device after another current. Changes it only for another device.
class ContextOfEach {
public:
  /// Returns false if no call may be made.
  bool change(Device &device) {
    if (!relaxed_)
      relaxed_.emplace();
    if (*relaxed_ && device_ != &device) {
      current_.emplace(device.context());
      device_ = &device;
      alive_ = device.isAlive();
    }
    return static_cast<bool>(*relaxed_);
  }
  /// Whether the last device was not reset, so that its events still exist.
  [[nodiscard]] bool alive() const { return alive_; }

private:
  const Device *device_ = nullptr;
  bool alive_ = false;
  std::optional<driver::RelaxedCapture> relaxed_;
  std::optional<driver::CurrentContext> current_;
};

namespace {

constexpr std::size_t readAtOnce = 64; // regions, or one group

bool isBefore(const EagerRegion &whole, const EagerQueue::Until &until) {
  return whole.hostBeginNs < until.beforeNs && std::ranges::none_of(
                                                   until.launches,
                                                   [&](const PendingLaunches::Oldest &launch) {
                                                     return whole.device &&
                                                            launch.stream == whole.stream &&
                                                            launch.launchNs < whole.hostBeginNs;
                                                   });
}

void returnEvents(const EagerRegion &region, EventCache &to) {
  for (const driver::Event event : {region.begin, region.end})
    if (event)
      to.put(*region.device, event);
}

} // namespace

void EagerQueue::push(std::span<EagerRegion> group) noexcept {
  bool taken = group.empty();
  if (!taken)
    (void)survived([&] { taken = take(group, services_.config().maxQueue); });
  if (taken)
    return;
  services_.counters.notQueued += group.size();
  EventCache returned;
  for (const EagerRegion &region : group)
    returnEvents(region, returned);
  returned.clear();
}

bool EagerQueue::take(std::span<EagerRegion> group, std::size_t most) {
  group.front().groupSize = group.size();
  const auto lock = regions_.lock();
  if (!regions_.hasRoomFor(group.size(), most) && regions_.size() > 0)
    return false;
  regions_.waiting().makeRoom(group.size());
  for (EagerRegion &region : group)
    std::swap(regions_.waiting().add(), region);
  taken_ += group.size();
  return true;
}

// The context stays changed only for these calls: consumers of records may call CUDA, too, in the
// harvest thread's own context and capture mode.
EagerQueue::Group EagerQueue::read(Group regions, const Until &until) {
  ContextOfEach context;
  times_.clear();
  std::size_t count = 0;
  while (count < regions.size() && count < readAtOnce) {
    const Group group = firstOf(regions.subspan(count));
    if (!isBefore(group.front(), until))
      break;
    bool isRead = false; // also without memory: try again later
    if (!survived([&] { isRead = readGroup(group, context); }) || !isRead)
      break;
    count += group.size();
  }
  returned_.clear();
  return regions.first(count);
}

bool EagerQueue::readGroup(Group group, ContextOfEach &context) {
  const std::size_t before = times_.size();
  times_.reserve(before + group.size());
  for (const EagerRegion &region : group) { // the outermost region comes first, and ends last
    const std::optional<Times> times = timesOf(region, context);
    if (!times) {
      times_.resize(before);
      return false;
    }
    times_.push_back(*times);
  }
  for (const EagerRegion &region : group)
    returnEvents(region, returned_);
  return true;
}

// Reads the events, if there are any. Does not ask before whether they have happened, because each
// call may delay the program's threads. Only "not ready" means waiting; what cannot be read is
// counted.
std::optional<EagerQueue::Times> EagerQueue::timesOf(const EagerRegion &region,
                                                     ContextOfEach &context) {
  Times times{region.hostBeginNs, -1};
  if (!region.device) {
    if (region.hostEndNs)
      times.durationNs = region.hostEndNs - region.hostBeginNs;
    return times;
  }
  float ms = 0;
  if (!region.begin || !region.end)
    return times;
  if (!context.change(*region.device))
    return std::nullopt;
  if (!context.alive())
    return times;
  const driver::Result result = cu().eventElapsedTime(&ms, region.begin, region.end);
  if (result == driver::Result::NotReady)
    return std::nullopt;
  if (!ok(result))
    return times;
  times.durationNs = static_cast<std::int64_t>(static_cast<double>(ms) * 1e6);
  std::int64_t beginNs = 0;
  if (region.device->alignment().eventToHost(region.begin, beginNs))
    times.beginNs = beginNs;
  return times;
}

std::size_t EagerQueue::harvest(StreamOrder &order, const Until &until) {
  for (;;) {
    const Group regions = regions_.take();
    if (regions.empty())
      return 0;
    Group ready = read(regions, until);
    if (ready.empty())
      return outstanding();
    for (std::span<const Times> times = times_; !ready.empty();) {
      const Group group = firstOf(ready);
      if (!survived([&] { consume(group, times.first(group.size()), order); }))
        services_.counters.eager += group.size(); // the events are already reused
      regions_.done(group.size());
      handedOn_ += group.size();
      ready = ready.subspan(group.size());
      times = times.subspan(group.size());
    }
  }
}

// The outermost region comes first, and ends last.
void EagerQueue::consume(Group group, std::span<const Times> times, StreamOrder &order) {
  std::vector<std::string> names;
  names.reserve(group.size());
  std::vector<Record> records;
  records.reserve(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    const EagerRegion &region = group[i];
    Record record{};
    record.site = region.site;
    record.name = names.emplace_back(services_.nameOf(*region.site, region.context));
    record.context = region.context.data();
    record.context_size = region.context.size();
    record.depth = region.depth;
    record.clock = region.device ? Clock::Event : Clock::Host;
    record.device = region.device ? region.device->ordinal() : -1;
    record.stream = region.stream;
    record.step = region.step;
    record.launch_ns = region.hostBeginNs;
    record.begin_ns = times[i].beginNs;
    record.duration_ns = times[i].durationNs;
    if (!record.measured())
      ++services_.counters.eager;
    records.push_back(record);
  }

  Replay replay;
  replay.device = records.front().device;
  replay.stream = records.front().stream;
  replay.step = records.front().step;
  replay.launchNs = group.front().hostBeginNs;
  replay.beginNs = records.front().begin_ns;
  replay.endNs = replay.beginNs;
  for (const Record &record : records)
    if (record.measured())
      replay.endNs = std::max(replay.endNs, record.begin_ns + record.duration_ns);
  if (const EagerRegion &whole = group.front(); whole.device && records.front().measured()) {
    const StreamOrder::Move move =
        order.place(replay.device, replay.stream,
                    {whole.hostBeginNs, std::max(whole.hostEndNs, whole.hostBeginNs),
                     replay.beginNs, replay.endNs, StreamOrder::eventNs});
    replay.beginNs += move.laterNs;
    replay.endNs += move.laterNs - move.shorterNs;
    for (Record &record : records)
      if (record.clock == Clock::Event && record.measured()) {
        record.begin_ns += move.laterNs;
        record.duration_ns =
            std::clamp<std::int64_t>(replay.endNs - record.begin_ns, 0, record.duration_ns);
      }
  }
  replay.records = records;
  sink_.consume(replay);
}

bool EagerQueue::outBefore(std::int64_t hostNs) {
  const auto lock = regions_.lock();
  const auto out = regions_.out();
  return std::any_of(out.begin(), out.end(), [hostNs](Group regions) {
    return std::any_of(regions.begin(), regions.end(),
                       [hostNs](const EagerRegion &region) { return region.hostBeginNs < hostNs; });
  });
}

std::size_t EagerQueue::outstanding() {
  const auto lock = regions_.lock();
  return regions_.size();
}

std::uint64_t EagerQueue::taken() {
  const auto lock = regions_.lock();
  return taken_;
}

std::size_t EagerQueue::abandon() {
  const auto lock = regions_.lock();
  const std::size_t out = regions_.size();
  regions_.clear();
  return out;
}

} // namespace graphprof
