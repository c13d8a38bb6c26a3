// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Random numbers that are the same on every machine for the same seed, and choices made with them.

#ifndef GRAPHPROF_TEST_FUZZ_RANDOM_H
#define GRAPHPROF_TEST_FUZZ_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace graphprof::fuzz {

/// Sebastiano Vigna's splitmix64.
class Random {
public:
  explicit Random(std::uint64_t Seed) : State(Seed) {}

  std::uint64_t next() {
    std::uint64_t Z = (State += 0x9e3779b97f4a7c15);
    Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9;
    Z = (Z ^ (Z >> 27)) * 0x94d049bb133111eb;
    return Z ^ (Z >> 31);
  }

  /// From 0 to Bound - 1; Bound is at least 1.
  std::size_t below(std::size_t Bound) { return next() % Bound; }
  bool percent(unsigned Chance) { return below(100) < Chance; }

  template <class List> const auto &of(const List &Choices) {
    return Choices[below(std::size(Choices))];
  }
  const char *of(std::initializer_list<const char *> Choices) {
    return Choices.begin()[below(Choices.size())];
  }

private:
  std::uint64_t State;
};

} // namespace graphprof::fuzz

#endif
