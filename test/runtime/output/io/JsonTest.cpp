// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Json.h"

#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace graphprof;

namespace {

// What a strict reader makes of it.
std::string readBack(const std::string &json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  EXPECT_TRUE(value.is_string()) << json;
  return value.is_string() ? value.get<std::string>() : "no string";
}

TEST(Json, TextsComeBackUnchanged) {
  for (const std::string &text :
       {std::string(), std::string("attention 3"), std::string("a \"b\" \\ / c"),
        std::string("line\nline\ttab\r\b\f"), std::string("\0\x01\x1f\x7f", 4),
        std::string("ümlaut ∑ 🚀")})
    EXPECT_EQ(readBack(jsonString(text)), text);
}

TEST(Json, EscapesAreShort) { EXPECT_EQ(jsonString("\"\\\n\t\x01"), R"("\"\\\n\t\u0001")"); }

TEST(Json, InvalidUtf8IsReplaced) {
  // Bytes that are no UTF-8 become replacement characters.
  const std::string replacement = "\xef\xbf\xbd";
  EXPECT_EQ(readBack(jsonString("a\xff"
                                "b")),
            "a" + replacement + "b");
  EXPECT_EQ(readBack(jsonString("\xc3")), replacement) << "cut off";
  EXPECT_EQ(readBack(jsonString("\xc0\xaf")), replacement + replacement) << "overlong";
  EXPECT_EQ(readBack(jsonString("\xed\xa0\x80")), replacement + replacement + replacement)
      << "a surrogate";
  EXPECT_EQ(readBack(jsonString("\xf5\x80\x80\x80")),
            replacement + replacement + replacement + replacement)
      << "beyond U+10FFFF";
}

TEST(Json, AnyBytesGiveReadableText) {
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      const char bytes[] = {static_cast<char>(first), static_cast<char>(second), '\x80', 'x'};
      EXPECT_NE(readBack(jsonString({bytes, sizeof bytes})), "no string") << first << second;
    }
}

std::string contextOf(const Value &value) { return jsonContext({&value, 1}); }

TEST(Json, ValuesKeepTheirKind) {
  EXPECT_EQ(contextOf(Value(-3)), R"({"0":-3})");
  EXPECT_EQ(contextOf(Value(std::numeric_limits<std::uint64_t>::max())),
            R"({"0":18446744073709551615})");
  EXPECT_EQ(contextOf(Value(1.5)), R"({"0":1.5})");
  EXPECT_EQ(contextOf(Value(true)), R"({"0":true})");
  EXPECT_EQ(contextOf(Value('"')), R"({"0":"\""})");
  EXPECT_EQ(contextOf(Value("text")), R"({"0":"text"})");
  const int place = 0;
  EXPECT_EQ(contextOf(Value(&place)),
            fmt::format("{{\"0\":\"{}\"}}", static_cast<const void *>(&place)));
}

TEST(Json, NonFiniteNumbersAreTexts) {
  // Numbers that JSON does not have are texts.
  EXPECT_EQ(contextOf(Value(std::numeric_limits<double>::infinity())), R"({"0":"inf"})");
  EXPECT_EQ(contextOf(Value(std::numeric_limits<double>::quiet_NaN())), R"({"0":"nan"})");
  EXPECT_EQ(contextOf(Value(1e300)), R"({"0":1e+300})");
}

TEST(IsJson, AcceptsExactlyOneValue) {
  for (const char *text : {"1", "\"a\"", "null", " {\"a\": [1, 2.5e3, true]}\n"})
    EXPECT_TRUE(isJson(text)) << text;
  for (const std::string &text :
       {std::string(), std::string("{\"a\":"), std::string("1, 2"), std::string("\"\xff\""),
        std::string("1e999"), std::string("1\0 {", 4), std::string("\0", 1)})
    EXPECT_FALSE(isJson(text)) << text;
}

} // namespace
