// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a graph is called.

#include "output/data/GraphName.h"

#include <gtest/gtest.h>

namespace graphprof {
namespace {

TEST(GraphName, ValuesWithKeysStandBehindTheName) {
  EXPECT_EQ("decode", graphNameOf("decode", {})->text);
  EXPECT_EQ("decode batch=8", graphNameOf("decode", {key("batch", 8)})->text);
  EXPECT_EQ(
      "decode batch=8 kind=long share=0.5 warm=true letter=x least=-3 most=18446744073709551615",
      graphNameOf("decode",
                  {key("batch", 8), key("kind", "long"), key("share", 0.5), key("warm", true),
                   key("letter", 'x'), key("least", -3), key("most", UINT64_MAX)})
          ->text);
}

TEST(GraphName, ValuesWithoutKeysAreInTheNameAlready) {
  const auto name = graphNameOf("decode 3", {Value(3), key("batch", 8)});
  EXPECT_EQ("decode 3 batch=8", name->text);
  EXPECT_EQ("decode 3", name->name);
  EXPECT_EQ(2U, name->values.size());
}

TEST(GraphName, GraphWithoutOneHasItsNumber) {
  EXPECT_EQ("graph 7", shownGraph(nullptr, 7));
  EXPECT_EQ("decode", shownGraph(graphNameOf("decode", {}).get(), 7));
}

} // namespace
} // namespace graphprof
