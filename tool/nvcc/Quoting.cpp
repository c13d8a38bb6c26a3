// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Quoting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

namespace graphprof::nvcc {
namespace {

enum class Keep { Nothing, Quotes, Backslashes, Both };

/// Splits at unquoted separators. Quotes and backslashes are removed unless `Kept` lists them. A
/// kept backslash has no special meaning.
template <class Predicate>
std::vector<std::string> split(llvm::StringRef Text, Predicate Separates, Keep Kept,
                               bool EmptyWords) {
  const bool KeepQuotes = Kept == Keep::Quotes || Kept == Keep::Both;
  const bool KeepBackslashes = Kept == Keep::Backslashes || Kept == Keep::Both;
  std::vector<std::string> Words;
  std::string Word;
  bool Quoted = false, Started = false;
  const auto Finish = [&] {
    if (!Word.empty() || (EmptyWords && Started))
      Words.push_back(std::move(Word));
    Word.clear();
    Started = false;
  };
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    if (C == '\\' && !KeepBackslashes) {
      Started = true;
      if (++I < Text.size())
        Word += Text[I];
    } else if (C == '"') {
      Quoted = !Quoted;
      Started = true;
      if (KeepQuotes)
        Word += C;
    } else if (!Quoted && Separates(C)) {
      Finish();
    } else {
      Started = true;
      Word += C;
    }
  }
  Finish();
  return Words;
}

bool isComma(char C) { return C == ','; }

} // namespace

std::vector<std::string> splitOptionsFile(llvm::StringRef Text) {
  auto Words = split(Text, llvm::isSpace, Keep::Nothing, /*EmptyWords=*/true);
  for (std::string &Word : Words)
    llvm::erase(Word, '"'); // quotes behind a backslash
  return Words;
}

std::vector<std::string> splitEnvironment(llvm::StringRef Text) {
  return split(Text, llvm::isSpace, Keep::Both, /*EmptyWords=*/false);
}

std::vector<std::string> splitStrings(llvm::StringRef Value) {
  return split(Value, isComma, Keep::Quotes, /*EmptyWords=*/false);
}

std::vector<std::string> splitPaths(llvm::StringRef Value) {
  return split(Value, isComma, Keep::Backslashes, /*EmptyWords=*/false);
}

std::vector<std::string> splitShell(llvm::StringRef Text) {
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *> Words;
  llvm::cl::TokenizeGNUCommandLine(Text, Saver, Words);
  return {Words.begin(), Words.end()};
}

} // namespace graphprof::nvcc
