// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/binary/BinaryReader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/formats/binary/Binary.h"
#include "output/formats/binary/BinaryParts.h"
#include "output/io/Json.h"

namespace graphprof {

using binary::Parts;
using binary::sum;
using binary::Tag;

namespace {

// The deepest nesting of regions: deeper than any stack allows.
constexpr int deepest = 10'000;

class Reading {
public:
  Reading(const BinaryListener &listener, BinaryReader &reader)
      : listener_(listener), reader_(reader) {}

  /// Returns what is wrong; empty if the message makes sense.
  std::string take(std::string_view message);
  /// Hands on what was read but not handed on yet.
  void handOn();
  BinaryResult result;
  bool knowsRun = false;

private:
  struct Region {
    std::string name;
    std::vector<Value> context;
    Record record{}; // what all of its records share
  };

  struct Act {
    std::string name;
    std::vector<Value> context;
    HostSpan span; // what all of its host spans share
  };
  struct Thread {
    std::uint64_t number;
    std::string name;
  };

  void handOnLarge();
  bool run(Parts parts);
  bool act(Parts parts);
  bool thread(Parts parts);
  bool hostSpans(Parts parts);
  bool forget(Parts parts);
  bool region(Parts parts);
  bool replay(Parts parts);
  bool ends(Parts &parts);
  bool memory(Parts parts);
  bool loss(Parts parts);
  Value value(Parts &parts);
  bool context(Parts &parts, std::vector<Value> &values);
  const Site *site(Parts &parts);

