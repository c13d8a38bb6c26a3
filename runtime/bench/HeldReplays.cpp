// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/HeldReplays.h"

namespace graphprof::bench_detail {

Replay HeldReplay::in(std::vector<Record> &storage) const {
  storage = regions_->records;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    Record &record = storage[i];
    record.launch_ns = replay_.launchNs;
    record.begin_ns = times_[i].beginNs;
    record.duration_ns = times_[i].durationNs;
    record.cold = replay_.cold;
    record.stream = replay_.stream;
    record.exec = replay_.exec;
    record.replay = replay_.number;
    record.step = replay_.step;
  }
  Replay replay = replay_;
  replay.records = storage;
  return replay;
}

// A replay without a layout has records that others do not have, such as the iterations of a loop.
HeldReplay HeldReplays::hold(const Replay &replay) {
  HeldReplay held;
  held.replay_ = replay;
  held.replay_.records = {};
  auto known = replay.layout == 0 ? layouts_.end() : layouts_.find(replay.layout);
  if (known != layouts_.end()) {
    held.regions_ = known->second;
  } else {
    const auto regions = std::make_shared<HeldReplay::Regions>();
    regions->records.assign(replay.records.begin(), replay.records.end());
    regions->names.reserve(replay.records.size());
    regions->contexts.reserve(replay.records.size());
    for (Record &record : regions->records) {
      record.name = regions->names.emplace_back(record.name);
      record.context =
          regions->contexts.emplace_back(record.context, record.context + record.context_size)
              .data();
    }
    held.regions_ = regions;
    if (replay.layout != 0)
      layouts_.emplace(replay.layout, regions);
  }
  if (replay.layout == 0)
    return held;
  held.times_.reserve(replay.records.size());
  for (const Record &record : replay.records)
    held.times_.push_back({record.begin_ns, record.duration_ns});
  return held;
}

} // namespace graphprof::bench_detail
