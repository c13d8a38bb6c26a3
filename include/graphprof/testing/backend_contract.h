// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The contract of graphprof/backend.h as tests. graphprof's own backends pass them. For yours,
// implement BackendDevice in one source, and link GoogleTest.
//
//     #include <graphprof/testing/backend_contract.h>
//
//     class MyDevice : public graphprof::testing::BackendDevice { ... };
//     const graphprof::testing::MakeBackendDevice mine =
//         [] { return std::make_unique<MyDevice>(); };
//     INSTANTIATE_TEST_SUITE_P(Mine, BackendContract, testing::Values(mine));
//
// Tests of what a backend does not claim (graphprof_backend::can) are skipped, by name.

#ifndef GRAPHPROF_TESTING_BACKEND_CONTRACT_H
#define GRAPHPROF_TESTING_BACKEND_CONTRACT_H

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graphprof/backend.h"

namespace graphprof {
inline namespace v1 {
namespace testing {

/// What the tests need of a device, besides its backend. Each test makes one, on its thread.
class BackendDevice {
public:
  virtual ~BackendDevice() = default;
  virtual const graphprof_backend &backend() = 0;
  /// A stream of the device, idle at first; null if it has only the default one.
  virtual graphprof_stream stream() = 0;
  /// Gives `stream()` work of at least `tens` times ten microseconds; also while it is captured.
  virtual void work(int tens) = 0;

  // With graphprof_backend_can_capture

  virtual void beginCapture() {}
  /// Makes what was captured ready for launch(), until the next capture or the device's end.
  virtual void endCapture() {}
  /// Launches it in `stream()`. Returns whether the device accepted it.
  virtual bool launch() { return false; }
};

using MakeBackendDevice = std::function<std::unique_ptr<BackendDevice>()>;

} // namespace testing
} // namespace v1
} // namespace graphprof

class BackendContract : public ::testing::TestWithParam<graphprof::testing::MakeBackendDevice> {
protected:
  const std::unique_ptr<graphprof::testing::BackendDevice> device = GetParam()();
  const graphprof_backend &backend = device->backend();

  [[nodiscard]] bool can(unsigned what) const { return (backend.can & what) == what; }

  graphprof_event record() {
    graphprof_event event = nullptr;
    EXPECT_EQ(graphprof_backend_ok, backend.record(device->stream(), nullptr, &event, nullptr))
        << backend.why();
    return event;
  }
  float elapsed(graphprof_event begin, graphprof_event end) {
    float us = 0;
    EXPECT_EQ(graphprof_backend_ok, backend.elapsed(begin, end, &us)) << backend.why();
    return us;
  }
  float elapsedOfWork(int tens) {
    const graphprof_event begin = record();
    device->work(tens);
    const graphprof_event end = record();
    const float us = elapsed(begin, end);
    backend.release(begin);
    backend.release(end);
    return us;
  }
  std::int64_t when(graphprof_event event) {
    std::int64_t ns = 0;
    EXPECT_EQ(graphprof_backend_ok, backend.when(event, &ns)) << backend.why();
    return ns;
  }
  void synchronize() { EXPECT_EQ(graphprof_backend_ok, backend.synchronize()) << backend.why(); }
};

TEST_P(BackendContract, IsRegisteredUnderItsName) {
  ASSERT_NE(nullptr, backend.name);
  EXPECT_EQ(&backend, graphprof_backend_find(backend.name));
}

TEST_P(BackendContract, IsRegisteredOnce) {
  EXPECT_EQ(graphprof_backend_invalid, graphprof_backend_register(&backend));
  EXPECT_EQ(&backend, graphprof_backend_find(backend.name));
}

// Where the test program runs with GRAPHPROF_BACKEND=NAME.
TEST_P(BackendContract, IsChosenByItsName) {
  const char *const wanted = std::getenv("GRAPHPROF_BACKEND");
  const graphprof_backend *const chosen = graphprof_backend_chosen();
  ASSERT_NE(nullptr, chosen);
  EXPECT_EQ(wanted && std::string(wanted) == backend.name, wanted && chosen == &backend);
}

TEST_P(BackendContract, IsEnabledWhereItsDeviceIs) {
  ASSERT_NE(nullptr, backend.enabled);
  EXPECT_TRUE(backend.enabled());
}

TEST_P(BackendContract, RecordingTellsTheDeviceAndTheHostsTime) {
  int device = -2;
  std::int64_t firstNs = 0, secondNs = 0;
  graphprof_event first = nullptr, second = nullptr;
  ASSERT_EQ(graphprof_backend_ok,
            backend.record(this->device->stream(), &device, &first, &firstNs));
  ASSERT_EQ(graphprof_backend_ok,
            backend.record(this->device->stream(), nullptr, &second, &secondNs));
  EXPECT_EQ(can(graphprof_backend_is_host), device == -1);
  EXPECT_LE(-1, device);
  EXPECT_LT(0, firstNs);
  EXPECT_LE(firstNs, secondNs);
  backend.release(first);
  backend.release(second);
}

TEST_P(BackendContract, ElapsedGrowsWithTheWork) {
  const auto least = [this](int amount) { // a busy machine makes some of them longer
    float us = elapsedOfWork(amount);
    for (int i = 0; i < 16; ++i)
      us = std::min(us, elapsedOfWork(amount));
    return us;
  };
  const float little = least(1), much = least(20);
  EXPECT_LT(0.0F, little);
  EXPECT_LT(little, much);
}

