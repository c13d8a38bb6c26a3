// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Batch.h"

#include <algorithm>
#include <utility>

namespace graphprof {

namespace {

constexpr std::uint32_t mostOfGraph = 0x7fff'ffff; // more than a graph may have

} // namespace

void Batcher::add(const Replay &replay, Batch &batch) {
  if (regions_.size() > maxKnown_) {
    regions_.clear();
    idsOf_ = {};
    regionsFrom_ = nextRegion_;
  }
  const std::vector<std::uint64_t> &ids =
      idsOf_.of(replay, [&](std::vector<std::uint64_t> &found) { identify(replay, batch, found); });

  Batch::Launch launch{replay, batch.timings.size(), replay.records.size()};
  launch.replay.records = {};
  batch.timings.resize(launch.first + launch.count);
  Batch::Timing *timing = batch.timings.data() + launch.first;
  auto id = ids.begin();
  for (const Record &record : replay.records) {
    const bool measured = record.measured();
    *timing++ = {*id++,
                 measured ? record.beginNs : 0,
                 measured ? record.durationNs : -1,
                 record.iteration,
                 record.step,
                 record.stream,
                 record.device,
                 record.cold,
                 record.region & mostOfGraph};
  }
  batch.launches.push_back(std::move(launch)); // last: without memory it is not there
}

void Batcher::identify(const Replay &replay, Batch &batch, std::vector<std::uint64_t> &ids) {
  open_.clear();
  for (const Record &record : replay.records) {
    open_.resize(std::min(open_.size(), static_cast<std::size_t>(std::max(record.depth, 0))));
    const std::uint64_t parent = open_.empty() ? 0 : open_.back().id;
    const Identity identity{record.site,
                            record.name,
                            {record.context, record.contextSize},
                            static_cast<std::uint64_t>(record.kind) << 8 |
                                static_cast<std::uint64_t>(record.clock),
                            parent};
    const Region *known = regions_.find(identity);
    if (!known) {
      std::string path(open_.empty() ? std::string_view() : open_.back().path);
      if (parent != 0)
        path += '/';
      path += record.name;
      batch.regions.push_back(
          {nextRegion_, parent, record.site, std::string(record.name), path, record.depth,
           record.kind, record.clock,
           std::vector<Value>(identity.context.begin(), identity.context.end())});
      known = &regions_.add(identity, {nextRegion_++, std::move(path)});
    }
    ids.push_back(known->id);
    open_.push_back({known->id, known->path});
  }
}

void Batcher::add(const HostSpan &span, Batch &batch) {
  const std::uint64_t act = actOf(span, batch), thread = threadOf(span, batch);
  batch.spans.push_back({act, thread, span.beginNs, span.endNs, span.step, span.graph, span.exec,
                         span.replay, span.bytes, span.device});
}

void Batcher::add(const MemoryEvent &event, Batch &batch) {
  Batch::Memory &memory = batch.memory.emplace_back(event, std::string(event.path));
  memory.event.path = {};
}

std::uint64_t Batcher::actOf(const HostSpan &span, Batch &batch) {
  const Identity identity{span.site,
                          span.name,
                          {span.context, span.contextSize},
                          static_cast<std::uint64_t>(span.kind) << 1 | (span.captured ? 1U : 0U),
                          0};
  if (const std::uint64_t *const known = acts_.find(identity))
    return *known;
  if (acts_.size() >= maxKnown_) {
    acts_.clear();
    actsFrom_ = nextAct_;
  }
  batch.acts.push_back({nextAct_, span.kind, span.captured, span.site, std::string(span.name),
                        std::vector<Value>(identity.context.begin(), identity.context.end())});
  return acts_.add(identity, nextAct_++);
}

std::uint64_t Batcher::threadOf(const HostSpan &span, Batch &batch) {
  const auto known = threads_.find(span.thread);
  if (known != threads_.end() && known->second.name == span.threadName)
    return known->second.id;
  if (threads_.size() >= maxKnown_) {
    threads_.clear();
    threadsFrom_ = nextThread_;
  }
  batch.threads.push_back({nextThread_, span.thread, std::string(span.threadName)});
  threads_.insert_or_assign(span.thread, Thread{nextThread_, std::string(span.threadName)});
  return nextThread_++;
}

void Batcher::renew(Batch &batch) const {
  batch.regionsFrom = regionsFrom_;
  batch.actsFrom = actsFrom_;
  batch.threadsFrom = threadsFrom_;
  batch.regions.clear();
  batch.acts.clear();
  batch.threads.clear();
  batch.launches.clear();
  batch.timings.clear();
  batch.spans.clear();
  batch.memory.clear();
  batch.notes.clear();
  batch.remarks.clear();
}

} // namespace graphprof
