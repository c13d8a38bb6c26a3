// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "DependencyFile.h"

#include "llvm/ADT/StringExtras.h"

namespace graphprof::launcher {
namespace {

/// The length of the white space or word at the beginning of the text.
size_t spaceAt(llvm::StringRef Text) {
  size_t I = 0;
  while (I < Text.size()) {
    if (llvm::isSpace(Text[I]))
      ++I;
    else if (Text[I] == '\\' &&
             (Text.substr(I + 1).starts_with("\n") || Text.substr(I + 1).starts_with("\r\n")))
      I += 2;
    else
      break;
  }
  return I;
}

size_t wordAt(llvm::StringRef Text) {
  size_t I = 0;
  while (I < Text.size() && !llvm::isSpace(Text[I])) {
    if (Text[I] == '\\' && I + 1 < Text.size()) {
      if (Text[I + 1] == '\n' || Text[I + 1] == '\r')
        break;
      ++I;
    }
    ++I;
  }
  return I;
}

std::string plain(llvm::StringRef Word) {
  std::string Result;
  for (size_t I = 0; I < Word.size(); ++I) {
    const char Next = I + 1 < Word.size() ? Word[I + 1] : '\0';
    const bool Escapes = (Word[I] == '\\' && (Next == ' ' || Next == '#' || Next == '\t')) ||
                         (Word[I] == '$' && Next == '$');
    if (Escapes)
      ++I;
    Result += Word[I];
  }
  return Result;
}

std::string escaped(llvm::StringRef Path) {
  std::string Result;
  for (const char C : Path) {
    if (C == ' ' || C == '#' || C == '\t')
      Result += '\\';
    if (C == '$')
      Result += '$';
    Result += C;
  }
  return Result;
}

} // namespace

std::string withOriginals(llvm::StringRef Text,
                          llvm::function_ref<std::string(llvm::StringRef Path)> Original,
                          llvm::ArrayRef<std::string> More) {
  std::string Result;
  bool FirstRule = true;
  while (!Text.empty()) {
    const size_t Space = spaceAt(Text);
    if (FirstRule && !Result.empty() && Text.take_front(Space).contains("\n") &&
        !llvm::StringRef(Text.take_front(Space)).contains('\\')) {
      for (const std::string &Each : More)
        Result += " \\\n " + escaped(Each);
      FirstRule = false;
    }
    Result += Text.take_front(Space);
    Text = Text.drop_front(Space);
    const llvm::StringRef Word = Text.take_front(wordAt(Text));
    Text = Text.drop_front(Word.size());
    // Targets end with a colon, those that -MP adds too.
    const bool Colon = Word.ends_with(":");
    const std::string Found = Original(plain(Colon ? Word.drop_back() : Word));
    Result += Found.empty() ? Word.str() : escaped(Found) + (Colon ? ":" : "");
  }
  return Result;
}

} // namespace graphprof::launcher
