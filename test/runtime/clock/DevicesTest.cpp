// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/Devices.h"

#include <cstddef>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace graphprof {
namespace {

TEST(DevicesTest, OneDeviceForEachContext) {
  ASSERT_EQ(cudaSuccess, cudaFree(nullptr));
  Devices devices;
  Device *const first = devices.current();
  ASSERT_NE(nullptr, first);
  EXPECT_EQ(first, devices.of(first->context()));
  EXPECT_EQ(&devices, &first->all());
  std::thread([&] {
    cudaSetDevice(0);
    EXPECT_EQ(first, devices.current()) << "all threads have the same";
  }).join();
  ASSERT_EQ(cudaSuccess, cudaDeviceReset());
  ASSERT_EQ(cudaSuccess, cudaFree(nullptr));
  EXPECT_NE(first, devices.current()) << "the context has another id";
  EXPECT_FALSE(first->isAlive());
  EXPECT_EQ(nullptr, devices.of(nullptr));
  EXPECT_EQ(1U, devices.known().size()) << "each ordinal once";
}

TEST(DevicesTest, InstancesHaveTheirOwn) {
  ASSERT_EQ(cudaSuccess, cudaFree(nullptr));
  Devices devices, others;
  EXPECT_TRUE(others.known().empty());
  Device *const device = devices.current();
  EXPECT_NE(device, others.current());
  EXPECT_EQ(device, devices.current());
  devices.end({.context = device->context(), .ordinal = -1});
  EXPECT_EQ(nullptr, device->context());
  EXPECT_NE(nullptr, others.current()->context()) << "these were told of no end";
}

TEST(DevicesTest, NoneIsTakenForOneThatIsGone) {
  // A thread remembers its last device.
  ASSERT_EQ(cudaSuccess, cudaFree(nullptr));
  alignas(Devices) std::byte place[sizeof(Devices)]; // both have this address
  for (int i = 0; i < 2; ++i) {
    auto *const devices = new (place) Devices;
    EXPECT_TRUE(devices->known().empty());
    ASSERT_NE(nullptr, devices->current());
    EXPECT_EQ(1U, devices->known().size());
    std::destroy_at(devices);
  }
}

TEST(DevicesTest, EndsThoseOfAnOrdinal) {
  ASSERT_EQ(cudaSuccess, cudaFree(nullptr));
  Devices devices;
  Device *const device = devices.current();
  EXPECT_TRUE(devices.thatEnd({.context = nullptr, .ordinal = device->ordinal() + 1}).empty());
  const Device::Ending all{.context = nullptr, .ordinal = device->ordinal()};
  EXPECT_EQ(std::vector{device}, devices.thatEnd(all));
  devices.end(all);
  EXPECT_TRUE(devices.thatEnd(all).empty()) << "it ends once";
  EXPECT_FALSE(device->isAlive());
}

} // namespace
} // namespace graphprof
