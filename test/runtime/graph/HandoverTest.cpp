// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What passes from many threads to one, and the places that it stands in.

#include "graph/launch/Handover.h"

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace graphprof {
namespace {

using Numbers = std::vector<int>;

void push(Handover<int> &handover, int number) {
  const auto lock = handover.lock();
  handover.waiting().add() = number;
}

Numbers out(Handover<int> &handover) {
  const auto lock = handover.lock();
  Numbers numbers;
  for (const auto &piece : handover.out())
    numbers.insert(numbers.end(), piece.begin(), piece.end());
  EXPECT_EQ(numbers.size(), handover.size());
  return numbers;
}

Numbers taken(Handover<int> &handover) {
  const auto numbers = handover.take();
  return {numbers.begin(), numbers.end()};
}

TEST(Handover, TakenStaysOutUntilDone) {
  // What is taken is out until it is done with.
  Handover<int> handover;
  EXPECT_EQ(Numbers(), taken(handover));
  for (const int number : {1, 2, 3})
    push(handover, number);
  EXPECT_EQ(Numbers({1, 2, 3}), taken(handover));
  push(handover, 4);
  EXPECT_EQ(Numbers({1, 2, 3, 4}), out(handover));
  handover.done(2);
  EXPECT_EQ(Numbers({3, 4}), out(handover));
  EXPECT_EQ(Numbers({3}), taken(handover)) << "the rest of what it has, before it takes more";
  handover.done();
  EXPECT_EQ(Numbers({4}), taken(handover));
  handover.done();
  EXPECT_EQ(Numbers(), out(handover));
  EXPECT_EQ(Numbers(), taken(handover));
}

TEST(Handover, StoresShareTheBound) {
  // Both stores count against the bound.
  Handover<int> handover;
  push(handover, 1);
  push(handover, 2);
  EXPECT_TRUE(handover.hasRoomFor(1, 3));
  EXPECT_FALSE(handover.hasRoomFor(2, 3));
  EXPECT_EQ(2U, handover.take().size());
  push(handover, 3);
  EXPECT_FALSE(handover.hasRoomFor(1, 3));
  handover.done();
  EXPECT_TRUE(handover.hasRoomFor(1, 3));
  handover.clear();
  EXPECT_EQ(Numbers(), out(handover));
  EXPECT_TRUE(handover.hasRoomFor(3, 3));
}

TEST(Handover, ThreadsPushWhileOneTakes) {
  constexpr int threads = 4, each = 20'000;
  Handover<int> handover;
  std::vector<std::jthread> pushing;
  pushing.reserve(threads);
  for (int thread = 0; thread < threads; ++thread)
    pushing.emplace_back([&handover, thread] {
      for (int i = 0; i < each; ++i)
        push(handover, i * threads + thread);
    });
  std::array<int, threads> next{};
  for (int seen = 0; seen < threads * each;) {
    const auto numbers = handover.take();
    for (const int number : numbers) {
      ASSERT_EQ(next[static_cast<std::size_t>(number % threads)]++, number / threads);
      handover.done();
    }
    seen += static_cast<int>(numbers.size());
    ASSERT_LE(out(handover).size(), static_cast<std::size_t>(threads * each - seen));
  }
}

TEST(Places, PlacesAreReused) {
  // Places keep what was taken off for the next one.
  RecyclingVector<Numbers> places;
  places.add() = Numbers(100);
  places.add() = Numbers(50);
  places.shrinkTo(1);
  EXPECT_EQ(1U, places.size());
  EXPECT_EQ(50U, places.add().size());
  places.clear();
  EXPECT_TRUE(places.empty());
  EXPECT_EQ(100U, places.add().size());
}

TEST(Places, FewOfManyStay) {
  // Of many places, only some stay.
  constexpr std::size_t many = 100'000;
  RecyclingVector<Numbers> places;
  for (std::size_t i = 0; i < many; ++i)
    places.add() = Numbers(1);
  places.clear(); // all were used just now
  places.add();
  places.clear();
  std::size_t kept = 0;
  while (places.add().size() == 1)
    ++kept;
  EXPECT_LT(kept, many / 10);
  EXPECT_GT(kept, 0U);
}

} // namespace
} // namespace graphprof