  const BinaryListener &listener_;
  BinaryReader &reader_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Region>> regions_;
  std::vector<Record> records_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Act>> acts_;
  std::unordered_map<std::uint64_t, Thread> threads_;
  std::vector<HostSpan> spans_;
  Batcher batcher_;
  Batch batch_;
};

void Reading::handOn() {
  Batch whole;
  batcher_.renew(whole);
  std::swap(whole, batch_);
  if (listener_.batch && !whole.empty())
    listener_.batch(std::move(whole));
}

void Reading::handOnLarge() {
  constexpr std::size_t large = 16'384;
  if (batch_.records() + batch_.launches.size() + batch_.notes.size() + batch_.remarks.size() >=
      large)
    handOn();
}

std::string Reading::take(std::string_view message) {
  Parts parts(message.substr(1));
  const auto tag = static_cast<Tag>(message.front());
  bool good = knowsRun || tag == Tag::Run;
  if (!good) // it is unknown yet whose it would be
    return "the file is damaged";
  switch (tag) {
  case Tag::Run:
    if (const std::uint64_t version = parts.number(); version != binary::version)
      return fmt::format("the file has version {} of the format, and this program reads version "
                         "{}; use the graphprof-convert of the release that wrote it",
                         version, binary::version);
    good = run(parts);
    break;
  case Tag::Region:
    good = region(parts);
    break;
  case Tag::Replay:
    good = replay(parts);
    break;
  case Tag::Metadata: {
    const std::string_view key = parts.text(), json = parts.text();
    good = parts.good() && isJson(json);
    if (good)
      batch_.notes.push_back({std::string(key), std::string(json)});
    break;
  }
  case Tag::Remark: {
    const std::string_view sentence = parts.text();
    good = parts.good();
    if (good)
      batch_.remarks.emplace_back(sentence);
    break;
  }
  case Tag::Memory:
    good = memory(parts);
    break;
  case Tag::Loss:
    good = loss(parts);
    break;
  case Tag::Forget:
    good = forget(parts);
    break;
  case Tag::Act:
    good = act(parts);
    break;
  case Tag::Thread:
    good = thread(parts);
    break;
  case Tag::HostSpans:
    good = hostSpans(parts);
    break;
  case Tag::End:
    result.ended = true;
    break;
  }
  if (!good)
    return "the file is damaged";
  handOnLarge();
  return {};
}

bool Reading::run(Parts parts) {
  Run run;
  run.host = parts.text();
  run.program = parts.text();
  run.pid = parts.difference();
  run.rank = parts.difference();
  run.beganNs = parts.difference();
  // Files of earlier versions of graphprof end here.
  const std::uint64_t flags = parts.left() > 0 ? parts.number() : 0;
  run.ranks = parts.left() > 0 ? parts.difference() : 0;
  run.inJob = (flags & binary::InJob) != 0;
  if (!parts.good() || std::exchange(knowsRun, true))
    return false;
  if (listener_.run)
    listener_.run(run, (flags & binary::AsksHostSpans) != 0);
  return true;
}

bool Reading::forget(Parts parts) {
  const auto before = [&parts](auto &things) {
    const std::uint64_t from = parts.left() > 0 ? parts.number() : 0;
    std::erase_if(things, [from](const auto &thing) { return thing.first < from; });
  };
  if (parts.left() == 0)
    return false;
  before(regions_);
  before(acts_);
  before(threads_);
  return parts.good();
}

const Site *Reading::site(Parts &parts) {
  if (parts.number() == 0)
    return nullptr;
  const std::string_view format = parts.text(), file = parts.text();
  const int line = parts.small(parts.difference());
  const std::string_view function = parts.text();
  return reader_.keep(format, file, line, function);
}

Value Reading::value(Parts &parts) {
  const auto kind = parts.one(Value::Kind::Address);
  const char *key = reader_.keep(parts.text());
  switch (kind) {
  case Value::Kind::Signed:
    return Value(parts.difference()).with_key(key);
  case Value::Kind::Unsigned:
    return Value(parts.number()).with_key(key);
  case Value::Kind::Real:
    return Value(std::bit_cast<double>(parts.number())).with_key(key);
  case Value::Kind::Boolean:
    return Value(parts.number() != 0).with_key(key);
  case Value::Kind::Character:
    return Value(static_cast<char>(parts.difference())).with_key(key);
  case Value::Kind::Text:
    return Value(parts.text()).with_key(key);
  case Value::Kind::Address:
    return Value(reinterpret_cast<const void *>(parts.number())).with_key(key);
  }
  return {0};
}

bool Reading::context(Parts &parts, std::vector<Value> &values) {
  const std::uint64_t count = parts.number();
  if (count > parts.left())
    return false;
  for (std::uint64_t i = 0; i < count && parts.good(); ++i)
    values.push_back(value(parts));
  return parts.good();
}

bool Reading::region(Parts parts) {
  auto region = std::make_unique<Region>();
  const std::uint64_t id = parts.number();
  (void)parts.number(); // unused: the depth tells the region around it
  region->record.depth = parts.small(parts.fromMinusOne());
  region->record.kind = parts.one(Kind::Graph);
  region->record.clock = parts.one(Clock::Host);
  region->name = parts.text();
  region->record.site = site(parts);
  if (!context(parts, region->context) || region->record.depth < 0 ||
      region->record.depth > deepest)
    return false;
  region->record.name = region->name;
  region->record.context = region->context.data();
  region->record.context_size = region->context.size();
  regions_.insert_or_assign(id, std::move(region));
  return true;
}

bool Reading::replay(Parts parts) {
  Replay replay;
  const std::uint64_t flags = parts.number();
  replay.cold = (flags & binary::Cold) != 0;
  if (flags & binary::InGraph) {
    replay.graph = parts.number();
    replay.exec = parts.number();
    replay.number = parts.number();
  }
  replay.device = parts.small(parts.fromMinusOne());
  replay.stream = parts.number();
  replay.step = parts.fromMinusOne();
  replay.launchNs = parts.timeNs(0);
  replay.beginNs = parts.timeNs(replay.launchNs);
  replay.endNs = parts.timeNs(replay.beginNs);
  const std::uint64_t count = parts.number();
  constexpr std::uint64_t leastOfARecord = 2; // bytes
  if (!parts.good() || count > parts.left() / leastOfARecord)
    return false;

  records_.clear();
  std::uint64_t id = 0;
  std::int64_t atNs = replay.beginNs;
  for (std::uint64_t i = 0; i < count; ++i) {
    id += static_cast<std::uint64_t>(parts.difference());
    const auto region = regions_.find(id);
    if (region == regions_.end() || !parts.good())
      return false;
    Record &record = records_.emplace_back(region->second->record);
    record.duration_ns = parts.durationNs();
    if (record.duration_ns >= 0)
      record.begin_ns = atNs = parts.timeNs(atNs);
    record.iteration = flags & binary::Iterations ? parts.fromMinusOne() : -1;
    const bool own = (flags & binary::Places) != 0;
    record.device = own ? parts.small(parts.fromMinusOne()) : replay.device;
    record.stream = own ? parts.number() : replay.stream;
    record.step = own ? parts.fromMinusOne() : replay.step;
    if (flags & binary::OwnCold)
      replay.cold |= parts.number() != 0;
    record.graph = replay.graph;
    record.exec = replay.exec;
    record.replay = replay.number;
  }
  if (!ends(parts) || !parts.good())
    return false;
  for (Record &record : records_)
    record.cold = replay.cold;
  replay.records = records_;
  batcher_.add(replay, batch_);
  return true;
}

// Sets what the current records end with, as far as the message says it. The others end with their
// completion.
bool Reading::ends(Parts &parts) {
  auto record = records_.begin();
  for (Ends ends = Ends::Completion; parts.left() > 0 && parts.good();
       ends = ends == Ends::Completion ? Ends::NextBegin : Ends::Completion) {
    const std::uint64_t inARow = parts.number();
    if (inARow > static_cast<std::uint64_t>(records_.end() - record))
      return false;
    for (std::uint64_t i = 0; i < inARow; ++i)
      (record++)->ends = ends;
  }
  return true;
}

bool Reading::act(Parts parts) {
  auto act = std::make_unique<Act>();
  const std::uint64_t id = parts.number();
  act->span.kind = parts.one(HostKind::Range);
  act->span.captured = parts.number() != 0;
  act->name = parts.text();
  act->span.site = site(parts);
  if (!context(parts, act->context))
    return false;
  act->span.name = act->name;
  act->span.context = act->context.data();
  act->span.context_size = act->context.size();
  acts_.insert_or_assign(id, std::move(act));
  return true;
}

bool Reading::thread(Parts parts) {
  const std::uint64_t id = parts.number(), number = parts.number();
  const std::string_view name = parts.text();
  if (parts.good())
    threads_.insert_or_assign(id, Thread{number, std::string(name)});
  return parts.good();
}

bool Reading::hostSpans(Parts parts) {
  const auto thread = threads_.find(parts.number());
  const std::uint64_t count = parts.number();
  if (!parts.good() || thread == threads_.end() || count > parts.left())
    return false;
  const auto further = [&parts](std::uint64_t &last) {
    return last += static_cast<std::uint64_t>(parts.difference());
  };
  spans_.clear();
  std::uint64_t id = 0, graph = 0, exec = 0, replay = 0;
  std::int64_t atNs = 0, step = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto act = acts_.find(further(id));
    if (act == acts_.end())
      return false;
    HostSpan &span = spans_.emplace_back(act->second->span);
    span.thread = thread->second.number;
    span.thread_name = thread->second.name;
    span.begin_ns = sum(atNs, parts.difference());
    const auto durationNs = static_cast<std::int64_t>(parts.number());
    span.end_ns = atNs = sum(span.begin_ns, durationNs);
    span.step = step = sum(step, parts.difference());
    if (span.kind == HostKind::Launch) {
      span.graph = further(graph);
      span.exec = further(exec);
      span.replay = further(replay);
    } else if (span.kind == HostKind::Copy) {
      span.bytes = parts.number();
    }
    if (!parts.good() || span.begin_ns < 0 || durationNs < 0 || span.end_ns < span.begin_ns)
      return false;
  }
  for (const HostSpan &span : spans_)
    batcher_.add(span, batch_);
  return true;
}

bool Reading::memory(Parts parts) {
  MemoryEvent event;
  event.timeNs = parts.timeNs(0);
  event.bytes = parts.difference();
  event.allocated = parts.number();
  event.address = parts.number();
  event.device = parts.small(parts.fromMinusOne());
  event.kind = parts.one(MemoryKind::Graph);
  event.step = parts.fromMinusOne();
  event.path = parts.text();
  event.thread = parts.left() > 0 ? parts.number() : 0; // earlier versions end before
  if (parts.good())
    Batcher::add(event, batch_);
  return parts.good();
}

bool Reading::loss(Parts parts) {
  const std::string_view key = parts.text();
  const std::uint64_t count = parts.number();
  for (const LossKind &kind : lossKinds())
    if (key == kind.key)
      result.losses.*kind.count = count;
  return parts.good();
}

// Reads `size` bytes in pieces, so that a damaged size takes no more memory than the file has.
// Reads less at the end of the file.
void readUpTo(std::istream &stream, std::size_t size, std::string &bytes) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  bytes.clear();
  while (bytes.size() < size && stream) {
    const std::size_t before = bytes.size(), more = std::min(piece, size - before);
    bytes.resize(before + more);
    stream.read(bytes.data() + before, static_cast<std::streamsize>(more));
    bytes.resize(before + static_cast<std::size_t>(stream.gcount()));
  }
}

} // namespace

