// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/NearMiss.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace graphprof {

namespace {

// Levenshtein's distance, with a swap of neighbours as one mistake. Computed row by row.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before, last(other.size() + 1), row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t exchanged = last[j] + (one[i] == other[j] ? 0 : 1);
      row[j + 1] = std::min({row[j] + 1, last[j + 1] + 1, exchanged});
      if (i > 0 && j > 0 && one[i] == other[j - 1] && one[i - 1] == other[j])
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

} // namespace

std::string_view nearMiss(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t longest = 64; // longer words are not misspelt ones
  if (word.size() > longest)
    return {};
  std::string_view nearest;
  std::size_t least = word.size() / 3 + 1;
  for (const std::string_view each : known)
    if (const std::size_t away = distance(word, each); away < least) {
      least = away;
      nearest = each;
    }
  return nearest;
}

std::string didYouMean(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view meant = nearMiss(word, known);
  return meant.empty() ? std::string() : " (did you mean " + std::string(meant) + "?)";
}

} // namespace graphprof
