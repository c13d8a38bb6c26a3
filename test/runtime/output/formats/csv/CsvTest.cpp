// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/csv/Csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::Sample;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

constexpr const char *header =
    "name,path,depth,kind,clock,device,stream,graph,exec,replay,"
    "iteration,step,cold,begin_ns,duration_ns,ends,source,function,context,"
    "busy_ns,gap_ns,busy_replays,gap_cause,graph_name\n";

class CsvTest : public testing::Test {
protected:
  void add(Sample &sample) { batcher.add(sample, batch); }
  std::string written(const Losses &losses = {}) {
    Csv csv(folder.file("a.csv"));
    EXPECT_EQ(csv.write(batch), "");
    EXPECT_EQ(csv.close(losses), "");
    return contents(folder.file("a.csv"));
  }

  const Folder folder;
  Batcher batcher;
  Batch batch;
};

// No cell is a formula to a spreadsheet. Else it would run what a name says.
TEST_F(CsvTest, CellIsNeverFormula) {
  EXPECT_EQ(csvField("=cmd|'/C calc'!A0"), "'=cmd|'/C calc'!A0");
  EXPECT_EQ(csvField("+1"), "'+1");
  EXPECT_EQ(csvField("-1"), "'-1");
  EXPECT_EQ(csvField("@SUM(1,2)"), "\"'@SUM(1,2)\"");
  EXPECT_EQ(csvField("\t=1"), "'\t=1");
  EXPECT_EQ(csvField("a=b"), "a=b");
}

TEST_F(CsvTest, RecordsAreLinesUnderHeader) {
  Sample sample(3);
  add(sample.cold()
          .step(5)
          .region("layer 0", 0, 100, 30'125, Clock::Stamp, {Value(0)})
          .region("add", 1, 200, 20'000));
  EXPECT_EQ(written(),
            header +
                std::string("layer 0,layer 0,0,region,stamp,0,7,1,1,3,,5,1,1700000000003000100,"
                            "30125,completion,src/model.cu:12,forward,\"{\"\"0\"\":0}\",,,,,\n"
                            "add,layer 0/add,1,region,stamp,0,7,1,1,3,,5,1,1700000000003000200,"
                            "20000,completion,src/model.cu:12,forward,,,,,,\n"));
}

TEST_F(CsvTest, AbsentIsEmptyField) {
  Sample lost, host = Sample::outsideGraphs();
  add(lost.region("lost", 0, 0, -1));
  add(host.region("tokenise", 0, 0, 7, Clock::Host));
  const std::string text = written();
  EXPECT_THAT(text, HasSubstr("lost,lost,0,region,stamp,0,7,1,1,0,,,0,,,completion,"));
  EXPECT_THAT(
      text,
      HasSubstr("tokenise,tokenise,0,region,host,,0,,,,,,0,1700000000000000000,7,completion,"));
}

TEST_F(CsvTest, NodeHasNoSource) {
  // A node stands in no file, and a body has iterations.
  Sample sample;
  add(sample.region("gemm", 0, 0, 5)
          .kind(Kind::Kernel)
          .endsWithNext()
          .region("smooth", 0, 5, 5)
          .iteration(2));
  const std::string text = written();
  EXPECT_THAT(
      text,
      HasSubstr(
          "gemm,gemm,0,kernel,stamp,0,7,1,1,0,,,0,1700000000000000000,5,next_begin,,,,,,,,\n"));
  EXPECT_THAT(text, HasSubstr("smooth,smooth,0,region,stamp,0,7,1,1,0,2,,0,"));
}

TEST_F(CsvTest, BusyTimesAreLast) {
  Sample sample;
  add(sample.region("gemm", 0, 0, 1'800)
          .kind(Kind::Kernel)
          .endsWithNext()
          .busy(800, 950, 63, GapCause::Launch)
          .region("last", 0, 1'800, 700)
          .kind(Kind::Kernel)
          .busy(690, -1, 7)
          .region("unknown", 0, 2'500, 700)
          .kind(Kind::Kernel));
  const std::string text = written();
  EXPECT_THAT(text, HasSubstr(",1800,next_begin,,,,800,950,63,launch,\n"));
  EXPECT_THAT(text, HasSubstr(",700,completion,,,,690,,7,,\n"));
  EXPECT_THAT(text, HasSubstr(",700,completion,,,,,,,,\n"));
}

TEST(CsvField, IsQuotedWhereNecessary) {
  EXPECT_EQ(csvField("plain text"), "plain text");
  EXPECT_EQ(csvField("f(a, b)"), "\"f(a, b)\"");
  EXPECT_EQ(csvField("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csvField("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csvField(""), "");
}

TEST_F(CsvTest, LossesStandAtTheEnd) {
  Losses losses{};
  losses.overrun = 3;
  const std::string text = written(losses);
  EXPECT_THAT(text, HasSubstr("3 replays lost: the ring"));
  EXPECT_THAT(text, EndsWith(",,,loss,,,,,,,,,,,,,,,,,,,,\n"));
  const std::string last = text.substr(text.rfind("3 replays"));
  const std::string heading(header);
  EXPECT_EQ(std::count(last.begin(), last.end(), ','),
            std::count(heading.begin(), heading.end(), ','));
}

TEST_F(CsvTest, IsValidUtf8) {
  EXPECT_EQ(csvField("caf\xe9"), "caf\xef\xbf\xbd");
  EXPECT_EQ(csvField("caf\xe9, \xff"), "\"caf\xef\xbf\xbd, \xef\xbf\xbd\"");
}

TEST_F(CsvTest, NoRecordsGiveHeader) { EXPECT_EQ(written(), header); }

TEST_F(CsvTest, LaterBatchesKnowEarlierRegions) {
  Csv csv(folder.file("a.csv"));
  for (std::uint64_t i = 0; i < 3; ++i) {
    Sample sample(i);
    add(sample.region("add", 0, 0, 10));
    EXPECT_EQ(csv.write(batch), "");
    batcher.renew(batch);
  }
  EXPECT_THAT(contents(folder.file("a.csv")), HasSubstr("add,add,0,region,stamp,0,7,1,1,2,"))
      << "written at once";
}

TEST_F(CsvTest, FailureNamesPathAndReason) {
  Csv csv("/dev/full");
  EXPECT_EQ(csv.write(batch), "cannot write /dev/full: No space left on device");
}

} // namespace
