// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/callback/Callback.h"

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

Batch of(const Replay &replay) {
  Batch batch;
  Batcher().add(replay, batch);
  return batch;
}

TEST(Callback, GetsRecordsInCaptureOrder) {
  std::vector<std::string> seen;
  Callback callback([&](const Record &record) {
    seen.push_back(std::string(record.name) + " " + std::to_string(record.duration_ns));
  });
  Sample sample;
  EXPECT_EQ(callback.write(of(
                sample.region("layer", 0, 0, 9).region("add", 1, 0, 4).region("relu", 1, 4, -1))),
            "");
  EXPECT_THAT(seen, ElementsAre("layer 9", "add 4", "relu -1"));
}

TEST(Callback, ExceptionBecomesFailure) {
  Sample sample;
  const Replay replay = sample.region("add", 0, 0, 1);
  Callback standard([](const Record &) { throw std::runtime_error("not today"); });
  EXPECT_EQ(standard.write(of(replay)), "it threw: not today");
  Callback odd([](const Record &) { throw 42; });
  EXPECT_THAT(odd.write(of(replay)), HasSubstr("something other than a std::exception"));
}

TEST(Callback, HandsOnNothingAfterStop) {
  int calls = 0;
  Callback *self = nullptr;
  Callback callback([&](const Record &) {
    ++calls;
    self->stop();
  });
  self = &callback;
  Sample sample;
  EXPECT_EQ(callback.write(of(sample.region("add", 0, 0, 1).region("relu", 0, 1, 1))), "");
  EXPECT_EQ(calls, 1);
}

TEST(Callback, NoFunctionDoesNothing) {
  Callback callback(nullptr);
  Sample sample;
  EXPECT_EQ(callback.write(of(sample.region("add", 0, 0, 1))), "");
  EXPECT_EQ(callback.close({}), "");
}

} // namespace
