// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The places in the messages of nvcc, gcc and clang, as these print them.

#include "ErrorPlaces.h"

#include "gtest/gtest.h"

namespace graphprof::launcher {
namespace {

/// "file:line message" of each place.
std::vector<std::string> places(llvm::StringRef Messages, Places Where) {
  std::vector<std::string> Result;
  for (const ErrorPlace &Each : errorPlaces(Messages, Where))
    Result.push_back(Each.File + ":" + Each.Line + " " + Each.Message);
  return Result;
}
using Strings = std::vector<std::string>;

TEST(ErrorPlaces, OfNvcc) {
  constexpr llvm::StringLiteral Messages = R"(a.cu(8): warning #549-D: variable "s" is used
    g(s);
      ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

sub/a.h(1): error: static assertion failed with "too small"
  template <class T> struct A { static_assert(sizeof(T) > 4, "too small"); };
                                ^
          detected during:
            instantiation of class "A<T> [with T=int]" at line 2
            instantiation of "void g(T) [with T=int]" at line 3 of a.cu
            instantiation of "void h(T) [with T=int]" at line 9

a.cu(6): error #28: expression must have a constant value
    constexpr int v = k(3);
                      ^
a.cu(4): note #2703-D: cannot call non-constexpr function "helper" (declared at line 1)
2 errors detected in the compilation of "a.cu".
)";
  EXPECT_EQ((Strings{R"(sub/a.h:1 static assertion failed with "too small")",
                     "a.cu:6 expression must have a constant value"}),
            places(Messages, Places::Errors));
  const std::string First = R"( static assertion failed with "too small")";
  EXPECT_EQ((Strings{"a.cu:8" + First, "sub/a.h:1" + First, "sub/a.h:2" + First, "a.cu:3" + First,
                     "sub/a.h:9" + First, "a.cu:6 expression must have a constant value",
                     "a.cu:4" + First}),
            places(Messages, Places::Named));
  EXPECT_EQ(Strings{":0" + First}, places(Messages, Places::Whole));
}

TEST(ErrorPlaces, OfGccAndClang) {
  constexpr llvm::StringLiteral Messages = R"(In file included from a.cpp:1:
a.h: In instantiation of 'struct A<int>':
a.h:2:39:   required from 'void g(T) [with T = int]'
a.cpp:5:13:   required from here
a.h:1:55: error: static assertion failed: too small
    1 | template <class T> struct A { static_assert(sizeof(T) > 4, "too small"); };
      |                                             ~~~~~~~~~~^~~
a.h:1:55: note: the comparison reduces to '(4 > 4)'
a.h:1:60: error: and another there
b.cpp:7:1: fatal error: too many errors emitted, stopping now [-ferror-limit=]
)";
  EXPECT_EQ((Strings{"a.h:1 static assertion failed: too small",
                     "b.cpp:7 too many errors emitted, stopping now [-ferror-limit=]"}),
            places(Messages, Places::Errors));
  EXPECT_EQ((Strings{"a.h:2 static assertion failed: too small",
                     "a.cpp:5 static assertion failed: too small",
                     "a.h:1 static assertion failed: too small",
                     "b.cpp:7 too many errors emitted, stopping now [-ferror-limit=]"}),
            places(Messages, Places::Named));
}

TEST(ErrorPlaces, AreNoneWithoutAnError) {
  for (const Places Where : {Places::Errors, Places::Named, Places::Whole}) {
    EXPECT_EQ(Strings{}, places("a.cpp:7:1: warning: unused variable\n", Where));
    EXPECT_EQ(Strings{}, places("ld: undefined reference to `f()'\n", Where));
  }
}

TEST(ErrorPlaces, OfAnnotationsThatACompilerDoesNotKnow) {
  const std::string OfNvcc =
      "a.cu(4): error #2803-D: attribute namespace \"graphprof\" is unrecognized\n";
  const std::string OfGcc =
      "a.cpp:4:3: error: attributes at the beginning of statement are ignored "
      "[-Werror=attributes]\n";
  const std::string OfClang = "a.cpp:4:5: error: unknown attribute 'graphprof::time' ignored "
                              "[-Werror,-Wunknown-attributes]\n";
  const std::string Warning = "a.cpp:7:1: warning: unused variable\n";
  const std::string Other = "a.cpp:7:1: error: 'graphprof_missing' was not declared\n";
  for (const std::string &Each : {OfNvcc, OfGcc, OfClang}) {
    std::string Messages = Warning + Each;
    EXPECT_TRUE(rejectsOnlyAnnotations(Messages += Each));
    EXPECT_FALSE(rejectsOnlyAnnotations(Messages += Other));
  }
  EXPECT_FALSE(rejectsOnlyAnnotations(Warning));
}

} // namespace
} // namespace graphprof::launcher
