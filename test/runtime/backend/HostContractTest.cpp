// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The contract of backends, for the host's clock.

#include <chrono>

#include "graphprof/testing/backend_contract.h"

namespace graphprof::test {
namespace {

class Host final : public testing::BackendDevice {
public:
  const graphprof_backend &backend() override { return *graphprof_backend_find("host"); }
  graphprof_stream stream() override { return nullptr; }
  void work(int tens) override {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(10 * tens);
    while (std::chrono::steady_clock::now() < until)
      ;
  }
};

testing::MakeBackendDevice host() {
  return [] { return std::make_unique<Host>(); };
}

} // namespace
} // namespace graphprof::test

INSTANTIATE_TEST_SUITE_P(Host, BackendContract, testing::Values(graphprof::test::host()));
