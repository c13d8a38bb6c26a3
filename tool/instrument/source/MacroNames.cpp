// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/MacroNames.h"

#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroArgs.h"
#include "clang/Lex/MacroInfo.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

/// Which parameters of a macro its body turns into text or pastes.
llvm::SmallBitVector textual(const MacroInfo &Macro) {
  const auto Tokens = Macro.tokens();
  llvm::SmallBitVector Result(Macro.getNumParams());
  for (size_t I = 0; I < Tokens.size(); ++I) {
    const IdentifierInfo *Name = Tokens[I].getIdentifierInfo();
    const int Number = Name ? Macro.getParameterNum(Name) : -1;
    if (Number < 0)
      continue;
    const bool Behind = I > 0 && Tokens[I - 1].is(tok::hashhash);
    const bool Before = I + 1 < Tokens.size() && Tokens[I + 1].is(tok::hashhash);
    // `, ##__VA_ARGS__` only removes the comma.
    const bool Comma = Behind && I > 1 && Tokens[I - 2].is(tok::comma) && Macro.isVariadic() &&
                       static_cast<unsigned>(Number) + 1 == Macro.getNumParams();
    if ((I > 0 && Tokens[I - 1].is(tok::hash)) || (Behind && !Comma) || Before)
      Result.set(Number);
  }
  return Result;
}

class SpellingRecorder : public PPCallbacks {
public:
  SpellingRecorder(const Preprocessor &PP, Spellings &Into)
      : Sources(PP.getSourceManager()), Into(Into) {}

  void MacroExpands(const Token &Name, const MacroDefinition &Definition, SourceRange,
                    const MacroArgs *Arguments) override {
    const MacroInfo *Macro = Definition.getMacroInfo();
    if (Macro->isBuiltinMacro() && Name.getIdentifierInfo()->getName() == "__COUNTER__")
      Into.Fragile.insert(Sources.getExpansionLoc(Name.getLocation()));
    if (!Arguments || Macro->getNumParams() == 0)
      return;
    auto [Known, New] = Textual.try_emplace(Macro);
    if (New)
      Known->second = textual(*Macro);
    for (const unsigned I : Known->second.set_bits()) {
      if (I >= Arguments->getNumMacroArguments())
        break;
      for (const Token *Each = Arguments->getUnexpArgument(I); Each->isNot(tok::eof); ++Each)
        if (const IdentifierInfo *Word = Each->getIdentifierInfo();
            Word && Word->getName().starts_with("cu"))
          Into.AsText.insert(spotOf(Sources, Sources.getSpellingLoc(Each->getLocation())));
    }
  }

  void PragmaDirective(SourceLocation Location, PragmaIntroducerKind Kind) override {
    if (Kind == PIK__Pragma)
      Into.Fragile.insert(Sources.getExpansionLoc(Location));
  }

private:
  const SourceManager &Sources;
  Spellings &Into;
  llvm::DenseMap<const MacroInfo *, llvm::SmallBitVector> Textual;
};

bool isWord(const syntax::Token &Token) {
  return Token.kind() == tok::identifier || tok::getKeywordSpelling(Token.kind());
}

bool hasDirective(llvm::StringRef Text) {
  while (Text.contains('\n')) {
    Text = Text.split('\n').second;
    if (Text.ltrim(" \t").starts_with("#"))
      return true;
  }
  return false;
}

} // namespace

Spot spotOf(const SourceManager &Sources, SourceLocation Spelling) {
  const FileID File = Sources.getFileID(Spelling);
  if (const auto Entry = Sources.getFileEntryRefForID(File))
    return {&Entry->getFileEntry(), Sources.getFileOffset(Spelling)};
  return {nullptr, Spelling.getRawEncoding()};
}

std::unique_ptr<PPCallbacks> recordSpellings(const Preprocessor &PP, Spellings &Into) {
  return std::make_unique<SpellingRecorder>(PP, Into);
}

void MacroNames::indexArguments() {
  if (std::exchange(Indexed, true))
    return;
  for (const syntax::Token &Each : Parsed.expanded()) {
    const SourceLocation Location = Each.location();
    if (!Location.isMacroID() || !Sources.isMacroArgExpansion(Location))
      continue;
    const SourceLocation Instance =
        Sources.getSLocEntry(Sources.getFileID(Location)).getExpansion().getExpansionLocStart();
    if (First.try_emplace(Instance, Location).second && !isWord(Each))
      Other.insert(Sources.getSpellingLoc(Instance));
  }
}

MacroNames::Parameter MacroNames::parameterAt(SourceLocation Token, bool Qualified) {
  if (!Token.isMacroID() || !Sources.isMacroArgExpansion(Token))
    return {};
  indexArguments();
  const SourceLocation Instance =
      Sources.getSLocEntry(Sources.getFileID(Token)).getExpansion().getExpansionLocStart();
  Parameter Result;
  Result.At = Sources.getSpellingLoc(Instance);
  Result.In = Parsed.fileOf(Sources.getFileID(Result.At));
  if (!Result.In || First.lookup(Instance) != Token || Other.contains(Result.At))
    return {};
  Result.Text.Begin = Sources.getFileOffset(Result.At);
  Result.Text.End = Result.Text.Begin + Lexer::MeasureTokenLength(Result.At, Sources, Language);
  if (!Qualified)
    return Result;
  const auto Tokens = Result.In->Source.spelled();
  const auto *const Own = llvm::partition_point(
      Tokens, [&](const syntax::Token &Each) { return Each.location() < Result.At; });
  const auto IsWordBefore = [&](const syntax::Token *Each) {
    return Each != Tokens.begin() && std::prev(Each)->kind() == tok::identifier &&
           std::prev(Each)->endLocation() == Each->location();
  };
  if (Own == Tokens.begin() || std::prev(Own)->kind() != tok::coloncolon ||
      IsWordBefore(std::prev(Own)))
    return {};
  Result.Global = true;
  Result.Text.Begin = Sources.getFileOffset(std::prev(Own)->location());
  return Result;
}

