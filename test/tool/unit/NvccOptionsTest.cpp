// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The table has every option of nvcc, with nvcc's names and arity, and the documentation is the
// table.

#include "nvcc/NvccOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

#include <fstream>

namespace graphprof::nvcc {
namespace {

std::string contents(const char *File) {
  const auto Buffer = llvm::MemoryBuffer::getFile(File);
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

/// A line of nvcc_options.txt, as the table would have it.
std::string lineOf(const NvccOption &Option) {
  std::string Line = (Option.Long + " " + Option.Short + " ").str();
  if (Option.Operand == Takes::Nothing)
    Line += "nothing";
  else if (Option.Operand == Takes::Maybe)
    Line += "maybe";
  else
    Line += isJoined(Option.Operand) ? "joined" : "value";
  return isList(Option.Operand) ? Line + " list" : Line;
}

TEST(NvccOptions, TableHasAllInOrder) {
  // The table has all options, in the order of the help.
  std::string Table;
  for (const NvccOption &Option : nvccOptions())
    Table += lineOf(Option) + "\n";
  const std::string Data = contents(NVCC_OPTIONS_DATA);
  ASSERT_NE(Data, "");
  EXPECT_EQ(Data, Table);
}

TEST(NvccOptions, OptionsHaveReasonAndTranslation) {
  // Each option has a reason, and a translation where it needs one.
  for (const NvccOption &Option : nvccOptions()) {
    EXPECT_FALSE(Option.Reason.empty()) << Option.Long.str();
    const bool Translated =
        llvm::is_contained({Parse::Pass, Parse::Attach, Parse::IfTrue, Parse::Add, Parse::Language,
                            Parse::Stream, Parse::Arch},
                           Option.Does);
    EXPECT_EQ(Translated, !Option.Clang.empty()) << Option.Long.str();
  }
}

TEST(NvccOptions, NoTwoShareAName) {
  llvm::StringSet<> Names;
  for (const NvccOption &Option : nvccOptions()) {
    EXPECT_TRUE(Names.insert(Option.Long).second) << Option.Long.str();
    if (Option.Short != Option.Long)
      EXPECT_TRUE(Names.insert(Option.Short).second) << Option.Short.str();
  }
}

TEST(NvccOptions, FoundByBothNames) {
  // Each option is found by both names, and with an equals sign.
  for (const NvccOption &Option : nvccOptions()) {
    for (const llvm::StringRef Name : {Option.Long, Option.Short}) {
      const NvccMatch Alone = matchNvccOption(Name);
      EXPECT_EQ(Alone.Option, &Option) << Name.str();
      EXPECT_FALSE(Alone.HasValue) << Name.str();

      const std::string Word = (Name + "=7").str();
      const NvccMatch Assigned = matchNvccOption(Word);
      const bool Valued = Option.Operand != Takes::Nothing;
      EXPECT_EQ(Assigned.Option, Valued ? &Option : nullptr) << Word;
      EXPECT_EQ(Assigned.Value.str(), Valued ? "7" : "") << Word;
    }
    const std::string Word = (Option.Short + "7").str();
    EXPECT_EQ(matchNvccOption(Word).Option == &Option, isJoined(Option.Operand)) << Word;
  }
}

TEST(NvccOptions, OtherSpellingsAreUnknown) {
  // Other spellings are unknown, as they are to nvcc.
  for (const char *Word : {"--I=dir",
                           "--Idir",
                           "-include-path=dir",
                           "-isystemdir",
                           "-ofile",
                           "--o",
                           "-std17",
                           "-xcu",
                           "-threads2",
                           "-MFfile",
                           "--rdc=true",
                           "--Xcompiler",
                           "-Xcompiler-O2",
                           "-use-fast-math",
                           "-Ofast",
                           "-target",
                           "-Wall",
                           "-m32",
                           "-MQ",
                           "-S",
                           "--",
                           "-restrict=true"})
    EXPECT_EQ(matchNvccOption(Word).Option, nullptr) << Word;
}

TEST(NvccOptions, DocumentationIsTheTable) {
  std::string Page;
  llvm::raw_string_ostream Out(Page);
  printNvccOptions(Out);
  if (contents(NVCC_OPTIONS_PAGE) == Page)
    return;
  std::ofstream("nvcc-options.md") << Page;
  FAIL() << "docs/nvcc-options.md is not what the table says; nvcc-options.md in this test's "
            "working directory is: copy it";
}

} // namespace
} // namespace graphprof::nvcc
