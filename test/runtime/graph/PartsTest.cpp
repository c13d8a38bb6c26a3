// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Parts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace graphprof {
namespace {

Region regionAt(std::string name, int depth, std::uint32_t begin, std::uint32_t end) {
  Region region{};
  region.name = std::move(name);
  region.depth = depth;
  region.begin = begin;
  region.end = end;
  return region;
}

// Three layers of two regions each, one behind the other, in a step.
std::vector<Region> step() {
  std::vector<Region> regions = {regionAt("step", 0, 0, 6)};
  for (std::uint32_t layer = 0; layer < 3; ++layer) {
    regions.push_back(regionAt("layer", 1, 2 * layer, 2 * layer + 2));
    regions.push_back(regionAt("attention", 2, 2 * layer, 2 * layer + 1));
    regions.push_back(regionAt("mlp", 2, 2 * layer + 1, 2 * layer + 2));
  }
  return regions;
}

// The regions of a part, by index.
std::set<std::size_t> in(const PartOfTable &part) {
  std::set<std::size_t> here;
  for (std::size_t i = 0; i < part.regions.size(); ++i)
    if (!part.regions[i].isElsewhere)
      here.insert(i);
  return here;
}

TEST(Parts, RegionComesWithOuterRegions) {
  // Parts hold each region at least once, with those around it.
  const std::vector<Region> regions = step();
  for (std::uint32_t parts = 1; parts <= 9; ++parts) {
    std::set<std::size_t> all;
    for (std::uint32_t part = 0; part < parts; ++part) {
      const std::set<std::size_t> here = in(partOf(regions, part, parts, {}));
      all.insert(here.begin(), here.end());
      for (const std::size_t index : here)
        for (std::size_t around = index, depth = static_cast<std::size_t>(regions[index].depth);
             depth > 0; --around)
          if (static_cast<std::size_t>(regions[around].depth) < depth) {
            EXPECT_TRUE(here.contains(around)) << around << " is around " << index;
            depth = static_cast<std::size_t>(regions[around].depth);
          }
    }
    EXPECT_EQ(regions.size(), all.size()) << parts << " parts";
  }
}

TEST(Parts, SinglePartIsWhole) {
  const std::vector<Region> regions = step();
  const PartOfTable whole = partOf(regions, 0, 1, {});
  EXPECT_EQ((std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}), whole.boundaries);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    EXPECT_EQ(regions[i].begin, whole.regions[i].begin);
    EXPECT_EQ(regions[i].end, whole.regions[i].end);
  }
}

TEST(Parts, NumberTheirBoundariesAnew) {
  const std::vector<Region> regions = step();
  for (std::uint32_t part = 0; part < 3; ++part) {
    const PartOfTable chosen = partOf(regions, part, 3, {});
    EXPECT_LT(chosen.boundaries.size(), 7U);
    EXPECT_EQ(0U, chosen.boundaries.front()) << "the root is in every part";
    for (const std::size_t index : in(chosen)) {
      EXPECT_EQ(regions[index].begin, chosen.boundaries.at(chosen.regions[index].begin));
      EXPECT_EQ(regions[index].end, chosen.boundaries.at(chosen.regions[index].end));
    }
  }
}

TEST(Parts, KeepMomentsOfSharedBoundaries) {
  std::vector<Region> regions = {regionAt("first", 0, 0, 4), regionAt("joined", 0, 5, 9)};
  regions[1].alsoBehind = {6};
  regions[1].alsoEnds = {8};
  regions[1].orBehind = {{7, 3}};
  const PartOfTable last = partOf(regions, 1, 2, {});
  ASSERT_EQ(std::set<std::size_t>{1}, in(last));
  EXPECT_EQ((std::vector<std::uint32_t>{0, 3, 5, 6, 7, 8, 9}), last.boundaries);
  const Region &joined = last.regions[1];
  EXPECT_EQ(2U, joined.begin);
  EXPECT_EQ(Moment{3}, joined.alsoBehind);
  EXPECT_EQ(Moment{5}, joined.alsoEnds);
  EXPECT_EQ((Moment{4, 1}), joined.orBehind.front());
  EXPECT_EQ(6U, joined.end);
}

TEST(Parts, PartHasNeededBoundaries) {
  // Parts also have what every part needs.
  const PartOfTable bare = barePart(step(), {6});
  EXPECT_TRUE(in(bare).empty());
  EXPECT_EQ((std::vector<std::uint32_t>{0, 6}), bare.boundaries);
}

// A region that never ended keeps that.
TEST(Parts, KeepUnfinishedRegions) {
  const PartOfTable part = partOf({regionAt("open", 0, 3, Region::unfinished)}, 0, 1, {});
  EXPECT_EQ(1U, part.regions[0].begin);
  EXPECT_EQ(Region::unfinished, part.regions[0].end);
}

} // namespace
} // namespace graphprof