TEST_P(BackendContract, ElapsedBackwardsIsNegative) {
  const graphprof_event begin = record();
  device->work(2);
  const graphprof_event end = record();
  EXPECT_GT(0.0F, elapsed(end, begin));
  backend.release(begin);
  backend.release(end);
}

TEST_P(BackendContract, ElapsedWaitsForBothEvents) {
  const graphprof_event begin = record();
  device->work(20);
  const graphprof_event end = record();
  elapsed(begin, end);
  EXPECT_EQ(graphprof_backend_ok, backend.happened(begin));
  EXPECT_EQ(graphprof_backend_ok, backend.happened(end));
  backend.release(begin);
  backend.release(end);
}

// The units agree: microseconds here, nanoseconds there.
TEST_P(BackendContract, EventsLieOnTheHostsAxisAsFarApartAsElapsedSays) {
  if (!can(graphprof_backend_can_place))
    GTEST_SKIP() << "its events have no place on the host's axis";
  const graphprof_event begin = record();
  device->work(50);
  const graphprof_event end = record();
  const double elapsedNs = elapsed(begin, end) * 1e3;
  const auto placedNs = static_cast<double>(when(end) - when(begin));
  EXPECT_NEAR(elapsedNs, placedNs, elapsedNs / 10);
  backend.release(begin);
  backend.release(end);
}

TEST_P(BackendContract, AnEventMayBeReleasedBeforeItHasHappened) {
  for (int i = 0; i < 10; ++i) {
    device->work(1);
    backend.release(record());
  }
  synchronize();
  EXPECT_LT(0.0F, elapsedOfWork(1));
}

TEST_P(BackendContract, SynchronizingLetsEverythingHappen) {
  device->work(20);
  const graphprof_event event = record();
  synchronize();
  EXPECT_EQ(graphprof_backend_ok, backend.happened(event));
  backend.release(event);
}

TEST_P(BackendContract, EachDeviceIsVisitedOnceInOrder) {
  std::vector<int> visited;
  EXPECT_EQ(graphprof_backend_ok, backend.on_each_device(
                                      [](int ordinal, void *list) {
                                        static_cast<std::vector<int> *>(list)->push_back(ordinal);
                                      },
                                      &visited))
      << backend.why();
  for (std::size_t i = 0; i < visited.size(); ++i)
    EXPECT_EQ(static_cast<int>(i), visited[i]);
  EXPECT_EQ(can(graphprof_backend_is_host), visited.empty());
}

TEST_P(BackendContract, TheCurrentDeviceIsTheSameAfterwards) {
  int before = -2, after = -2;
  graphprof_event event = nullptr;
  ASSERT_EQ(graphprof_backend_ok, backend.record(device->stream(), &before, &event, nullptr));
  backend.release(event);
  EXPECT_EQ(graphprof_backend_ok, backend.on_each_device([](int, void *) {}, nullptr));
  ASSERT_EQ(graphprof_backend_ok, backend.record(device->stream(), &after, &event, nullptr));
  backend.release(event);
  EXPECT_EQ(before, after);
}

TEST_P(BackendContract, AnnotationsAreNullOrMayBeCalled) {
  EXPECT_EQ(backend.range_push == nullptr, backend.range_pop == nullptr);
  if (backend.mark)
    backend.mark("mark");
  if (!backend.range_push)
    return;
  backend.range_push("outer");
  backend.range_push("inner");
  backend.range_pop();
  backend.range_pop();
}

TEST_P(BackendContract, WhatMakesNoSenseIsSaid) {
  const graphprof_event event = record();
  float us = 0;
  EXPECT_EQ(graphprof_backend_invalid, backend.elapsed(event, nullptr, &us));
  EXPECT_NE(std::string(), backend.why());
  backend.release(event);
  backend.release(nullptr);
}

TEST_P(BackendContract, EventsOfAGraphAreThoseOfItsLastReplay) {
  if (!can(graphprof_backend_can_capture))
    GTEST_SKIP() << "its events cannot be captured";
  device->beginCapture();
  const graphprof_event begin = record();
  device->work(10);
  const graphprof_event end = record();
  device->endCapture();
  float us = 0;
  EXPECT_NE(graphprof_backend_ok, backend.elapsed(begin, end, &us)) << "it was not launched yet";
  std::vector<std::int64_t> beganNs;
  for (int replay = 0; replay < 3; ++replay) {
    EXPECT_TRUE(device->launch());
    synchronize();
    EXPECT_LT(0.0F, elapsed(begin, end));
    if (can(graphprof_backend_can_place))
      beganNs.push_back(when(begin));
  }
  for (std::size_t i = 1; i < beganNs.size(); ++i)
    EXPECT_LT(beganNs[i - 1], beganNs[i]);
  const graphprof_event outside = record();
  EXPECT_EQ(graphprof_backend_invalid, backend.elapsed(begin, outside, &us));
  backend.release(outside);
  // What they are released for serves others, while the graph may run on.
  backend.release(begin);
  backend.release(end);
  const graphprof_event first = record();
  const graphprof_event second = record();
  const float before = elapsed(first, second);
  EXPECT_TRUE(device->launch());
  synchronize();
  EXPECT_EQ(before, elapsed(first, second)) << "the graph has recorded another's events";
  backend.release(first);
  backend.release(second);
}

#endif // GRAPHPROF_TESTING_BACKEND_CONTRACT_H