llvm::SmallVector<SourceLocation, 2> MacroNames::parametersBefore(SourceLocation Token) const {
  llvm::SmallVector<SourceLocation, 2> Result;
  for (bool First = true; Token.isMacroID(); Token = Sources.getImmediateMacroCallerLoc(Token)) {
    if (!Sources.isMacroArgExpansion(Token))
      continue;
    if (!std::exchange(First, false))
      Result.push_back(Sources.getSpellingLoc(
          Sources.getSLocEntry(Sources.getFileID(Token)).getExpansion().getExpansionLocStart()));
  }
  return Result;
}

MacroNames::Use MacroNames::useAt(SourceLocation Token) const {
  if (!Token.isMacroID())
    return {};
  const CharSourceRange Range =
      Lexer::getAsCharRange(Sources.getExpansionRange(Token), Sources, Language);
  Use Result;
  Result.At = Range.getBegin();
  Result.In = Parsed.fileOf(Sources.getFileID(Result.At));
  if (!Result.In || Sources.getFileID(Range.getEnd()) != Sources.getFileID(Result.At) ||
      Known.Fragile.contains(Result.At))
    return {};
  Result.Text.Begin = Sources.getFileOffset(Result.At);
  Result.Text.End = Sources.getFileOffset(Range.getEnd());
  // Other edits would be inside this one.
  const Facts &Found = Result.In->Known;
  const auto IsInside = [&](unsigned Offset) { return Result.Text.contains(Offset); };
  const bool Edited =
      llvm::any_of(Found.Annotations, [&](const Annotation &A) { return IsInside(A.At); }) ||
      llvm::any_of(Found.Launches, [&](const Launch &L) { return IsInside(L.At); }) ||
      llvm::any_of(Found.Functions, [&](const HostFunction &F) { return IsInside(F.At); });
  if (Edited || hasDirective(Result.In->Source.text().slice(Result.Text.Begin, Result.Text.End)))
    return {};
  return Result;
}

/// Whether a number is what `__LINE__` became, perhaps in an argument of a macro.
bool MacroNames::isLine(SourceLocation Number) const {
  for (; Number.isMacroID(); Number = Sources.getImmediateSpellingLoc(Number)) {
    if (!Sources.isWrittenInScratchSpace(Sources.getImmediateSpellingLoc(Number)))
      continue;
    const SourceLocation From =
        Sources.getSpellingLoc(Sources.getImmediateExpansionRange(Number).getBegin());
    llvm::SmallString<64> Buffer;
    return Lexer::getSpelling(From, Buffer, Sources, Language) == "__LINE__";
  }
  return false;
}

std::string
MacroNames::writtenOut(const Use &What,
                       const llvm::DenseMap<SourceLocation, std::string> &Replaced) const {
  struct Word {
    std::string Text;
    tok::TokenKind Kind;
  };
  std::vector<Word> Words;
  llvm::SmallString<64> Buffer;
  for (const syntax::Token &Each : Parsed.expanded()) {
    const SourceLocation Location = Each.location();
    if (Each.kind() == tok::eof || Sources.getExpansionLoc(Location) != What.At)
      continue;
    const auto Other = Replaced.find(Location);
    if (Each.kind() == tok::numeric_constant && isLine(Location)) {
      // For nvcc and GCC it is the line where a use begins, for clang the line where it ends.
      Words.push_back({std::to_string(Sources.getPresumedLoc(What.At).getLine()), Each.kind()});
      continue;
    }
    if (Other == Replaced.end()) {
      Words.push_back(
          {Lexer::getSpelling(Sources.getSpellingLoc(Location), Buffer, Sources, Language).str(),
           Each.kind()});
      Buffer.clear();
      continue;
    }
    while (!Words.empty() && Words.back().Kind == tok::coloncolon) {
      Words.pop_back();
      if (!Words.empty() && Words.back().Kind == tok::identifier)
        Words.pop_back();
      else
        break;
    }
    Words.push_back({Other->second, tok::identifier});
  }
  std::string Result;
  for (const Word &Each : Words)
    Result += (Result.empty() ? "" : " ") + Each.Text;
  // The lines behind the use keep their numbers.
  llvm::StringRef Left = What.In->Source.text().slice(What.Text.Begin, What.Text.End);
  while (Left.contains('\n')) {
    const auto [Line, Rest] = Left.split('\n');
    Result += Line.ends_with("\r") ? "\r\n" : "\n";
    Left = Rest;
  }
  return Result;
}

} // namespace graphprof::instrument
