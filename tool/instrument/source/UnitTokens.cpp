// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/UnitTokens.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace graphprof::instrument {

size_t pastClosing(llvm::ArrayRef<syntax::Token> Tokens, size_t I) {
  unsigned Depth = 0;
  for (; I < Tokens.size(); ++I) {
    switch (Tokens[I].kind()) {
    case tok::l_paren:
    case tok::l_square:
    case tok::l_brace:
      ++Depth;
      break;
    case tok::r_paren:
    case tok::r_square:
    case tok::r_brace:
      if (--Depth == 0)
        return I + 1;
      break;
    default:
      break;
    }
  }
  return I;
}

/// The kind of a file's directory counts: `#pragma system_header` does not make a file foreign.
class UnitTokens::FileWatcher : public PPCallbacks {
public:
  FileWatcher(const SourceManager &Sources, bool &InProject)
      : Sources(Sources), InProject(InProject) {}

  void FileChanged(SourceLocation Location, FileChangeReason Reason, SrcMgr::CharacteristicKind,
                   FileID) override {
    if (Reason == EnterFile || Reason == ExitFile)
      InProject = !SrcMgr::isSystem(
          Sources.getSLocEntry(Sources.getFileID(Location)).getFile().getFileCharacteristic());
  }

private:
  const SourceManager &Sources;
  bool &InProject;
};

UnitTokens::UnitTokens(Preprocessor &PP)
    : Sources(PP.getSourceManager()), Language(PP.getLangOpts()) {
  PP.addPPCallbacks(std::make_unique<FileWatcher>(Sources, InProject));
  PP.setTokenWatcher([this](const clang::Token &Token) {
    if (InProject && !Token.isAnnotation())
      Expanded.emplace_back(Token);
  });
}

llvm::ArrayRef<syntax::Token> UnitTokens::spelledTokens(FileID File) const {
  auto &Tokens = Spelled[File];
  if (!Tokens)
    Tokens =
        std::make_unique<std::vector<syntax::Token>>(syntax::tokenize(File, Sources, Language));
  return *Tokens;
}

std::optional<llvm::ArrayRef<syntax::Token>> UnitTokens::spelledForExpanded(size_t First,
                                                                            size_t Last) const {
  const CharSourceRange Range = fileRange(First, Last);
  if (Range.isInvalid() || Sources.getFileID(Range.getBegin()) != Sources.getFileID(Range.getEnd()))
    return std::nullopt;
  const auto Tokens = spelledTokens(Sources.getFileID(Range.getBegin()));
  const auto At = [&](SourceLocation Location) {
    return llvm::partition_point(
        Tokens, [&](const syntax::Token &Token) { return Token.location() < Location; });
  };
  const auto *Begin = At(Range.getBegin());
  const auto *End = At(Range.getEnd());
  if (Begin == End || Begin->location() != Range.getBegin())
    return std::nullopt;
  return llvm::ArrayRef(Begin, End);
}

CharSourceRange UnitTokens::fileRange(size_t First, size_t Last) const {
  const SourceLocation Begin = Expanded[First].location();
  const SourceLocation End = Expanded[Last].location();
  if (const CharSourceRange Found =
          Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Begin, End), Sources, Language);
      Found.isValid())
    return Found;
  // Whole macro uses whose first or last part expands to nothing.
  const auto UseOf = [&](size_t I) { return Sources.getExpansionLoc(Expanded[I].location()); };
  const bool Whole =
      (Begin.isFileID() || First == 0 || UseOf(First - 1) != UseOf(First)) &&
      (End.isFileID() || Last + 1 == Expanded.size() || UseOf(Last + 1) != UseOf(Last));
  if (!Whole)
    return {};
  return Lexer::getAsCharRange(SourceRange(UseOf(First), Sources.getExpansionRange(End).getEnd()),
                               Sources, Language);
}

} // namespace graphprof::instrument
