// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What torch.profiler does, as recorded by torch/expectations.

#ifndef GRAPHPROF_TEST_RUNTIME_SESSION_TORCH_H
#define GRAPHPROF_TEST_RUNTIME_SESSION_TORCH_H

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace graphprof::test {

/// The data in torch/NAME.json.
inline nlohmann::json torchExpectations(const std::string &name) {
  std::ifstream file(std::string(TORCH_EXPECTATIONS) + "/" + name + ".json");
  EXPECT_TRUE(file.is_open()) << name;
  nlohmann::json data = nlohmann::json::parse(file);
  ::testing::Test::RecordProperty("from", data["from"].get<std::string>());
  return data;
}

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_RUNTIME_SESSION_TORCH_H
