// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Direct.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"

using namespace graphprof;
using graphprof::test::HostSample;
using graphprof::test::Sample;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

// Says what each batch had in it, and fails when it is told to.
class Noting : public BatchWriter {
public:
  explicit Noting(std::vector<std::string> &noted) : noted_(noted) {}
  std::string write(const Batch &batch) override {
    std::string text;
    const auto add = [&text](std::size_t count, const char *what) {
      if (count > 0)
        text += std::to_string(count) + what;
    };
    add(batch.regions.size(), " regions ");
    add(batch.timings.size(), " timings ");
    add(batch.spans.size(), " spans ");
    add(batch.memory.size(), " memory ");
    add(batch.notes.size(), " notes ");
    add(batch.remarks.size(), " remarks ");
    noted_.push_back(text);
    return batch.remarks.empty() ? "" : batch.remarks.front();
  }
  std::string close(const Losses &losses) override {
    noted_.push_back("closed, " + std::to_string(losses.overrun) + " lost");
    return {};
  }
  [[nodiscard]] std::uint64_t dropped() const override { return 7; }

private:
  std::vector<std::string> &noted_;
};

TEST(Direct, HandsOnEachReplayAtOnceWithTheRegionsThatAreNew) {
  std::vector<std::string> noted;
  Direct output("name", std::make_unique<Noting>(noted));
  Sample first(0), second(1);
  EXPECT_EQ(output.write(first.region("a", 0, 0, 10).region("b", 0, 10, 10)), "");
  EXPECT_THAT(noted, ElementsAre("2 regions 2 timings "));
  EXPECT_EQ(output.write(second.region("a", 0, 0, 10)), "");
  EXPECT_THAT(noted, ElementsAre("2 regions 2 timings ", "1 timings "));
  EXPECT_EQ(output.name(), "name");
  EXPECT_EQ(output.dropped(), 7U);
}

TEST(Direct, HandsOnMemoryWhereItIsTo) {
  std::vector<std::string> noted;
  Direct without("", std::make_unique<Noting>(noted), false, false);
  EXPECT_EQ(without.memory({}), "");
  EXPECT_THAT(noted, IsEmpty());
  Direct with("", std::make_unique<Noting>(noted), true, true);
  EXPECT_EQ(with.memory({}), "");
  EXPECT_EQ(with.writeHost(HostSample::ofEveryKind().spans()), "");
  EXPECT_THAT(noted, ElementsAre("1 memory ", "7 spans "));
  EXPECT_TRUE(with.wantsHostSpans());
  EXPECT_FALSE(without.wantsHostSpans());
}

TEST(Direct, NotesComeWithWhatComesNextOrAtTheEnd) {
  std::vector<std::string> noted;
  Direct output("", std::make_unique<Noting>(noted));
  output.metadata("key", "1");
  EXPECT_THAT(noted, IsEmpty());
  Sample sample;
  EXPECT_EQ(output.write(sample.region("a", 0, 0, 10)), "");
  output.metadata("key", "2");
  Losses losses{};
  losses.overrun = 3;
  EXPECT_EQ(output.close(losses), "");
  EXPECT_THAT(noted, ElementsAre("1 regions 1 timings 1 notes ", "1 notes ", "closed, 3 lost"));
}

TEST(Direct, IsNotClosedWhereItsLastBatchFails) {
  std::vector<std::string> noted;
  Direct output("", std::make_unique<Noting>(noted));
  output.remark("no space");
  EXPECT_EQ(output.close({}), "no space");
  EXPECT_THAT(noted, ElementsAre("1 remarks "));
}

} // namespace
