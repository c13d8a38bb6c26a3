// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs the contract's tests on tick's backend.

#include <graphprof/testing/backend_contract.h>

#include <memory>

#include "tick.h"

namespace {

class TickDevice final : public graphprof::testing::BackendDevice {
public:
  ~TickDevice() override { tick::destroyStream(stream_); }
  const graphprof_backend &backend() override { return *graphprof_backend_find("tick"); }
  graphprof_stream stream() override { return reinterpret_cast<graphprof_stream>(stream_); }
  void work(int tens) override { tick::work(stream_, 10 * tens); }

private:
  tick::Stream *const stream_ = tick::createStream();
};

const graphprof::testing::MakeBackendDevice tickDevice = [] {
  return std::make_unique<TickDevice>();
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Tick, BackendContract, testing::Values(tickDevice));
