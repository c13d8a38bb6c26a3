// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/ShortName.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/io/Text.h"

using namespace graphprof;

namespace {

std::vector<std::string> shortened(const std::vector<std::string> &names, std::size_t width) {
  return shortNames(names, std::vector<std::size_t>(names.size(), width));
}

TEST(ShortName, LosesPartsInOrder) {
  // It loses template arguments, then namespaces, then its middle.
  const std::string name = "at::native::vectorized_elementwise_kernel<8, at::native::Add<float>>";
  EXPECT_EQ(shortName(name, 100), name);
  EXPECT_EQ(shortName(name, 50), "at::native::vectorized_elementwise_kernel<...>");
  EXPECT_EQ(shortName(name, 40), "vectorized_elementwise_kernel<...>");
  EXPECT_EQ(shortName(name, 20), "vectorize...nel<...>");
  EXPECT_EQ(shortName(name, 20).size(), 20U);
}

TEST(ShortName, OperatorsBracketIsNoTemplate) {
  EXPECT_EQ(shortName("a::operator<(int, long_type_name)", 20), "operator<...pe_name)");
}

TEST(ShortName, FirstDifferenceTellsNamesApart) {
  // Names are told apart by the first part in which they differ.
  const std::vector<std::string> names = {"some::long::name::gemm<64, 128, float>",
                                          "some::long::name::gemm<64, 256, float>", "other"};
  const std::vector<std::string> shown = shortened(names, 28);
  EXPECT_THAT(shown[0],
              testing::AllOf(testing::StartsWith("gemm<...>"), testing::HasSubstr("128")));
  EXPECT_THAT(shown[1],
              testing::AllOf(testing::StartsWith("gemm<...>"), testing::HasSubstr("256")));
  EXPECT_EQ(shown[2], "other");
}

TEST(ShortName, StayDifferentAtAnyWidth) {
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i)
    names.push_back("ns::kernel_with_a_long_name<" + std::string(40, 'x') + std::to_string(i) +
                    std::string(40, 'y') + ">");
  for (std::size_t width = 16; width < 150; ++width) {
    const std::vector<std::string> shown = shortened(names, width);
    EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), names.size()) << width;
    for (const std::string &one : shown)
      EXPECT_LE(codePoints(one), width) << one;
  }
}

TEST(ShortName, EqualNamesStayEqual) {
  const std::vector<std::string> shown =
      shortened({std::string(50, 'a'), std::string(50, 'a')}, 20);
  EXPECT_EQ(shown[0], shown[1]);
}

TEST(WithoutNumbers, LeavesOutLoneNumbers) {
  for (const auto &[name, without] : {std::pair("layer 12", "layer {}"),
                                      {"12", "{}"},
                                      {"[Layer 3] add", "[Layer {}] add"},
                                      {"step_7/8", "step_{}/{}"},
                                      {"fp16", "fp16"},
                                      {"2d", "2d"},
                                      {"conv2d 4x4", "conv2d 4x4"},
                                      {"", ""}})
    EXPECT_EQ(withoutNumbers(name), without);
}

TEST(CommonName, DifferingNumbersBecomeBraces) {
  // Only the numbers that differ become braces.
  EXPECT_EQ(withoutNumbers("layer 12 gemm 128"), "layer {} gemm {}");
  const std::vector<std::string_view> names = {"layer 9 gemm 128", "layer 10 gemm 128"};
  EXPECT_EQ(commonName(names), "layer {} gemm 128");
}

} // namespace
