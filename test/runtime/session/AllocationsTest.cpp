// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/memory/Allocations.h"

#include <gtest/gtest.h>

using graphprof::Allocations;
using graphprof::MemoryKind;

namespace {

const void *at(std::uintptr_t address) { return reinterpret_cast<const void *>(address); }

std::int64_t clockNs = 0;
std::int64_t now() { return ++clockNs; }

// As the calls do it.
struct Tally : Allocations {
  std::uint64_t allocate(std::uintptr_t address, std::uint64_t bytes, int device = 0,
                         MemoryKind kind = MemoryKind::Device, bool inStep = false) {
    return allocated(at(address), {bytes, kind, device}, inStep, now).allocated;
  }
  std::uint64_t free(std::uintptr_t address) {
    const auto [block, change] = freeing(at(address), now);
    freed(block);
    return change.allocated;
  }
  std::uint64_t bytesAt(std::uintptr_t address) { return freeing(at(address), now).first.bytes; }
};

TEST(Allocations, SayNothingWithoutAllocations) { EXPECT_EQ("", Allocations().sentence()); }

TEST(Allocations, CountTimesBytesAndSteps) {
  // Times and bytes are counted, and those in steps apart.
  Tally tally;
  tally.allocate(0x1000, 1000);
  EXPECT_EQ("allocated 1 time, 1000 B; freed 0 times, 0 B", tally.sentence());
  tally.allocate(0x2000, 3 << 20, 0, MemoryKind::Device, true);
  tally.free(0x1000);
  EXPECT_EQ("allocated 2 times, 3.00 MB (in steps 1 time, 3.00 MB); freed 1 time, 1000 B",
            tally.sentence());
}

TEST(Allocations, KnowOnlyWhatTheySaw) {
  Tally tally;
  EXPECT_EQ(0u, tally.bytesAt(0x1000));
  tally.allocate(0x1000, 10);
  EXPECT_EQ(10u, tally.bytesAt(0x1000));
  EXPECT_EQ(0u, tally.bytesAt(0x1000));
}

TEST(Allocations, KnowFreedBlock) {
  // What is freed comes back with its size, kind and device.
  Tally tally;
  tally.allocate(0x1000, 10, 3, MemoryKind::Pool);
  const auto [block, change] = tally.freeing(at(0x1000), now);
  EXPECT_EQ(10u, block.bytes);
  EXPECT_EQ(MemoryKind::Pool, block.kind);
  EXPECT_EQ(3, block.device);
  EXPECT_EQ(clockNs, change.atNs);
}

TEST(Allocations, SumByKindAndDevice) {
  // They know how much there is of each kind on each device.
  Tally tally;
  EXPECT_EQ(10u, tally.allocate(0x1000, 10));
  EXPECT_EQ(30u, tally.allocate(0x2000, 20));
  EXPECT_EQ(5u, tally.allocate(0x3000, 5, 1)) << "another device";
  EXPECT_EQ(7u, tally.allocate(0x4000, 7, 0, MemoryKind::Pool)) << "another kind";
  EXPECT_EQ(20u, tally.free(0x1000));
  EXPECT_EQ(0u, tally.free(0x4000));
}

TEST(Allocations, BlockReplacesForgottenOne) {
  // A block where one was is in its place.
  Tally tally;
  tally.allocate(0x1000, 10);
  EXPECT_EQ(4u, tally.allocate(0x1000, 4)) << "the other one was freed where nobody saw it";
  EXPECT_EQ(0u, tally.free(0x1000));
}

TEST(Allocations, FailedFreeKeepsBlock) {
  // What could not be freed is still there.
  Tally tally;
  tally.allocate(0x1000, 10);
  tally.kept(at(0x1000), tally.freeing(at(0x1000), now).first);
  EXPECT_EQ(13u, tally.allocate(0x2000, 3));
  EXPECT_EQ(10u, tally.bytesAt(0x1000));
}

TEST(Allocations, OfNothingNothingIsKept) {
  Tally tally;
  EXPECT_EQ(0u, tally.allocate(0, 10));
  EXPECT_EQ(0u, tally.bytesAt(0));
}

} // namespace
