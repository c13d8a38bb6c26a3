// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace graphprof::launcher {
namespace {

namespace path = llvm::sys::path;

bool isLauncher(llvm::StringRef Word) {
  constexpr llvm::StringLiteral Known[] = {"graphprof-cc", "ccache", "sccache", "distcc", "icecc",
                                           "buildcache",   "env",    "time",    "nice",   "ionice"};
  return llvm::is_contained(Known, path::filename(Word));
}

} // namespace

bool isPlain(llvm::StringRef Path) {
  return llvm::all_of(
      Path, [](char C) { return llvm::isAlnum(C) || llvm::StringRef("_./+-@%=:").contains(C); });
}

std::optional<CompilerWord> findCompiler(llvm::ArrayRef<std::string> Words,
                                         std::optional<nvcc::Compiler> Like) {
  bool Launched = false;
  for (size_t I = 0; I < Words.size(); ++I) {
    const llvm::StringRef Word = Words[I];
    if (const auto Known = nvcc::compilerOf(Word))
      return CompilerWord{I, Like.value_or(*Known)};
    if (isLauncher(Word)) {
      Launched = true;
      continue;
    }
    if (!Launched)
      return Like ? std::optional(CompilerWord{I, *Like}) : std::nullopt;
    // Skips the launcher's options, their values, and variables for env.
    const bool Its =
        Word.starts_with("-") || Word.contains('=') || llvm::all_of(Word, llvm::isDigit);
    if (!Its)
      return Like ? std::optional(CompilerWord{I, *Like}) : std::nullopt;
  }
  return std::nullopt;
}

bool seemsToCompile(llvm::ArrayRef<std::string> Words) {
  constexpr llvm::StringLiteral Endings[] = {".cu", ".cpp", ".cc", ".cxx"};
  const bool Source = llvm::any_of(Words, [&](llvm::StringRef Word) {
    return !Word.starts_with("-") && llvm::is_contained(Endings, path::extension(Word));
  });
  return Source && llvm::any_of(Words, [](llvm::StringRef Word) {
           return Word == "-c" || Word == "-dc" || Word == "-o";
         });
}

std::vector<std::string> reword(const Rewording &How) {
  const size_t First = How.Compiler.Index + 1;
  std::vector<std::string> Result(How.Words.begin(), How.Words.begin() + First);
  for (const std::string &Directory : How.QuoteDirectories) {
    if (How.Compiler.Kind == nvcc::Compiler::Host)
      llvm::append_range(Result, std::vector<std::string>{"-iquote", Directory});
    else if (isPlain(Directory)) // as one word: ccache 4.7 mishandles the second of two
      Result.push_back("-Xcompiler=-iquote," + Directory);
    else
      llvm::append_range(Result, std::vector<std::string>{"-I", Directory});
  }
  llvm::append_range(Result, How.IncludeFlags);
  if (!How.SystemDirectory.empty())
    llvm::append_range(Result, std::vector<std::string>{"-isystem", How.SystemDirectory});

  const auto Rest = How.Words.drop_front(First);
  for (size_t I = 0; I < Rest.size();) {
    const auto Other =
        llvm::find_if(How.Replaced, [&](const auto &Each) { return Each.first.First == I; });
    if (Other == How.Replaced.end()) {
      Result.push_back(Rest[I++]);
    } else {
      llvm::append_range(Result, Other->second);
      I += Other->first.Count;
    }
  }
  return Result;
}

} // namespace graphprof::launcher
