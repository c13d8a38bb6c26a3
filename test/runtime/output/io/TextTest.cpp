// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Text.h"

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

TEST(Text, NamesStayOnOneLine) {
  EXPECT_EQ(printable("a\nb\tc\x1b[31m\x7f"), "a?b?c?[31m?");
  EXPECT_EQ(printable("ümlaut ∑"), "ümlaut ∑");
  EXPECT_EQ(printable("Latin-1 \xfc\n"), "Latin-1 \xef\xbf\xbd?");
}

// A terminal obeys escapes, U+009B is one of two bytes, and U+202E turns what follows around.
TEST(Text, NamesDoNotControlTerminal) {
  EXPECT_EQ(printable("a\x1b]0;title\x07"), "a?]0;title?");
  EXPECT_EQ(printable("a\u009b31mb\u0085c"), "a?31mb?c");
  EXPECT_EQ(printable("a\u202eb\u2066c\u2069d\u200fe\u061cf"), "a?b?c?d?e?f");
  EXPECT_EQ(printable("a\u2028b"), "a?b");
  EXPECT_EQ(printable("a\u200bb\u200dc\u00add\ufeffe\U000e0041"), "a?b?c?d?e?") << "invisible";
  EXPECT_EQ(printable("a\u00a0b\u2030c\u200a"), "a\u00a0b\u2030c\u200a") << "beside them";
}

TEST(Text, InvalidUtf8IsReplaced) {
  EXPECT_EQ(utf8(""), "");
  EXPECT_EQ(utf8("a\xffz"), "a\xef\xbf\xbdz");
  EXPECT_EQ(utf8("\xe2\x88"), "\xef\xbf\xbd\xef\xbf\xbd") << "cut short";
  EXPECT_EQ(utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd") << "longer than it must be";
  EXPECT_EQ(utf8("\xed\xa0\x80").size(), 9U) << "half of a pair";
  EXPECT_EQ(utf8("∑ \U0001F600"), "∑ \U0001F600");
}

TEST(Text, CharactersAreCounted) {
  EXPECT_EQ(codePoints("ü∑a"), 3U);
  EXPECT_EQ(firstCodePoints("ü∑a", 2), "ü∑");
  EXPECT_EQ(firstCodePoints("ü∑a", 9), "ü∑a");
  EXPECT_EQ(firstCodePoints("", 1), "");
}

} // namespace
