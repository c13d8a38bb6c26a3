// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/callback/Callback.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"

using namespace graphprof;
using graphprof::test::Sample;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr std::size_t most = 100;           // records that wait
constexpr std::int64_t patienceMs = 10'000; // no test needs it

Batch of(const Replay &replay) {
  Batch batch;
  Batcher().add(replay, batch);
  return batch;
}

TEST(Callback, GetsRecordsInCaptureOrder) {
  std::vector<std::string> seen;
  Callback callback(
      [&](const Record &record) {
        seen.push_back(std::string(record.name) + " " + std::to_string(record.duration_ns));
      },
      most);
  Sample sample;
  EXPECT_EQ(callback.write(of(
                sample.region("layer", 0, 0, 9).region("add", 1, 0, 4).region("relu", 1, 4, -1))),
            "");
  EXPECT_TRUE(callback.flush(patienceMs));
  EXPECT_THAT(seen, ElementsAre("layer 9", "add 4", "relu -1"));
}

TEST(Callback, ExceptionBecomesFailure) {
  Sample sample;
  const Batch batch = of(sample.region("add", 0, 0, 1));
  std::string said;
  const auto say = [&said](const std::string &why) { said = why; };
  Callback standard([](const Record &) { throw std::runtime_error("not today"); }, most, say);
  EXPECT_EQ(standard.write(batch), "");
  EXPECT_TRUE(standard.flush(patienceMs));
  EXPECT_EQ(said, "it threw: not today");
  EXPECT_EQ(standard.write(batch), "it threw: not today");
  Callback odd([](const Record &) { throw 42; }, most, say);
  EXPECT_EQ(odd.write(batch), "");
  EXPECT_TRUE(odd.flush(patienceMs));
  EXPECT_THAT(said, HasSubstr("something other than a std::exception"));
}

TEST(Callback, HandsOnNothingAfterStop) {
  int calls = 0;
  Callback *self = nullptr;
  Callback callback(
      [&](const Record &) {
        ++calls;
        self->stop();
      },
      most);
  self = &callback;
  Sample sample;
  EXPECT_EQ(callback.write(of(sample.region("add", 0, 0, 1).region("relu", 0, 1, 1))), "");
  EXPECT_TRUE(callback.flush(patienceMs));
  EXPECT_EQ(calls, 1);
}

TEST(Callback, NoFunctionDoesNothing) {
  Callback callback(std::function<void(const Record &)>(), most);
  Sample sample;
  EXPECT_EQ(callback.write(of(sample.region("add", 0, 0, 1))), "");
  EXPECT_EQ(callback.close({}), "");
}

} // namespace
