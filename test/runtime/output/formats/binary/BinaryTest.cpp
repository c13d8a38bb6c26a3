// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What Binary writes, BinaryReader reads back as it was; and nothing that stands in a file harms
// it.

#include "output/formats/binary/Binary.h"

#include <limits>
#include <span>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"
#include "output/data/BatchView.h"
#include "output/formats/binary/BinaryReader.h"
#include "output/io/Json.h"
#include "support/Every.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::HostSample;
using graphprof::test::Sample;
using testing::ElementsAre;
using testing::SizeIs;

namespace {

const Run run{"node7", "solver", 4321, 3, 1'700'000'000'000'000'000};

// All that a replay says, as text.
std::string text(const Replay &replay) {
  std::ostringstream out;
  out << replay.graph << '/' << replay.exec << '/' << replay.number << " on " << replay.device
      << ',' << replay.stream << " at " << replay.launchNs << ' ' << replay.beginNs << ' '
      << replay.endNs << " step " << replay.step << (replay.cold ? " cold" : "") << " CUDA's "
      << replay.cudaGraph << '/' << replay.cudaExec;
  if (replay.serves)
    out << " serves " << replay.serves->text << ": " << replay.serves->name << ' '
        << jsonContext(replay.serves->values);
  out << '\n';
  for (const Record &record : replay.records) {
    out << "  " << record.name << ' ' << jsonContext({record.context, record.context_size})
        << " depth " << record.depth << ' ' << (record.measured() ? record.begin_ns : 0) << ' '
        << record.duration_ns << " clock " << int(record.clock) << " kind " << int(record.kind)
        << (record.cold ? " cold" : "") << " on " << record.device << ',' << record.stream << ' '
        << record.graph << '/' << record.exec << '/' << record.replay << " step " << record.step
        << " iteration " << record.iteration << " ends " << int(record.ends) << " busy "
        << record.busy_ns << ' ' << record.gap_ns << ' ' << record.busy_replays << ' '
        << int(record.gap_cause);
    if (record.site)
      out << ' ' << record.site->name_format << ' ' << record.site->file << ':' << record.site->line
          << ' ' << record.site->function;
    out << '\n';
  }
  return out.str();
}

using Bytes = std::string;

Bytes message(binary::Tag tag, const Bytes &parts) {
  return Bytes{static_cast<char>(parts.size() + 1), 0, 0, 0, static_cast<char>(tag)} + parts;
}

std::string text(const MemoryEvent &event) {
  std::ostringstream out;
  out << event.timeNs << ' ' << event.bytes << ' ' << event.allocated << ' ' << event.address << ' '
      << event.device << ' ' << int(event.kind) << ' ' << event.step << ' ' << event.path << " on "
      << event.thread;
  return out.str();
}

std::string text(const HostSpan &span) {
  std::ostringstream out;
  out << int(span.kind) << (span.captured ? " captured " : " ") << span.name << ' '
      << jsonContext({span.context, span.context_size}) << " on " << span.thread << ' '
      << span.thread_name << " at " << span.begin_ns << ' ' << span.end_ns << " step " << span.step
      << ' ' << span.graph << '/' << span.exec << '/' << span.replay << ' ' << span.bytes;
  if (span.site)
    out << ' ' << span.site->name_format << ' ' << span.site->file << ':' << span.site->line << ' '
        << span.site->function;
  return out.str();
}

struct Read {
  std::vector<std::string> replays, spans, memory, notes, remarks;
  std::vector<Run> runs;
  bool hostSpans = false;
  BinaryResult result;
};

Read read(const std::string &bytes) {
  Read read;
  std::istringstream stream(bytes);
  BinaryListener listener;
  listener.run = [&](const Run &found, bool hostSpans) {
    read.runs.push_back(found);
    read.hostSpans = hostSpans;
  };
  BatchView view;
  listener.batch = [&](const Batch &batch) {
    view.take(batch);
    for (const Batch::Span &span : batch.spans)
      read.spans.push_back(text(view.span(span)));
    for (const Batch::Launch &launch : batch.launches)
      read.replays.push_back(text(view.replay(batch, launch)));
    for (const Batch::Memory &memory : batch.memory) {
      MemoryEvent event = memory.event;
      event.path = memory.path;
      read.memory.push_back(text(event));
    }
    for (const Batch::Note &note : batch.notes)
      read.notes.push_back(note.key + '=' + note.json);
    read.remarks.insert(read.remarks.end(), batch.remarks.begin(), batch.remarks.end());
  };
  BinaryReader reader;
  read.result = reader.read(stream, listener);
  return read;
}

class BinaryTest : public testing::Test {
protected:
  void add(const Replay &replay) {
    batcher.add(replay, batch);
    added.push_back(text(replay));
  }
  void add(const HostSample &sample) {
    for (const HostSpan &span : sample.spans()) {
      batcher.add(span, batch);
      addedSpans.push_back(text(span));
    }
  }
  // Replays of every shape, and host spans.
  void addAll() {
    Sample plain(4), cold(0), loop(1), mixed = Sample::outsideGraphs(),
                                       host = Sample::outsideGraphs(77), unknown(9), begins(11);
    add(plain.step(2)
            .region("layer", 0, 0, 90'000, Clock::Stamp, {Value(0)})
            .region("add", 1, 0, 20'000)
            .region("relu", 1, 20'000, -1)
            .region("late", 0, 500'000, 0));
    add(cold.cold().exec(3, 12).region("layer", 0, 0, 1).region("other", 0, 1, 2));
    add(loop.cold().region("a", 0, 0, 5).iteration(0).region("a", 0, 5, 5).iteration(1));
    add(mixed.step(6)
            .region("upload", 0, 100, 200, Clock::Event)
            .region("parse", 1, -50, 10, Clock::Host));
    add(host.region("tokenise", 0, 0, 7, Clock::Host));
    add(unknown.span(0, 0).region("k", 0, 0, -1).kind(Kind::Kernel));
    Sample empty(10);
    add(empty);
    add(begins.region("a", 0, 0, 5)
            .endsWithNext()
            .region("b", 0, 5, 5)
            .endsWithNext()
            .region("c", 0, 10, 5)
            .region("d", 0, 15, -1)
            .endsWithNext());
    add(HostSample::ofEveryKind());
  }
  std::string bytes(const Losses &losses = {}) {
    Binary binary(folder.file("a.gprof"), run);
    EXPECT_EQ(binary.write(batch), "");
    EXPECT_EQ(binary.close(losses), "");
    return contents(folder.file("a.gprof"));
  }

  const Folder folder;
  Batcher batcher;
  Batch batch;
  std::vector<std::string> added, addedSpans;
};

TEST_F(BinaryTest, ReplaysReadBackUnchanged) {
  addAll();
  const Read back = read(bytes());
  EXPECT_EQ(back.result.failed, "");
  EXPECT_TRUE(back.result.ended);
  EXPECT_EQ(back.result.cut, 0U);
  EXPECT_EQ(back.replays, added);
  EXPECT_EQ(back.spans, addedSpans);
}

TEST_F(BinaryTest, DriversIdsReadBack) {
  // An exec keeps its id; after an update it belongs to another graph, with another id.
  Sample first(1), again(2), updated(3), other(4), unknown(5);
  add(first.cudaIds(41, 42));
  add(again.cudaIds(41, 42));
  add(updated.exec(2, 1).cudaIds(51, 42));
  add(other.exec(2, 7).cudaIds(51, 52));
  add(unknown.exec(3, 8));
  const Read back = read(bytes());
  EXPECT_EQ(back.result.failed, "");
  EXPECT_EQ(back.replays, added);
}

TEST_F(BinaryTest, NamesOfGraphsReadBack) {
  // Once for each graph, however often it is replayed; a graph without one has none.
  const auto add = [this](std::uint64_t number, std::uint64_t graph, int batch) {
    Sample sample(number);
    sample.exec(graph, graph);
    if (batch > 0)
      sample.serves("decode \x1b[m", {key("batch", batch), key("kind", "long"), Value(1.5)});
    BinaryTest::add(sample);
  };
  add(1, 1, 8);
  add(2, 2, 4);
  add(3, 3, 0);
  const std::size_t few = bytes().size();
  for (std::uint64_t i = 4; i < 104; ++i)
    add(i, 1, 8);
  EXPECT_LE(bytes().size() - few, 100 * 30U) << "the name is not said again";
  const Read back = read(bytes());
  EXPECT_EQ(back.result.failed, "");
  EXPECT_EQ(back.replays, added);
}

TEST_F(BinaryTest, DamagedNamesOfGraphsAreDamage) {
  Sample sample(1);
  add(sample.serves("ab", {key("k", 3)}));
  const Bytes whole = bytes();
  const Bytes name = message(binary::Tag::GraphName, Bytes{1, 2, 'a', 'b', 1, 0, 1, 'k', 6});
  const std::size_t at = whole.find(name);
  ASSERT_NE(at, Bytes::npos);
  const auto with = [&](const Bytes &parts) {
    Bytes file = whole;
    return read(file.replace(at, name.size(), message(binary::Tag::GraphName, parts)));
  };
  EXPECT_EQ(with(Bytes{1, 2, 'a', 'b', 0}).result.failed, "");
  EXPECT_EQ(with(Bytes{1, 9, 'a', 'b', 0}).result.failed, "the file is damaged");
  EXPECT_EQ(with(Bytes{1, 2, 'a', 'b', 9}).result.failed, "the file is damaged");
  EXPECT_EQ(with(Bytes{1, 2, 'a', 'b', 1, 99, 1, 'k', 6}).result.failed, "the file is damaged");
  EXPECT_EQ(with(Bytes{1}).result.failed, "the file is damaged");
  EXPECT_EQ(with(Bytes{}).result.failed, "the file is damaged");
}

TEST_F(BinaryTest, BusyTimesReadBack) {
  // Also where they are known of a while, of one of two execs, and no longer.
  for (std::uint64_t i = 0; i < 6; ++i) {
    Sample one(i), other(i);
    one.region("a", 0, 0, 5).region("b", 0, 5, 5).region("c", 0, 10, 5);
    if (i > 0 && i < 4)
      one.busy(700 + static_cast<std::int64_t>(i / 2), i == 2 ? -1 : 900,
               static_cast<std::uint32_t>(i), GapCause::DeviceFull);
    add(one);
    add(other.exec(1, 2).region("c", 0, 0, 5).busy(0, 0, 5, GapCause::Launch));
  }
  const Read back = read(bytes());
  EXPECT_EQ(back.result.failed, "");
  EXPECT_EQ(back.replays, added);
}

// Two kernels of one name are told apart by their places in the graph, which a file without the
// graph's structure says, too.
TEST_F(BinaryTest, BusyTimesSayWhose) {
  Sample sample(1);
  sample.region("a", 0, 0, 5).busy(1, 1, 5).region("a", 0, 5, 5).busy(2, 1, 5);
  add(sample);
  batch.timings[0].ofGraph = 5;
  batch.timings[1].ofGraph = 7;
  std::vector<std::uint32_t> found;
  BinaryListener listener;
  listener.batch = [&](const Batch &read) {
    for (const Batch::Timing &timing : read.timings)
      found.push_back(timing.ofGraph);
  };
  std::istringstream stream(bytes());
  BinaryReader reader;
  EXPECT_EQ(reader.read(stream, listener).failed, "");
  EXPECT_EQ(found, (std::vector<std::uint32_t>{5, 7}));
}

TEST_F(BinaryTest, SameBusyTimesTakeNoSpace) {
  const auto sizeOf = [&](bool busy) {
    batcher = Batcher();
    batch = Batch();
    for (std::uint64_t i = 0; i < 100; ++i) {
      Sample sample(i);
      sample.region("a", 0, 0, 5);
      if (busy)
        sample.busy(1'000, 900, 63, GapCause::Launch);
      add(sample);
    }
    return bytes().size();
  };
  EXPECT_LE(sizeOf(true) - sizeOf(false), 20U);
}

// Each place in a message of busy times.
TEST_F(BinaryTest, DamagedBusyTimesAreDamage) {
  Sample sample(1);
  add(sample.region("a", 0, 0, 5).busy(100, 50, 7, GapCause::Dependency));
  const Bytes whole = bytes();
  const Bytes busy = message(binary::Tag::Busy, Bytes{0, 1, 0, 101, 51, 7, 2});
  const std::size_t at = whole.find(busy);
  ASSERT_NE(at, Bytes::npos);
  EXPECT_EQ(read(whole).replays, added);
  const auto with = [&](const Bytes &parts) {
    Bytes file = whole;
    return read(file.replace(at, busy.size(), message(binary::Tag::Busy, parts)));
  };
  EXPECT_EQ(with(Bytes{0, 1, 9, 101, 51, 7, 2}).result.failed, "the file is damaged")
      << "of no record of the replay";
  EXPECT_EQ(with(Bytes{0, 2, 0, 101, 51, 7, 2}).result.failed, "the file is damaged");
  EXPECT_EQ(with(Bytes{0, 1, 0, 101, 51, 7, 9}).result.failed, "the file is damaged");
  EXPECT_EQ(with(Bytes{0, 1, 0, 101, 51}).result.failed, "the file is damaged");
  EXPECT_EQ(with(Bytes{}).result.failed, "the file is damaged");
  const Bytes endless(9, '\xff');
  EXPECT_EQ(with(Bytes{0, 1, 0, 101, 51} + endless + Bytes{1, 2}).result.failed,
            "the file is damaged");
}

TEST_F(BinaryTest, DriversIdsOfNodesReadBack) {
  auto drawn = std::make_shared<GraphNodes>();
  drawn->nodes.resize(3);
  for (GraphNodes::Node &node : drawn->nodes)
    node.type = node.name = "empty";
  drawn->nodes[0].cudaNode = 0;
  drawn->nodes[2].cudaNode = 9;
  batch.graphs.push_back({1, 1, 0, {3, 0}, drawn, {}});
  Sample sample(1);
  add(sample);
  std::vector<std::uint32_t> found;
  BinaryListener listener;
  listener.batch = [&](const Batch &read) {
    for (const Batch::Graph &graph : read.graphs)
      for (const GraphNodes::Node &node : graph.nodes->nodes)
        found.push_back(node.cudaNode);
  };
  std::istringstream stream(bytes());
  BinaryReader reader;
  EXPECT_EQ(reader.read(stream, listener).failed, "");
  EXPECT_EQ(found, (std::vector<std::uint32_t>{0, GraphNodes::none, 9}));
}

TEST_F(BinaryTest, ExcessEndsAreDamage) {
  // A file with ends of more records than there are is damaged.
  Sample plain(1);
  add(plain.region("a", 0, 0, 5).endsWithNext());
  Bytes file = bytes();
  const std::size_t at = file.find(Bytes{0, 1} + message(binary::Tag::End, {}));
  ASSERT_NE(at, Bytes::npos);
  EXPECT_TRUE(read(file).result.failed.empty());
  file[at + 1] = 2;
  EXPECT_EQ(read(file).result.failed, "the file is damaged");
}

TEST_F(BinaryTest, HostSpanTakesTenBytes) {
  // A host span takes about ten bytes.
  HostSample sample;
  constexpr int spans = 1'000;
  for (int i = 0; i < spans; ++i) {
    const auto atNs = std::int64_t{40'000} * i;
    sample.add(HostKind::Region, "enqueue", atNs, 25'000 + i).in(i / 10);
    sample.add(HostKind::Launch, "cudaGraphLaunch", atNs + 30'000, 2'000 + i)
        .in(i / 10)
        .of(1, 1, static_cast<std::uint64_t>(i));
  }
  const std::size_t before = bytes().size();
  add(sample);
  const std::string whole = bytes();
  EXPECT_LE(whole.size() - before, 2 * spans * 10);
  EXPECT_EQ(read(whole).spans, addedSpans);
}

TEST_F(BinaryTest, HostSpansNumbersReadBack) {
  // All numbers of a host span read back.
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  constexpr auto latestNs = std::numeric_limits<std::int64_t>::max();
  HostSample sample;
  sample.add(HostKind::Launch, "l", -Sample::originNs, 0).of(most, most, most).in(latestNs);
  sample.add(HostKind::Launch, "l", 0, latestNs - Sample::originNs).of(1, 1, 0).in(-1);
  sample.add(HostKind::Copy, "c", 0, 0).bytes(most).on(most, "");
  add(sample);
  EXPECT_EQ(read(bytes()).spans, addedSpans);
}

TEST_F(BinaryTest, SaysHostSpansAndJob) {
  // It says whether host spans were asked for, and whether there is a job.
  const auto written = [this](const graphprof::Run &of, bool hostSpans) {
    Binary binary(folder.file("a.gprof"), of, hostSpans);
    EXPECT_EQ(binary.close({}), "");
    return read(contents(folder.file("a.gprof")));
  };
  graphprof::Run ofJob = run;
  ofJob.inJob = true;
  ofJob.ranks = 8;
  const Read with = written(ofJob, true), without = written(run, false);
  EXPECT_TRUE(with.hostSpans);
  EXPECT_TRUE(with.runs.at(0).inJob);
  EXPECT_EQ(with.runs.at(0).ranks, 8);
  EXPECT_FALSE(without.hostSpans);
  EXPECT_FALSE(without.runs.at(0).inJob);
  EXPECT_EQ(without.runs.at(0).ranks, 0);
}

TEST_F(BinaryTest, SenselessHostSpansAreDamage) {
  const Bytes act = message(binary::Tag::Act, {1, 5, 0, 1, 'r', 0, 0}),
              thread = message(binary::Tag::Thread, {1, 7, 1, 't'});
  const auto failed = [&](const Bytes &parts, const Bytes &before) {
    Bytes whole = bytes();
    whole.insert(whole.size() - 5, before + message(binary::Tag::HostSpans, parts));
    const Read back = read(whole);
    EXPECT_EQ(back.spans.empty(), !back.result.failed.empty()) << "all of a message, or nothing";
    return back.result.failed;
  };
  EXPECT_EQ(failed({1, 1, 2, 2, 4, 0}, act + thread), "");
  EXPECT_EQ(failed({1, 1, 2, 2, 4, 0}, act), "the file is damaged") << "no such thread";
  EXPECT_EQ(failed({1, 1, 2, 2, 4, 0}, thread), "the file is damaged") << "nor such an act";
  EXPECT_EQ(failed({1, 2, 2, 2, 4, 0}, act + thread), "the file is damaged")
      << "fewer than it says";
  EXPECT_EQ(failed({1, 127, 2, 2, 4, 0}, act + thread), "the file is damaged");
  EXPECT_EQ(failed({1, 1, 2, 2}, act + thread), "the file is damaged") << "cut off";
  const Bytes longest = Bytes(9, '\xff') + '\1';
  EXPECT_EQ(failed(Bytes{1, 1, 2, 2} + longest + '\0', act + thread), "the file is damaged")
      << "a duration that is none";
  EXPECT_EQ(failed(Bytes{1, 1, 2} + '\xfe' + Bytes(8, '\xff') + '\1' + Bytes{4, 0}, act + thread),
            "the file is damaged")
      << "an end that there is no number for";
  EXPECT_EQ(failed({1, 0}, act + message(binary::Tag::Act, {1, 6, 0, 1, 'r', 0, 0}) + thread),
            "the file is damaged")
      << "no kind";
}

TEST_F(BinaryTest, MemoryReadsBackUnchanged) {
  MemoryEvent event{
      Sample::originNs, -4096, 1 << 20, 0x7f0012345678, 3, MemoryKind::Graph, 12, {}, 77};
  batch.memory.push_back({event, "decode/attention"});
  batch.memory.push_back({{5, 1, 1, 0, -1, MemoryKind::Host, -1, {}}, ""});
  EXPECT_THAT(read(bytes()).memory,
              ElementsAre("1700000000000000000 -4096 1048576 139638282147448 3 4 12 "
                          "decode/attention on 77",
                          "5 1 1 0 -1 3 -1  on 0"));
}

TEST_F(BinaryTest, KindsOfValuesReadBack) {
  Sample sample;
  add(sample.region("r", 0, 0, 1, Clock::Stamp,
                    {Value(-5), Value(std::uint64_t{1} << 63), key("flops", 1.5e12), Value(true),
                     Value('x'), Value("a text"), Value(static_cast<const void *>(this)),
                     Value(std::numeric_limits<std::int64_t>::min())}));
  EXPECT_EQ(read(bytes()).replays, added);
}

TEST_F(BinaryTest, RunIsReadFirst) {
  const Read back = read(bytes());
  ASSERT_THAT(back.runs, SizeIs(1));
  EXPECT_EQ(back.runs[0].host, "node7");
  EXPECT_EQ(back.runs[0].program, "solver");
  EXPECT_EQ(back.runs[0].pid, 4321);
  EXPECT_EQ(back.runs[0].rank, 3);
  EXPECT_EQ(back.runs[0].beganNs, run.beganNs);
}

TEST_F(BinaryTest, RemarksAndLossesReadBack) {
  // What is said and what was lost reads back.
  batch.notes.push_back({"model", "\"llama\""});
  batch.remarks.emplace_back("allocated once");
  Losses losses{};
  losses.overrun = 300;
  losses.names_truncated = 1;
  const Read back = read(bytes(losses));
  EXPECT_THAT(back.notes, ElementsAre("model=\"llama\""));
  EXPECT_THAT(back.remarks, ElementsAre("allocated once"));
  EXPECT_EQ(back.result.losses.overrun, 300U);
  EXPECT_EQ(back.result.losses.names_truncated, 1U);
  EXPECT_EQ(back.result.losses.dropped, 0U);
}

TEST_F(BinaryTest, UnmetRegionsAreForgotten) {
  // Regions that are not met again are forgotten on both sides.
  Batcher few(2);
  Binary binary(folder.file("a.gprof"), run);
  for (int i = 0; i < 20; ++i) {
    Sample sample(static_cast<std::uint64_t>(i));
    const Replay replay = sample.region("r" + std::to_string(i), 0, 0, i);
    few.add(replay, batch);
    added.push_back(text(replay));
    EXPECT_EQ(binary.write(batch), "");
    few.renew(batch);
  }
  EXPECT_EQ(binary.close({}), "");
  EXPECT_EQ(read(contents(folder.file("a.gprof"))).replays, added);
}

TEST_F(BinaryTest, UnmetActsAreForgotten) {
  // Acts and threads that are not met again are forgotten on both sides.
  batcher = Batcher(2);
  Binary binary(folder.file("a.gprof"), run);
  for (unsigned i = 0; i < 20; ++i) {
    HostSample sample;
    sample.add(HostKind::Range, "r" + std::to_string(i), i, 1).on(100 + i, "t");
    sample.add(HostKind::Range, "r" + std::to_string(i / 2), i, 1).on(100 + i / 2, "t");
    add(sample);
    EXPECT_EQ(binary.write(batch), "");
    batcher.renew(batch);
  }
  EXPECT_GT(batch.actsFrom, 20U);
  EXPECT_GT(batch.threadsFrom, 20U);
  EXPECT_EQ(binary.close({}), "");
  EXPECT_EQ(read(contents(folder.file("a.gprof"))).spans, addedSpans);
}

// Wherever it is cut, what was whole is read. As it lies there after a crash.
TEST_F(BinaryTest, CutFileKeepsWholeParts) {
  addAll();
  const std::string whole = bytes();
  std::size_t most = 0, mostSpans = 0;
  for (std::size_t size = binary::magic.size(); size < whole.size(); ++size) {
    const Read back = read(whole.substr(0, size));
    EXPECT_EQ(back.result.failed, "") << size;
    EXPECT_FALSE(back.result.ended) << size;
    EXPECT_GE(back.replays.size(), most) << size;
    most = back.replays.size();
    for (std::size_t i = 0; i < most; ++i)
      EXPECT_EQ(back.replays[i], added[i]) << size;
    EXPECT_GE(back.spans.size(), mostSpans) << size;
    mostSpans = back.spans.size();
    for (std::size_t i = 0; i < mostSpans; ++i)
      EXPECT_EQ(back.spans[i], addedSpans[i]) << size;
  }
  EXPECT_EQ(most, added.size());
  EXPECT_EQ(mostSpans, addedSpans.size());
}

TEST_F(BinaryTest, ForeignFileIsRefused) {
  for (const std::string &other :
       {std::string(), std::string("name,path\n"), std::string("\x89GP")})
    EXPECT_EQ(read(other).result.failed,
              "this is not a file in graphprof's binary format (PATH.gprof)");
}

TEST_F(BinaryTest, LaterVersionIsRefused) {
  std::string newer = bytes();
  const std::size_t version = binary::magic.size() + 4 + 1;
  newer[version] = 7;
  EXPECT_EQ(read(newer).result.failed,
            "the file has version 7 of the format, and this program reads version 1; use the "
            "graphprof of the release that wrote it");
}

TEST_F(BinaryTest, LaterMessageIsPassedOver) {
  // A message of a later version is passed over.
  addAll();
  std::string whole = bytes();
  const std::size_t runSize = static_cast<unsigned char>(whole[binary::magic.size()]);
  const std::string unknown("\x03\0\0\0\x63xy", 7);
  whole.insert(binary::magic.size() + 4 + runSize, unknown);
  const Read back = read(whole);
  EXPECT_EQ(back.replays, added);
  EXPECT_EQ(back.spans, addedSpans);
}

// Any byte, anything: run with a sanitizer it shows that nothing is read or kept that is not there.
// The fuzzer (test/fuzz/reader) tries more of it.
TEST_F(BinaryTest, DamageHarmsNobody) {
  addAll();
  const std::string whole = bytes();
  std::uint64_t state = 1; // the same in every run
  const auto random = [&state] {
    state = state * 6364136223846793005 + 1442695040888963407;
    return state >> 33;
  };
  for (unsigned long i = 0; i < 20'000; i += test::every()) {
    std::string damaged = whole;
    for (unsigned long j = 0; j <= i % 4; ++j)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    const Read back = read(damaged);
    EXPECT_LE(back.replays.size() + back.spans.size(), damaged.size());
  }
}

TEST_F(BinaryTest, FailureNamesPathAndReason) {
  Binary binary("/dev/full", run);
  EXPECT_EQ(binary.write(batch), "cannot write /dev/full: No space left on device");
}

// What a message says, as docs/binary-format.md has it: a launch that stands twice, behind the end,
// with fewer records than there are, or too long.
TEST_F(BinaryTest, WhatCannotBeIsDamage) {
  Sample one(1), two(2);
  add(one.region("a", 0, 0, 5).region("b", 0, 5, 5));
  const Bytes whole = bytes();
  const std::size_t end = whole.size() - 5;
  std::size_t replay = binary::magic.size(); // the last message before the end
  for (std::size_t next = replay; next < end; next += 4 + static_cast<unsigned char>(whole[next]))
    replay = next;
  ASSERT_EQ(whole[replay + 4], 3);
  const Bytes launch = whole.substr(replay, end - replay), close = whole.substr(end);
  EXPECT_EQ(read(whole).result.failed, "");
  const Read twice = read(whole.substr(0, end) + launch + close);
  EXPECT_EQ(twice.result.failed, "the file is damaged");
  EXPECT_EQ(twice.replays, added) << "what comes before it";
  EXPECT_EQ(read(whole + launch).result.failed, "the file is damaged: it goes on behind its end");
  EXPECT_EQ(read(whole + '\0').result.failed, "the file is damaged: it goes on behind its end");
  Bytes longer = launch + '\0';
  ++longer[0];
  EXPECT_EQ(read(whole.substr(0, replay) + longer + close).result.failed, "the file is damaged");
  Bytes fewer = launch; // the count is in front of six bytes of records
  ASSERT_EQ(fewer[fewer.size() - 7], 2);
  fewer[fewer.size() - 7] = 1;
  EXPECT_EQ(read(whole.substr(0, replay) + fewer + close).result.failed, "the file is damaged");
  batcher.renew(batch);
  constexpr std::int64_t yearNs = std::int64_t{365} * 24 * 3600 * 1'000'000'000;
  add(two.region("a", 0, 0, yearNs + 1));
  EXPECT_EQ(read(bytes()).result.failed, "the file is damaged");
}

} // namespace
