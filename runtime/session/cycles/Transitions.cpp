// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/Transitions.h"

#include <array>
#include <cstddef>

namespace graphprof {

namespace {

constexpr std::size_t actions = 4;
constexpr std::size_t end = actions; // the last column

constexpr std::string_view warmupThenNone = "Incorrect schedule: WARMUP followed by NONE";
constexpr std::string_view recordThenNone = "Incorrect schedule: RECORD followed by NONE";
constexpr std::string_view recordThenWarmup = "Incorrect schedule: RECORD followed by WARMUP";

using enum Move;

constexpr std::array<std::array<Transition, actions + 1>, actions> table = {{
    {{{}, {{Prepare}, {}}, {{Prepare, Start}, {}}, {{Prepare, Start}, {}}, {}}},
    {{{{Start, Stop}, warmupThenNone}, {}, {{Start}, {}}, {{Start}, {}}, {{Start, Stop}, {}}}},
    {{{{Stop}, recordThenNone}, {{Stop}, recordThenWarmup}, {}, {}, {{Stop, Ready}, {}}}},
    {{{{Stop, Ready}, {}},
      {{Stop, Ready, Prepare}, {}},
      {{Stop, Ready, Prepare, Start}, {}},
      {{Stop, Ready, Prepare, Start}, {}},
      {{Stop, Ready}, {}}}},
}};

std::size_t index(ProfilerAction action) {
  const auto number = static_cast<std::size_t>(action);
  return number < actions ? number : 0;
}

} // namespace

Transition transition(ProfilerAction from, std::optional<ProfilerAction> to) noexcept {
  return table[index(from)][to ? index(*to) : end];
}

} // namespace graphprof
