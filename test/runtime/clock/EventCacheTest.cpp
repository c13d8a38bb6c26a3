// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/EventCache.h"

#include <algorithm>
#include <set>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "clock/Devices.h"
#include "cudasim/cudasim.h"

namespace graphprof {
namespace {

class EventCacheTest : public testing::Test {
protected:
  EventCacheTest() {
    cudaDeviceReset(); // whatever ran before: a device without events
    cudaFree(nullptr);
    device = devices.current();
  }
  ~EventCacheTest() override { cudasim::reset(); }

  [[nodiscard]] unsigned made() const { return cudasim::callCount("cuEventCreate") - madeBefore; }
  [[nodiscard]] std::vector<driver::Event> taken(std::size_t count) const {
    std::vector<driver::Event> events(count);
    std::generate(events.begin(), events.end(), [&] { return device->events().take(); });
    return events;
  }

  const unsigned madeBefore = cudasim::callCount("cuEventCreate");
  Devices devices;
  Device *device;
};

TEST_F(EventCacheTest, MakesOnlyTakenEvents) {
  // It makes no more events than are taken.
  EventCache cache;
  std::set<driver::Event> got;
  for (int i = 0; i < 20; ++i)
    got.insert(cache.take(*device));
  EXPECT_EQ(20u, got.size());
  EXPECT_FALSE(got.contains(nullptr));
  EXPECT_EQ(20u, made());
}

TEST_F(EventCacheTest, TakesEventsFromPool) {
  const std::vector<driver::Event> events = taken(20);
  device->events().giveBack(events);
  EventCache cache;
  std::set<driver::Event> got;
  for (int i = 0; i < 20; ++i)
    got.insert(cache.take(*device));
  EXPECT_EQ((std::set<driver::Event>(events.begin(), events.end())), got);
  EXPECT_EQ(20u, made());
}

TEST_F(EventCacheTest, ClearedEventsServeOthers) {
  // What the cache was given, others get once it is cleared.
  const driver::Event event = device->events().take();
  EventCache cache, other;
  cache.put(*device, event);
  EXPECT_NE(event, other.take(*device)) << "it is still the first one's";
  cache.clear();
  EXPECT_EQ(event, other.take(*device));
}

TEST_F(EventCacheTest, HoldsFewEvents) {
  const std::vector<driver::Event> events = taken(200);
  EventCache cache, other;
  for (const driver::Event event : events)
    cache.put(*device, event);
  for (int i = 0; i < 120; ++i)
    other.take(*device);
  EXPECT_EQ(200u, made()) << "most are in the pool again";
}

TEST_F(EventCacheTest, DevicesDoNotShareEvents) {
  // No event of one device serves another.
  EventCache cache;
  const driver::Event old = device->events().take();
  cache.put(*device, old);
  cudaDeviceReset();
  cudaFree(nullptr);
  Device *const next = devices.current();
  ASSERT_NE(device, next);
  const unsigned before = made();
  EXPECT_NE(nullptr, cache.take(*next));
  EXPECT_EQ(before + 1, made());
  EXPECT_EQ(old, device->events().take()) << "it went back to where it came from";
}

TEST_F(EventCacheTest, FailedCreationGivesNoEvent) {
  EventCache cache;
  cudasim::failCall("cuEventCreate", 1, cudaErrorMemoryAllocation);
  EXPECT_EQ(nullptr, cache.take(*device));
  EXPECT_NE(nullptr, cache.take(*device));
}

} // namespace
} // namespace graphprof
