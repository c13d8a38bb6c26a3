// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "KeptMemory.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace graphprof {

namespace {

constexpr std::size_t mostLive = 2'000'000; // blocks of a device that are followed

std::size_t indexOf(MemoryKind kind) { return static_cast<std::size_t>(kind); }

} // namespace

std::int64_t MemoryOverTime::State::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

void MemoryOverTime::add(const MemoryEvent &event) {
  const std::size_t kind = indexOf(event.kind);
  const auto allocated = static_cast<std::int64_t>(event.allocated);
  if (!seen_[kind]) {
    seen_[kind] = true;
    // What there was of this kind all the time before its first event.
    const std::int64_t before = std::max<std::int64_t>(allocated - event.bytes, 0);
    now_.bytes[kind] = before;
    peak_.bytes[kind] = before;
    for (Bin &bin : bins_) {
      bin.most.bytes[kind] = before;
      bin.last.bytes[kind] = before;
    }
  }
  ++events_;
  now_.atNs = event.timeNs;
  now_.bytes[kind] = allocated;
  if (events_ == 1 || now_.total() > peak_.total()) {
    peak_ = now_;
    peakEvent_ = events_;
  }
  if (bins_.empty() || bins_.back().events == perBin_) {
    if (bins_.size() == most_) {
      for (std::size_t i = 0; i + 1 < bins_.size(); i += 2) {
        const Bin &one = bins_[i], &next = bins_[i + 1];
        bins_[i / 2] = {next.most.total() > one.most.total() ? next.most : one.most, next.last,
                        one.events + next.events};
      }
      if (bins_.size() % 2 == 1)
        bins_[bins_.size() / 2] = bins_.back();
      bins_.resize((bins_.size() + 1) / 2);
      perBin_ *= 2;
    }
    if (bins_.empty() || bins_.back().events == perBin_)
      bins_.push_back({now_, now_, 0});
  }
  Bin &bin = bins_.back();
  if (now_.total() > bin.most.total())
    bin.most = now_;
  bin.last = now_;
  ++bin.events;
}

void MemoryInOrder::sort() {
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  order.reserve(waiting_.size());
  for (const Batch::Memory &memory : waiting_)
    order.emplace_back(memory.event.timeNs, order.size());
  if (std::is_sorted(order.begin(), order.end()))
    return;
  std::sort(order.begin(), order.end());
  std::vector<Batch::Memory> sorted;
  sorted.reserve(waiting_.size());
  for (const auto &[timeNs, place] : order)
    sorted.push_back(std::move(waiting_[place]));
  waiting_ = std::move(sorted);
}

void KeptMemory::beginRun() {
  finish();
  ++run_;
}

void KeptMemory::finish() {
  order_.finish([this](const Batch::Memory &memory) { take(memory); });
}

void KeptMemory::add(const Batch &batch) {
  order_.add(batch, [this](const Batch::Memory &memory) { take(memory); });
}

void KeptMemory::take(const Batch::Memory &memory) {
  const MemoryPlace place(run_, memory.event.device);
  auto found = places_.find(place);
  if (found == places_.end()) {
    if (places_.size() == most_) {
      ++leftOut_;
      return;
    }
    found = places_.emplace(place, MemoryOverTime(bins_)).first;
  }
  found->second.add(memory.event);
}

BlocksAtPeak::BlocksAtPeak(const std::map<MemoryPlace, MemoryOverTime> &places,
                           std::size_t mostBlocks)
    : most_(mostBlocks) {
  for (const auto &[place, memory] : places)
    following_[place] = {memory.peak().total(), memory.peakEvent(), {}, true};
}

void BlocksAtPeak::begin(const Run & /*run*/) { ++run_; }

void BlocksAtPeak::add(const Batch &batch) {
  order_.add(batch, [this](const Batch::Memory &memory) { take(memory); });
}

void BlocksAtPeak::end(const RecordedEnd & /*end*/) {
  order_.finish([this](const Batch::Memory &memory) { take(memory); });
  for (auto of = following_.lower_bound({run_, INT32_MIN});
       of != following_.end() && of->first.first == run_; of = following_.erase(of))
    blocks_.emplace(of->first, largest(of->second));
}

void BlocksAtPeak::take(const Batch::Memory &memory) {
  const MemoryEvent &event = memory.event;
  const auto found = following_.find({run_, event.device});
  if (found == following_.end() || found->second.left == 0 || !found->second.known)
    return;
  Following &of = found->second;
  --of.left;
  if (event.bytes < 0) {
    of.live.erase(event.address);
    return;
  }
  of.live.insert_or_assign(event.address, Block{event.bytes, event.address, event.timeNs,
                                                event.step, event.kind, memory.path});
  if (of.live.size() > mostLive) {
    of.live.clear();
    of.known = false;
  }
}

BlocksAtPeak::Blocks BlocksAtPeak::largest(const Following &of) const {
  Blocks blocks;
  blocks.known = of.known;
  if (!of.known)
    return blocks;
  std::int64_t bytes = 0;
  for (const auto &[address, block] : of.live) {
    blocks.largest.push_back(block);
    bytes += block.bytes;
  }
  std::sort(blocks.largest.begin(), blocks.largest.end(), [](const Block &a, const Block &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.address < b.address;
  });
  for (std::size_t i = most_; i < blocks.largest.size(); ++i, ++blocks.more)
    blocks.moreBytes += blocks.largest[i].bytes;
  blocks.largest.resize(std::min(blocks.largest.size(), most_));
  blocks.unseenBytes = std::max<std::int64_t>(of.peakBytes - bytes, 0);
  return blocks;
}

} // namespace graphprof
