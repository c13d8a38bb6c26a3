// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/UnitTokens.h"

#include "clang/Lex/HeaderSearch.h"
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

class UnitTokens::FileWatcher : public PPCallbacks {
public:
  explicit FileWatcher(UnitTokens &Of) : Of(Of) {}

  void InclusionDirective(SourceLocation Hash, const clang::Token &, llvm::StringRef, bool IsAngled,
                          CharSourceRange, OptionalFileEntryRef, llvm::StringRef SearchPath,
                          llvm::StringRef, const clang::Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    LeadsOut = Of.leadsOut(Hash, SearchPath, IsAngled);
  }

  void MacroExpands(const clang::Token &Name, const MacroDefinition &, SourceRange Use,
                    const MacroArgs *) override {
    if (Name.getIdentifierInfo()->getName() == "__COUNTER__")
      Of.Counters.push_back(Of.Sources.getExpansionLoc(Use.getBegin()));
  }

  void FileChanged(SourceLocation Location, FileChangeReason Reason, SrcMgr::CharacteristicKind,
                   FileID) override {
    if (Reason != EnterFile && Reason != ExitFile)
      return;
    const FileID Now = Of.Sources.getFileID(Location);
    if (Reason == EnterFile && std::exchange(LeadsOut, false))
      Of.Foreign.insert(Now);
    Of.InProject = !Of.isForeign(Now);
  }

private:
  UnitTokens &Of;
  bool LeadsOut = false; ///< the last `#include`
};

bool UnitTokens::leadsOut(SourceLocation Hash, llvm::StringRef SearchPath, bool IsAngled) const {
  const FileID By = Sources.getFileID(Hash);
  if (isForeign(By))
    return true;
  const OptionalFileEntryRef Includer = Sources.getFileEntryRefForID(By);
  if (!IsAngled && Includer && Includer->getDir().getName() == SearchPath)
    return false;
  return llvm::any_of(
      PP.getHeaderSearchInfo().search_dir_range(), [&](const DirectoryLookup &Each) {
        return SrcMgr::isSystem(Each.getDirCharacteristic()) && Each.getName() == SearchPath;
      });
}

UnitTokens::UnitTokens(Preprocessor &PP)
    : PP(PP), Sources(PP.getSourceManager()), Language(PP.getLangOpts()) {
  PP.addPPCallbacks(std::make_unique<FileWatcher>(*this));
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
