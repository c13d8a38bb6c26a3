// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/binary/BinaryReader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/formats/binary/Binary.h"
#include "output/formats/binary/BinaryReading.h"
#include "output/io/Json.h"

namespace graphprof::binary {

void Reading::handOn() {
  Batch whole;
  whole.regionsFrom = regionsFrom_;
  whole.actsFrom = batch_.actsFrom;
  whole.threadsFrom = batch_.threadsFrom;
  std::swap(whole, batch_);
  const bool anyKnown = !whole.regions.empty() || !whole.graphs.empty() || !whole.acts.empty() ||
                        !whole.threads.empty();
  if (listener_.batch && (anyKnown || !whole.empty()))
    listener_.batch(std::move(whole));
}

void Reading::handOnLarge() {
  constexpr std::size_t large = 16'384;
  if (batch_.records() + batch_.launches.size() + batch_.notes.size() + batch_.remarks.size() >=
      large)
    handOn();
}

std::string Reading::take(std::string_view message) {
  constexpr const char *damaged = "the file is damaged";
  Parts parts(message.substr(1));
  const auto tag = static_cast<Tag>(message.front());
  if (tag == Tag::Run) {
    if (const std::uint64_t version = parts.number(); version != binary::version) {
      result.newer = version > binary::version;
      return fmt::format("the file has version {} of the format, and this program reads version "
                         "{}; use the graphprof of the release that wrote it",
                         version, binary::version);
    }
  } else if (!knowsRun) { // it is unknown yet whose it would be
    return damaged;
  }
  if (!read(tag, parts) || parts.left() > 0)
    return damaged;
  handOnLarge();
  return {};
}

bool Reading::read(Tag tag, Parts &parts) {
  switch (tag) {
  case Tag::Run:
    return run(parts);
  case Tag::Region:
    return region(parts);
  case Tag::Graph:
    return graph(parts);
  case Tag::InGraph:
    return inGraph(parts);
  case Tag::CudaIds:
    return cudaIds(parts);
  case Tag::CudaNodes:
    return cudaNodes(parts);
  case Tag::GraphName:
    return graphName(parts);
  case Tag::Busy:
    return busy(parts);
  case Tag::Kernel:
    return kernel(parts);
  case Tag::Replay:
    return replay(parts);
  case Tag::Metadata:
    return metadata(parts);
  case Tag::Remark:
    return remark(parts);
  case Tag::Memory:
    return memory(parts);
  case Tag::GraphMemory:
    return graphMemory(parts);
  case Tag::Loss:
    return loss(parts);
  case Tag::Forget:
    return forget(parts);
  case Tag::Act:
    return act(parts);
  case Tag::Thread:
    return thread(parts);
  case Tag::HostSpans:
    return hostSpans(parts);
  case Tag::End:
    result.ended = true;
    return true;
  }
  parts = Parts({}); // of a kind that is not known: passed over
  return true;
}

bool Reading::metadata(Parts &parts) {
  const std::string_view key = parts.text(), json = parts.text();
  if (!parts.good() || !isJson(json))
    return false;
  batch_.notes.push_back({std::string(key), std::string(json)});
  return true;
}

bool Reading::remark(Parts &parts) {
  const std::string_view sentence = parts.text();
  if (!parts.good())
    return false;
  batch_.remarks.emplace_back(sentence);
  return true;
}

bool Reading::run(Parts &parts) {
  Run run;
  run.host = parts.text();
  run.program = parts.text();
  run.pid = parts.difference();
  run.rank = parts.difference();
  run.beganNs = parts.difference();
  const std::uint64_t flags = parts.number();
  run.ranks = parts.difference();
  run.inJob = (flags & binary::InJob) != 0;
  if (!parts.good() || std::exchange(knowsRun, true))
    return false;
  if (listener_.run)
    listener_.run(run, (flags & binary::AsksHostSpans) != 0);
  return true;
}

bool Reading::forget(Parts &parts) {
  const auto before = [&parts](auto &things) {
    const std::uint64_t from = parts.number();
    std::erase_if(things, [from](const auto &thing) { return thing.first < from; });
  };
  handOn(); // with those that are forgotten now
  before(known_);
  regionsFrom_ = nextRegion_;
  for (const auto &[id, known] : known_)
    regionsFrom_ = std::min(regionsFrom_, known.id);
  batch_.regionsFrom = regionsFrom_;
  before(acts_);
  batch_.actsFrom = nextAct_;
  for (const auto &[id, act] : acts_)
    batch_.actsFrom = std::min(batch_.actsFrom, act.id);
  before(threads_);
  batch_.threadsFrom = nextThread_;
  for (const auto &[id, thread] : threads_)
    batch_.threadsFrom = std::min(batch_.threadsFrom, thread);
  return parts.good();
}

const Site *Reading::site(Parts &parts) {
  if (parts.number() == 0)
    return nullptr;
  const std::string_view format = parts.text(), file = parts.text();
  const int line = parts.small(parts.difference());
  const std::string_view function = parts.text();
  return sites_.keep(format, file, line, function);
}

Value Reading::value(Parts &parts) {
  const auto kind = parts.one(Value::Kind::Address);
  const char *key = sites_.keep(parts.text());
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

bool Reading::act(Parts &parts) {
  const std::uint64_t id = parts.number();
  Batch::Act act{};
  act.id = nextAct_;
  act.kind = parts.one(HostKind::Range);
  act.captured = parts.number() != 0;
  act.name = parts.text();
  act.site = site(parts);
  if (!context(parts, act.context))
    return false;
  if (!acts_.try_emplace(id, Act{nextAct_, act.kind}).second)
    return false;
  ++nextAct_;
  batch_.acts.push_back(std::move(act));
  return true;
}

bool Reading::thread(Parts &parts) {
  const std::uint64_t id = parts.number(), number = parts.number();
  const std::string_view name = parts.text();
  if (!parts.good())
    return false;
  if (!threads_.try_emplace(id, nextThread_).second)
    return false;
  batch_.threads.push_back({nextThread_++, number, std::string(name)});
  return true;
}

bool Reading::hostSpans(Parts &parts) {
  const auto thread = threads_.find(parts.number());
  const std::uint64_t count = parts.number();
  if (!parts.good() || thread == threads_.end() || count > parts.left())
    return false;
  const std::size_t first = batch_.spans.size();
  const bool good = addSpans(parts, thread->second, count);
  if (!good)
    batch_.spans.resize(first);
  return good;
}

bool Reading::addSpans(Parts &parts, std::uint64_t thread, std::uint64_t count) {
  const auto further = [&parts](std::uint64_t &last) {
    return last += static_cast<std::uint64_t>(parts.difference());
  };
  std::uint64_t id = 0, graph = 0, exec = 0, replay = 0;
  std::int64_t atNs = 0, step = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto act = acts_.find(further(id));
    if (act == acts_.end())
      return false;
    Batch::Span &span = batch_.spans.emplace_back();
    span.act = act->second.id;
    span.thread = thread;
    span.beginNs = sum(atNs, parts.difference());
    const auto durationNs = static_cast<std::int64_t>(parts.number());
    span.endNs = atNs = sum(span.beginNs, durationNs);
    span.step = step = sum(step, parts.difference());
    span.device = -1;
    if (act->second.kind == HostKind::Launch) {
      span.graph = further(graph);
      span.exec = further(exec);
      span.replay = further(replay);
    } else if (act->second.kind == HostKind::Copy) {
      span.bytes = parts.number();
    }
    if (!parts.good() || span.beginNs < 0 || durationNs < 0 || span.endNs < span.beginNs)
      return false;
  }
  return true;
}

bool Reading::memory(Parts &parts) {
  MemoryEvent event;
  event.timeNs = parts.timeNs(0);
  event.bytes = parts.difference();
  event.allocated = parts.number();
  event.address = parts.number();
  event.device = parts.small(parts.fromMinusOne());
  event.kind = parts.one(MemoryKind::Graph);
  event.step = parts.fromMinusOne();
  event.path = parts.text();
  event.thread = parts.number();
  if (parts.good())
    Batcher::add(event, batch_);
  return parts.good();
}

bool Reading::graphMemory(Parts &parts) {
  GraphMemoryStep step;
  step.what = parts.one(GraphMemoryStep::What::Own);
  step.graph = parts.number();
  step.device = parts.small(parts.fromMinusOne());
  step.timeNs = parts.timeNs(0);
  step.bytes = parts.difference();
  step.poolBytes = parts.difference();
  step.allocations = parts.number();
  step.allocatedBytes = parts.number();
  step.overlaps = (parts.number() & Overlaps) != 0;
  if (parts.good())
    batch_.graphMemory.push_back(step);
  return parts.good();
}

bool Reading::loss(Parts &parts) {
  const std::string_view key = parts.text();
  const std::uint64_t count = parts.number();
  for (const LossKind &kind : lossKinds())
    if (key == kind.key)
      result.losses.*kind.count = count;
  return parts.good();
}

} // namespace graphprof::binary

namespace graphprof {

namespace {

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

BinaryResult BinaryReader::read(std::istream &stream, const BinaryListener &listener,
                                KeptSites &sites) {
  binary::Reading reading(listener, sites);
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
  if (result.ended && stream.peek() != std::istream::traits_type::eof())
    result.failed = "the file is damaged: it goes on behind its end";
  reading.handOn();
  return result;
}

} // namespace graphprof
