// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/Transitions.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "Torch.h"

using namespace graphprof;
using graphprof::test::torchExpectations;

namespace {

// The letters of the log: P prepare, S start, X stop, T trace ready.
std::string lettersOf(const Transition &transition) {
  std::string letters;
  for (const Move move : transition.moves)
    if (move != Move::None)
      letters += " PSXT"[static_cast<std::size_t>(move)];
  return letters;
}

ProfilerAction action(const nlohmann::json &value) {
  return static_cast<ProfilerAction>(value.get<int>());
}

// Every pair and every three of actions, and the end behind them, as the real one does them.
TEST(Transitions, AgreeWithTorchProfiler) {
  // They do and say what torch.profiler does and says.
  const auto runs = torchExpectations("transitions")["runs"];
  ASSERT_EQ(4U + 16U + 64U + 1U, runs.size());
  for (const auto &run : runs) {
    auto previous = ProfilerAction::NONE;
    for (std::size_t i = 0; i <= run["actions"].size(); ++i) {
      const auto next = i < run["actions"].size() ? std::optional(action(run["actions"][i]))
                                                  : std::optional<ProfilerAction>();
      const Transition ours = transition(previous, next);
      const auto &theirs = run["log"][i];
      EXPECT_EQ(theirs["does"].get<std::string>(), lettersOf(ours))
          << run["actions"] << " at " << i;
      EXPECT_EQ(theirs["warnings"].empty() ? "" : theirs["warnings"][0].get<std::string>(),
                ours.warning)
          << run["actions"] << " at " << i;
      previous = next.value_or(ProfilerAction::NONE);
    }
  }
}

TEST(Transitions, UnknownActionIsNone) {
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): that is the point
  const auto nonsense = static_cast<ProfilerAction>(200);
  EXPECT_EQ("PS", lettersOf(transition(nonsense, ProfilerAction::RECORD)));
  EXPECT_EQ("XT", lettersOf(transition(ProfilerAction::RECORD_AND_SAVE, nonsense)));
}

} // namespace
