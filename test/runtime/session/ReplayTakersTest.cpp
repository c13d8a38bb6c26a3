// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/ReplayTakers.h"

#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../output/Samples.h"
#include "output/formats/callback/Callback.h"
#include "session/Session.h"

using namespace graphprof;
using graphprof::test::Sample;
using testing::ElementsAre;

namespace {

Sample replayOf(std::uint64_t exec, std::uint64_t number) {
  Sample sample(number);
  sample.exec(1, exec).region("work", 0, 0, 10'000);
  return sample; // a copy would refer to the texts of what it was copied from
}

} // namespace

TEST(ReplayTakers, TakenReplayReachesNoOutput) {
  Config config;
  config.outputs = {};
  Session session(std::move(config));
  std::vector<std::uint64_t> shown, taken;
  session.outputs.attach(std::make_unique<Callback>(
      [&](const Record &record) { shown.push_back(record.replay); }, 100));
  const auto arrived = [&] { return session.outputs.flush(10'000); };
  const int who = 0;
  session.takers.add(&who, [&](const Replay &replay) {
    if (replay.exec != 2)
      return false;
    taken.push_back(replay.number);
    return true;
  });
  session.consume(replayOf(1, 10));
  session.consume(replayOf(2, 20));
  EXPECT_TRUE(arrived());
  EXPECT_THAT(shown, ElementsAre(10));
  EXPECT_THAT(taken, ElementsAre(20));
  session.takers.remove(&who);
  session.consume(replayOf(2, 21));
  EXPECT_TRUE(arrived());
  EXPECT_THAT(shown, ElementsAre(10, 21));
  EXPECT_THAT(taken, ElementsAre(20));
}

TEST(ReplayTakers, FirstTakerTakesReplay) {
  ReplayTakers takers;
  const int first = 0, second = 0;
  std::vector<const int *> asked;
  takers.add(&first, [&](const Replay &) {
    asked.push_back(&first);
    return true;
  });
  takers.add(&second, [&](const Replay &) {
    asked.push_back(&second);
    return true;
  });
  EXPECT_TRUE(takers.take(Replay()));
  EXPECT_THAT(asked, ElementsAre(&first));
  takers.remove(&first);
  takers.remove(&second);
  EXPECT_FALSE(takers.take(Replay()));
}
