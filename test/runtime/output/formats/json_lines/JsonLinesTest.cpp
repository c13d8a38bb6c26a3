// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/json_lines/JsonLines.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "output/Samples.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::HostSample;
using graphprof::test::Sample;
using nlohmann::json;

namespace {

const Run run{"node7", "solver", 4321, 3, 1'700'000'000'000'000'000};

class JsonLinesTest : public testing::Test {
protected:
  void add(Sample &sample) { batcher.add(sample, batch); }
  // Each line by itself is JSON, or parsing throws.
  std::vector<json> written(const Losses &losses = {}) {
    JsonLines lines(folder.file("a.jsonl"), run);
    EXPECT_EQ(lines.write(batch), "");
    EXPECT_EQ(lines.close(losses), "");
    std::istringstream stream(contents(folder.file("a.jsonl")));
    std::vector<json> result;
    for (std::string line; std::getline(stream, line);)
      result.push_back(json::parse(line));
    return result;
  }

  const Folder folder;
  Batcher batcher;
  Batch batch;
};

TEST_F(JsonLinesTest, RunComesFirstAndEndLast) {
  EXPECT_EQ(written(), (std::vector<json>{{{"type", "run"},
                                           {"version", 1},
                                           {"host", "node7"},
                                           {"program", "solver"},
                                           {"pid", 4321},
                                           {"rank", 3},
                                           {"began_ns", 1'700'000'000'000'000'000}},
                                          {{"type", "end"}}}));
}

TEST_F(JsonLinesTest, ReplayStandsBeforeRecords) {
  Sample sample(2);
  add(sample.cold().step(5).region("layer \"0\"", 0, 100, 30, Clock::Stamp,
                                   {Value(0), key("batch", 8)}));
  const std::vector<json> lines = written();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1], (json{{"type", "replay"},
                            {"graph", 1},
                            {"exec", 1},
                            {"replay", 2},
                            {"device", 0},
                            {"stream", 7},
                            {"step", 5},
                            {"cold", true},
                            {"launch_ns", Sample::originNs + 1'995'000},
                            {"begin_ns", Sample::originNs + 2'000'000},
                            {"end_ns", Sample::originNs + 2'100'000}}));
  EXPECT_EQ(lines[2], (json{{"type", "record"},
                            {"name", "layer \"0\""},
                            {"path", "layer \"0\""},
                            {"depth", 0},
                            {"kind", "region"},
                            {"clock", "stamp"},
                            {"source", "src/model.cu:12"},
                            {"function", "forward"},
                            {"context", {{"0", 0}, {"batch", 8}}},
                            {"graph", 1},
                            {"exec", 1},
                            {"replay", 2},
                            {"device", 0},
                            {"stream", 7},
                            {"step", 5},
                            {"iteration", nullptr},
                            {"cold", true},
                            {"begin_ns", Sample::originNs + 2'000'100},
                            {"duration_ns", 30},
                            {"ends", "completion"}}));
}

TEST_F(JsonLinesTest, ReplayHasDriversIds) {
  Sample known(1), unknown(2);
  add(known.cudaIds(41, 42));
  add(unknown);
  const std::vector<json> lines = written();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1].at("cuda_graph"), 41);
  EXPECT_EQ(lines[1].at("cuda_exec"), 42);
  EXPECT_FALSE(lines[2].contains("cuda_exec"));
}

TEST_F(JsonLinesTest, NodeHasDriversId) {
  auto drawn = std::make_shared<GraphNodes>();
  drawn->nodes.resize(2);
  drawn->nodes[0].type = drawn->nodes[0].name = drawn->nodes[1].type = drawn->nodes[1].name =
      "empty";
  drawn->nodes[1].cudaNode = 7;
  batch.graphs.push_back({1, 1, 0, {2, 0}, drawn, {}});
  const std::vector<json> lines = written();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_FALSE(lines[1].at("nodes")[0].contains("cuda_node"));
  EXPECT_EQ(lines[1].at("nodes")[1].at("cuda_node"), 7);
}

TEST_F(JsonLinesTest, RecordSaysItsEnd) {
  Sample sample;
  add(sample.region("gemm", 0, 0, 5).endsWithNext().region("relu", 0, 5, 5));
  const std::vector<json> lines = written();
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[2]["ends"], "next_begin");
  EXPECT_EQ(lines[3]["ends"], "completion");
}

TEST_F(JsonLinesTest, RecordSaysHowLongItWasBusy) {
  Sample sample;
  add(sample.region("gemm", 0, 0, 5)
          .busy(3, 2, 63, GapCause::Launch)
          .region("relu", 0, 5, 5)
          .busy(4, -1, 7)
          .region("add", 0, 10, 5));
  const std::vector<json> lines = written();
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[2]["busy_ns"], 3);
  EXPECT_EQ(lines[2]["gap_ns"], 2);
  EXPECT_EQ(lines[2]["busy_replays"], 63);
  EXPECT_EQ(lines[2]["gap_cause"], "launch");
  EXPECT_EQ(lines[3]["gap_ns"], nullptr);
  EXPECT_EQ(lines[3]["gap_cause"], nullptr);
  EXPECT_FALSE(lines[4].contains("busy_ns"));
}