const Site *BinaryReader::keep(std::string_view format, std::string_view file, int line,
                               std::string_view function) {
  const Site site(keep(format), keep(file), line, keep(function));
  return &sites_.try_emplace({site.name_format, site.file, line, site.function}, site)
              .first->second;
}

BinaryResult BinaryReader::read(std::istream &stream, const BinaryListener &listener) {
  Reading reading(listener, *this);
  BinaryResult &result = reading.result;
  std::string bytes;
  readUpTo(stream, binary::magic.size(), bytes);
  if (bytes != binary::magic) {
    result.failed = "this is not a file in graphprof's binary format (PATH.gprof)";
    return result;
  }
  constexpr std::size_t lengthBytes = 4;
  while (!result.ended) {
    readUpTo(stream, lengthBytes, bytes);
    if (bytes.size() < lengthBytes) {
      result.cut = bytes.size();
      break;
    }
    std::size_t length = 0;
    for (std::size_t i = 0; i < lengthBytes; ++i)
      length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    readUpTo(stream, length, bytes);
    if (bytes.size() < length) {
      result.cut = lengthBytes + bytes.size();
      break;
    }
    result.failed = length == 0 ? "the file is damaged" : reading.take(bytes);
    if (!result.failed.empty())
      break;
  }
  reading.handOn();
  return result;
}

} // namespace graphprof
