// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The check of names in the public header says yes and no where fmt does, which fills them in.

#include "graphprof/detail/format_check.h"

#define FMT_HEADER_ONLY
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace graphprof::detail {
namespace {

template <class T> bool fmtTakes(const std::string &format, const T &value, int width) {
  try {
    (void)fmt::vformat(format, fmt::make_format_args(value, width));
    return true;
  } catch (const fmt::format_error &) {
    return false;
  }
}

template <class T> void compareAll(const T &value) {
  const FormatType types[] = {formatType<T>(), FormatType::Signed};
  unsigned compared = 0;
  for (const char *const align : {"", "<", "*^", "é>", "{>"})
    for (const char *const sign : {"", "+", "-", " "})
      for (const char *const form : {"", "#", "0", "#0"})
        for (const char *const width : {"", "7", "{}", "{1}"})
          for (const char *const precision : {"", ".3", ".{}", "."})
            for (const char *const locale : {"", "L"})
              for (const char *const type : {"",  "a", "A", "b", "B", "c", "d", "e", "E", "f", "F",
                                             "g", "G", "o", "p", "s", "x", "X", "q", "D", "dd"}) {
                const std::string format = std::string("{:") + align + sign + form + width +
                                           precision + locale + type + "}";
                bool used[2] = {};
                const FormatResult found =
                    FormatCheck(format.data(), format.size(), types, 2, false, used).check();
                EXPECT_EQ(found.fault == FormatFault::None, fmtTakes(format, value, 9)) << format;
                ++compared;
              }
  EXPECT_GT(compared, 10000U);
}

TEST(FormatCheck, IsFmtsForIntegers) { compareAll(42LL); }
TEST(FormatCheck, IsFmtsForUnsignedIntegers) { compareAll(42ULL); }
TEST(FormatCheck, IsFmtsForFloats) { compareAll(4.2); }
TEST(FormatCheck, IsFmtsForBooleans) { compareAll(true); }
TEST(FormatCheck, IsFmtsForCharacters) { compareAll('c'); }
TEST(FormatCheck, IsFmtsForTexts) { compareAll(std::string_view("text")); }
TEST(FormatCheck, IsFmtsForPointers) { compareAll(static_cast<const void *>("address")); }

TEST(FormatCheck, MadeValuesFitEverything) {
  EXPECT_EQ(checkFormat<Value>("{:d}").fault, FormatFault::None);
  EXPECT_EQ((checkFormat<int, Value>("{:d} {:f}").fault), FormatFault::None);
  EXPECT_EQ((checkFormat<double, Value>("{:d} {:f}").fault), FormatFault::WrongType);
  EXPECT_EQ(checkFormat<>("{}").fault, FormatFault::NoValue);
}

} // namespace
} // namespace graphprof::detail
