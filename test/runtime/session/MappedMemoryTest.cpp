// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/memory/MappedMemory.h"

#include <gtest/gtest.h>

using graphprof::MappedMemory;

namespace {

using Freed = std::vector<MappedMemory::Handle>;

TEST(MappedMemory, LastReferenceFreesUnmapped) {
  // Memory that is not mapped is freed with the last reference.
  MappedMemory memory;
  memory.created(1);
  memory.retained(1);
  EXPECT_EQ(Freed(), memory.release(1).freed);
  EXPECT_EQ(Freed{1}, memory.release(1).freed);
  EXPECT_TRUE(memory.release(1).empty()) << "is not known any more";
}

TEST(MappedMemory, LastMappingFreesReleased) {
  // Memory that was released is freed with its last mapping.
  MappedMemory memory;
  memory.created(1);
  memory.mapped({100, 10, 1});
  memory.mapped({200, 10, 1});
  EXPECT_EQ(Freed(), memory.release(1).freed);
  EXPECT_EQ(Freed(), memory.unmap(100, 10).freed);
  EXPECT_TRUE(memory.unmap(100, 10).empty());
  EXPECT_EQ(Freed{1}, memory.unmap(200, 10).freed);
}

TEST(MappedMemory, RetainedMappingKeepsIt) {
  // Memory that is released, and then retained by its mapping, outlives the mapping.
  MappedMemory memory;
  memory.created(1);
  memory.mapped({100, 10, 1});
  EXPECT_EQ(Freed(), memory.release(1).freed);
  memory.retained(1);
  EXPECT_EQ(Freed(), memory.unmap(100, 10).freed);
  EXPECT_EQ(Freed{1}, memory.release(1).freed);
}

TEST(MappedMemory, OneCallUnmapsSeveralHandles) {
  MappedMemory memory;
  for (const MappedMemory::Handle handle : {1, 2, 3}) {
    memory.created(handle);
    memory.mapped({100 * handle, 100, handle});
    if (handle != 2)
      EXPECT_EQ(Freed(), memory.release(handle).freed);
  }
  memory.mapped({400, 100, 2});
  EXPECT_EQ((Freed{1, 3}), memory.unmap(100, 300).freed);
  EXPECT_EQ(Freed(), memory.unmap(400, 100).freed);
  EXPECT_EQ(Freed{2}, memory.release(2).freed);
}

TEST(MappedMemory, StaysWhereACallFails) {
  MappedMemory memory;
  memory.created(1);
  memory.restore(memory.release(1));
  memory.mapped({100, 10, 1});
  EXPECT_EQ(Freed(), memory.release(1).freed);
  memory.restore(memory.unmap(100, 10));
  EXPECT_EQ(Freed{1}, memory.unmap(100, 10).freed);
}

TEST(MappedMemory, UnknownIsNobodys) {
  MappedMemory memory;
  memory.retained(7);
  memory.mapped({100, 10, 7});
  EXPECT_TRUE(memory.release(7).empty());
  EXPECT_TRUE(memory.unmap(100, 10).empty());
}

TEST(MappedMemory, ReusedHandleIsNewMemory) {
  // A handle may come again though nobody saw its memory's end.
  MappedMemory memory;
  memory.created(1);
  memory.mapped({100, 10, 1});
  memory.created(1);
  memory.mapped({200, 10, 1});
  EXPECT_EQ(Freed(), memory.release(1).freed);
  EXPECT_TRUE(memory.unmap(100, 10).empty()) << "of the first";
  EXPECT_EQ(Freed{1}, memory.unmap(200, 10).freed);
}

} // namespace
