// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/Name.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace graphprof;

namespace {

std::string name(const char *format, const std::vector<Value> &values = {}) {
  return formatName(format, values);
}

TEST(Name, WithoutValuesIsFormat) { EXPECT_EQ(name("attention"), "attention"); }

// A row of nothing would look like no row.
TEST(Name, EmptyNameIsShown) {
  EXPECT_EQ(name(""), "(no name)");
  EXPECT_EQ(name("{}", {""}), "(no name)");
}

TEST(Name, SaysWhetherFormatFits) {
  // Whether the format fits the values.
  bool fits = false;
  EXPECT_EQ(formatName("{:d}", std::vector<Value>{3}, &fits), "3");
  EXPECT_TRUE(fits);
  EXPECT_EQ(formatName("{:d}", std::vector<Value>{3.5}, &fits), "{:d}");
  EXPECT_FALSE(fits);
}

TEST(Name, TakesPositionalValuesInOrder) {
  EXPECT_EQ(name("layer {} of {}", {3, 12}), "layer 3 of 12");
  EXPECT_EQ(name("{1} before {0}", {"b", "a"}), "a before b");
}

TEST(Name, SkipsValuesWithAKey) {
  EXPECT_EQ(name("layer {} {}", {1, key("batch", 8), 2}), "layer 1 2");
}

TEST(Name, KnowsEveryKindOfValue) {
  EXPECT_EQ(name("{}", {-5}), "-5");
  EXPECT_EQ(name("{}", {std::numeric_limits<std::uint64_t>::max()}), "18446744073709551615");
  EXPECT_EQ(name("{:.2f}", {1.5}), "1.50");
  EXPECT_EQ(name("{} {}", {true, false}), "true false");
  EXPECT_EQ(name("{}", {'x'}), "x");
  EXPECT_EQ(name("{}", {std::string("text")}), "text");
  const int place = 0;
  EXPECT_EQ(name("{}", {&place}), fmt::format("{}", static_cast<const void *>(&place)));
}

TEST(Name, FloatIsWrittenAsFloat) {
  // Not with the digits that it has as a double.
  EXPECT_EQ(name("{} {} {}", {0.1F, 1.0F / 3, 16777216.0F}), "0.1 0.33333334 16777216");
  EXPECT_EQ(name("{} {} {}", {1e-12F, std::numeric_limits<float>::max(), -2.5F}),
            "1e-12 3.4028235e+38 -2.5");
  EXPECT_EQ(name("{} {}",
                 {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}),
            "inf nan");
  for (const float value : {0.1F, 1e-12F, 123456.78F, std::numeric_limits<float>::denorm_min()})
    EXPECT_EQ(static_cast<float>(Value(value).as_real()), value);
  EXPECT_EQ(name("{}", {0.1}), "0.1");
}

TEST(Name, AppliesFormatSpecifications) {
  EXPECT_EQ(name("{:>4}|{:04}|{:x}", {1, 2, 255}), "   1|0002|ff");
  EXPECT_EQ(name("{{}} {}", {1}), "{} 1");
}

TEST(Name, IsRawFormatOnError) {
  // It is the raw format where that cannot be applied.
  EXPECT_EQ(name("layer {"), "layer {");
  EXPECT_EQ(name("layer {}"), "layer {}");
  EXPECT_EQ(name("layer {:d}", {"text"}), "layer {:d}");
  EXPECT_EQ(name("layer {:.3}", {1}), "layer {:.3}");
}

TEST(Name, IsShortenedToWholeCharacters) {
  const auto shortened = [](std::string text, std::size_t most) {
    EXPECT_TRUE(shortenName(text, most));
    return text;
  };
  EXPECT_EQ(shortened("attention", 8), "atten...");
  EXPECT_EQ(shortened("größer als", 8), "grö..."); // ß would be cut in two
  EXPECT_EQ(shortened("größer als", 9), "größ...");
  std::string fits = "attention";
  EXPECT_FALSE(shortenName(fits, 9));
  EXPECT_EQ(fits, "attention");
}

TEST(Name, OfNoFormatIsEmpty) { EXPECT_EQ(name(nullptr, {1}), ""); }

} // namespace
