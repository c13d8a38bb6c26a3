// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/NodeNames.h"

#include <string>

#include <gtest/gtest.h>

#include "services/Name.h"

namespace graphprof {
namespace {

TEST(KernelName, IsDemangledWithoutParameters) {
  EXPECT_EQ("scale", kernelName("_Z5scalePfi"));
  EXPECT_EQ("ns::(anonymous namespace)::work", kernelName("_ZN2ns12_GLOBAL__N_14workEv"));
}

TEST(KernelName, KeepsTemplateArguments) {
  // It keeps template arguments, and drops the return type.
  EXPECT_EQ("ns::scale<float>", kernelName("_ZN2ns5scaleIfEEvPT_i"));
  EXPECT_EQ("k<(Mode)1, float (*)(int)>", kernelName("_Z1kIL4Mode1EPFfiEEvT0_"));
}

TEST(KernelName, UnmangledNameIsSymbol) {
  // The name of what is not mangled is the symbol.
  EXPECT_EQ("f", kernelName("f")) << "not float, which is what f stands for in a mangled name";
  EXPECT_EQ("sm90_xmma_gemm", kernelName("sm90_xmma_gemm"));
  EXPECT_EQ("_Zbroken", kernelName("_Zbroken"));
  EXPECT_EQ("", kernelName(""));
}

TEST(NodeSite, NameHasOneSite) {
  // There is one site for each name, and it says it.
  const std::string name = "k<main::{lambda(int)#1}>";
  const Site &site = siteOf(Kind::Kernel, name);
  EXPECT_EQ(&site, &siteOf(Kind::Kernel, name));
  EXPECT_NE(&site, &siteOf(Kind::Kernel, "other"));
  EXPECT_NE(&site, &siteOf(Kind::Memcpy, name));
  EXPECT_EQ(name, formatName(site.name_format, {})) << "a format, though there are braces in it";
  EXPECT_EQ(name, site.function);
  EXPECT_STREQ("", site.file);
  EXPECT_EQ(0, site.line);
}

// Where there are too many names, there is one site for the kind. Last: there are no more
// afterwards.
TEST(NodeSite, KindSharesSiteOfTooMany) {
  for (int i = 0; i < 20'000; ++i)
    siteOf(Kind::Kernel, "kernel " + std::to_string(i));
  EXPECT_STREQ("kernel", siteOf(Kind::Kernel, "one too many").function);
  EXPECT_STREQ("kernel 0", siteOf(Kind::Kernel, "kernel 0").function);
}

} // namespace
} // namespace graphprof