TEST_F(JsonLinesTest, RecordSaysEachOfItsColumnsOnce) {
  Sample sample(2);
  add(sample.step(5)
          .serves("decode")
          .region("gemm", 0, 100, 30, Clock::Stamp, {key("batch", 8)})
          .busy(20, -1, 63, GapCause::Launch));
  (void)written();
  const std::string text = contents(folder.file("a.jsonl"));
  EXPECT_THAT(
      text,
      testing::HasSubstr(
          R"({"type":"record","name":"gemm","path":"gemm","depth":0,"kind":"region","clock":"stamp",)"
          R"("source":"src/model.cu:12","function":"forward","context":{"batch":8},)"
          R"("graph":1,"exec":1,"replay":2,"graph_name":"decode","device":0,"stream":7,"step":5,)"
          R"("iteration":null,"cold":false,"begin_ns":1700000000002000100,"duration_ns":30,)"
          R"("ends":"completion","busy_ns":20,"gap_ns":null,"busy_replays":63,"gap_cause":"launch"})"
          "\n"));
}

TEST_F(JsonLinesTest, AbsentIsNull) {
  Sample lost, host = Sample::outsideGraphs();
  add(lost.span(0, 0).region("lost", 0, 0, -1));
  add(host.region("tokenise", 0, 0, 7, Clock::Host));
  const std::vector<json> lines = written();
  ASSERT_EQ(lines.size(), 5U) << "no line for a replay outside graphs";
  EXPECT_EQ(lines[1]["begin_ns"], nullptr);
  EXPECT_EQ(lines[1]["end_ns"], nullptr);
  EXPECT_EQ(lines[1]["step"], nullptr);
  EXPECT_EQ(lines[2]["duration_ns"], nullptr);
  EXPECT_EQ(lines[2]["begin_ns"], nullptr);
  EXPECT_EQ(lines[3]["graph"], nullptr);
  EXPECT_EQ(lines[3]["device"], nullptr);
  EXPECT_EQ(lines[3]["duration_ns"], 7);
}

TEST_F(JsonLinesTest, NotesAreLines) {
  // What is said of the run is a line each.
  batch.notes.push_back({"model", "{\n \"layers\": 32\n}"});
  batch.remarks.emplace_back("allocated once");
  Losses losses{};
  losses.dropped = 2;
  const std::vector<json> lines = written(losses);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[1], (json{{"type", "metadata"}, {"key", "model"}, {"value", {{"layers", 32}}}}));
  EXPECT_EQ(lines[2], (json{{"type", "remark"}, {"text", "allocated once"}}));
  EXPECT_EQ(lines[3]["type"], "loss");
  EXPECT_EQ(lines[3]["kind"], "dropped");
  EXPECT_EQ(lines[3]["count"], 2);
  EXPECT_THAT(lines[3]["text"], testing::StartsWith("2 records left out"));
}

TEST_F(JsonLinesTest, MemoryEventIsLine) {
  // An allocation and a free are a line each.
  batch.memory.push_back(
      {{5, 4096, 8192, 0x7f00, 1, MemoryKind::Pool, 12, {}}, "decode/\"attention\""});
  batch.memory.push_back({{6, -100, 0, 0x1000, -1, MemoryKind::Host, -1, {}}, ""});
  const std::vector<json> lines = written();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1], json::parse(R"({"type":"memory","kind":"pool","device":1,"bytes":4096,
                                      "allocated":8192,"address":"0x7f00","time_ns":5,"step":12,
                                      "path":"decode/\"attention\""})"));
  EXPECT_EQ(lines[2], json::parse(R"({"type":"memory","kind":"host","device":null,"bytes":-100,
                                      "allocated":0,"address":"0x1000","time_ns":6,"step":null,
                                      "path":null})"));
}

TEST_F(JsonLinesTest, HostSpanIsLine) {
  const HostSample sample = HostSample::ofEveryKind();
  for (const HostSpan &span : sample.spans())
    batcher.add(span, batch);
  const std::vector<json> lines = written();
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_EQ(lines[1], (json{{"type", "host_span"},
                            {"kind", "copy"},
                            {"name", "h2d"},
                            {"captured", false},
                            {"source", "src/model.cu:12"},
                            {"function", "forward"},
                            {"context", {{"bytes", 4096}}},
                            {"thread", 7128},
                            {"thread_name", "main"},
                            {"step", 3},
                            {"graph", nullptr},
                            {"exec", nullptr},
                            {"replay", nullptr},
                            {"bytes", 4096},
                            {"begin_ns", Sample::originNs + 100},
                            {"duration_ns", 400}}));
  EXPECT_EQ(lines[2]["captured"], true);
  EXPECT_EQ(lines[3], (json{{"type", "host_span"},
                            {"kind", "launch"},
                            {"name", "cudaGraphLaunch"},
                            {"captured", false},
                            {"source", nullptr},
                            {"function", nullptr},
                            {"context", json::object()},
                            {"thread", 7128},
                            {"thread_name", "main"},
                            {"step", 3},
                            {"graph", 1},
                            {"exec", 1},
                            {"replay", 2},
                            {"bytes", nullptr},
                            {"begin_ns", Sample::originNs + 2'000},
                            {"duration_ns", 1'500}}));
  EXPECT_EQ(lines[6]["thread_name"], "a worker");
  EXPECT_EQ(lines[6]["step"], nullptr);
  EXPECT_EQ(lines[7]["exec"], nullptr) << "an exec that is not timed";
}

TEST_F(JsonLinesTest, FailureNamesPathAndReason) {
  JsonLines lines("/dev/full", run);
  EXPECT_EQ(lines.write(batch), "cannot write /dev/full: No space left on device");
}

} // namespace
