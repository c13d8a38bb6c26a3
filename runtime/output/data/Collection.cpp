// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Collection.h"

#include <algorithm>
#include <tuple>

namespace graphprof {

void Collection::add(const Replay &replay, std::span<const Record> records) {
  Replay kept = replay;
  kept.records = records;
  if (records.size() != replay.records.size())
    kept.layout = 0; // differs from all others
  const std::vector<const Texts::Text *> &texts =
      textsOf_.of(kept, [&](std::vector<const Texts::Text *> &found) {
        found.reserve(records.size());
        for (const Record &record : records)
          found.push_back(texts_.of(record.name, {record.context, record.context_size}));
      });
  if (pieces_.empty() || pieces_.back().capacity() - pieces_.back().size() < records.size())
    pieces_.emplace_back().reserve(std::max(piece, records.size()));
  std::vector<Record> &into = pieces_.back();
  const std::size_t first = into.size();
  auto text = texts.begin();
  for (const Record &record : records) {
    Record &copy = into.emplace_back(record);
    copy.name = (*text)->name;
    copy.context = (*text)->context.data();
    ++text;
  }
  kept.records = std::span<const Record>(into).subspan(first);
  replays_.push_back(kept);
  size_ += records.size();
}

void Collection::add(const MemoryEvent &event) {
  const std::string &path = *paths_.emplace(event.path).first;
  memory_.push_back(event);
  memory_.back().path = path;
}

void Collection::add(std::span<const HostSpan> spans) {
  for (const HostSpan &span : spans) {
    const Texts::Text *const text = texts_.of(span.name, {span.context, span.context_size});
    HostSpan &copy = spans_.emplace_back(span);
    copy.name = text->name;
    copy.context = text->context.data();
    copy.thread_name = texts_.of(span.thread_name, {})->name;
  }
}

void Collection::hold(std::vector<MemoryHeld> held) {
  if (held_.empty())
    held_ = std::move(held);
}

void Collection::addRecords(const Collection &other) {
  hold(other.held());
  for (const MemoryEvent &event : other.memory())
    add(event);
  for (const Replay &replay : other.replays())
    add(replay, replay.records);
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
