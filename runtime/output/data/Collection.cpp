// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Collection.h"

#include <algorithm>
#include <tuple>

namespace graphprof {

template <class Thing>
const Collection::Text &Collection::textOf(std::unordered_map<std::uint64_t, Text> &texts,
                                           std::uint64_t id, const Thing &thing) {
  const auto known = texts.find(id);
  return known != texts.end() ? known->second
                              : texts.emplace(id, Text{thing.name, thing.context}).first->second;
}

std::vector<Record> &Collection::roomFor(std::size_t records) {
  if (pieces_.empty() || pieces_.back().capacity() - pieces_.back().size() < records)
    pieces_.emplace_back().reserve(std::max(piece, records));
  return pieces_.back();
}

void Collection::add(const BatchView &view, const Replay &replay,
                     std::span<const Batch::Timing> timings) {
  std::vector<Record> &into = roomFor(timings.size());
  const std::size_t first = into.size();
  for (const Batch::Timing &timing : timings) {
    const Text &text = textOf(texts_->regions, timing.region, view.region(timing.region));
    Record &record = into.emplace_back(view.record(replay, timing));
    record.name = text.name;
    record.context = text.context.data();
  }
  replays_.emplace_back(replay).records = std::span<const Record>(into).subspan(first);
  size_ += timings.size();
}

void Collection::add(const BatchView &view, const Batch::Span &span, std::string_view name) {
  const Text &text = textOf(texts_->acts, span.act, view.act(span.act));
  HostSpan copy = view.span(span);
  copy.name = name.empty() ? text.name : *texts_->others.emplace(name).first;
  copy.context = text.context.data();
  copy.thread_name = *texts_->others.emplace(copy.thread_name).first;
  spans_.push_back(copy);
}

void Collection::add(const MemoryEvent &event) {
  const std::string &path = *texts_->others.emplace(event.path).first;
  memory_.push_back(event);
  memory_.back().path = path;
}

void Collection::hold(std::vector<MemoryHeld> held) {
  if (held_.empty())
    held_ = std::move(held);
}

void Collection::shareTexts(const Collection &other) {
  textsOfOthers_.push_back(other.texts_);
  textsOfOthers_.insert(textsOfOthers_.end(), other.textsOfOthers_.begin(),
                        other.textsOfOthers_.end());
}

void Collection::addRecords(const Collection &other) {
  shareTexts(other);
  hold(other.held());
  memory_.insert(memory_.end(), other.memory_.begin(), other.memory_.end());
  for (const Replay &replay : other.replays()) {
    std::vector<Record> &into = roomFor(replay.records.size());
    const std::size_t first = into.size();
    into.insert(into.end(), replay.records.begin(), replay.records.end());
    replays_.emplace_back(replay).records = std::span<const Record>(into).subspan(first);
  }
  size_ += other.size_;
}

void Collection::addSpans(const Collection &other) {
  shareTexts(other);
  spans_.insert(spans_.end(), other.spans_.begin(), other.spans_.end());
}

void Collection::seal() {
  records_.reserve(size_);
  std::size_t first = 0;
  for (Replay &replay : replays_) {
    const std::size_t count = replay.records.size();
    records_.insert(records_.end(), replay.records.begin(), replay.records.end());
    replay.records = std::span<const Record>(records_).subspan(first, count);
    first += count;
  }
  pieces_.clear();
  std::sort(spans_.begin(), spans_.end(), [](const HostSpan &left, const HostSpan &right) {
    return std::tuple(left.thread, left.begin_ns, -left.end_ns) <
           std::tuple(right.thread, right.begin_ns, -right.end_ns);
  });
}

} // namespace graphprof
