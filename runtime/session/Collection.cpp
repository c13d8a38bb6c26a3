// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Collection.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

namespace graphprof {

namespace {

void append(std::string &key, std::uint64_t number) {
  key.append(reinterpret_cast<const char *>(&number), sizeof number);
}

void append(std::string &key, std::string_view text) {
  append(key, text.size());
  key += text;
}

std::uint64_t bits(const Value &value) {
  switch (value.kind()) {
  case Value::Kind::Real:
    return std::bit_cast<std::uint64_t>(value.asReal());
  case Value::Kind::Address:
    return reinterpret_cast<std::uintptr_t>(value.asAddress());
  case Value::Kind::Boolean:
    return value.asBoolean() ? 1 : 0;
  case Value::Kind::Character:
  case Value::Kind::Signed:
    return static_cast<std::uint64_t>(value.asSigned());
  case Value::Kind::Unsigned:
    return value.asUnsigned();
  case Value::Kind::Text:
    return 0;
  }
  return 0;
}

std::string identityOf(const Record &record) {
  std::string key;
  append(key, record.name);
  for (std::size_t i = 0; i < record.contextSize; ++i) {
    const Value &value = record.context[i];
    key += static_cast<char>(value.kind());
    append(key, value.key());
    append(key, bits(value));
    if (value.kind() == Value::Kind::Text)
      append(key, value.asText());
  }
  return key;
}

} // namespace

const Collection::Text *Collection::textOf(const Record &record) {
  const auto [known, isNew] = texts_.try_emplace(identityOf(record));
  if (isNew)
    known->second = {std::string(record.name),
                     std::vector<Value>(record.context, record.context + record.contextSize)};
  return &known->second;
}

void Collection::add(const Replay &replay, std::span<const Record> records) {
  Replay kept = replay;
  kept.records = records;
  if (records.size() != replay.records.size())
    kept.layout = 0; // unlike others
  const std::vector<const Text *> &texts = textsOf_.of(kept, [&](std::vector<const Text *> &found) {
    found.reserve(records.size());
    for (const Record &record : records)
      found.push_back(textOf(record));
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

void Collection::add(const Collection &other) {
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
}

} // namespace graphprof
