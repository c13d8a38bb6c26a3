// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/MacroNames.h"

#include "facts/GraphFunctions.h"

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

/// A macro may hold a pragma for clang where it has one for GCC. The text is for both.
std::string forAnyCompiler(llvm::StringRef Pragma) {
  const auto [Before, Diagnostic] = Pragma.split("\"clang diagnostic ");
  if (Diagnostic.empty())
    return Pragma.str();
  const llvm::StringRef UnknownToo = Diagnostic.starts_with("p") // push, pop
                                         ? ""
                                         : R"(_Pragma("GCC diagnostic ignored \"-Wpragmas\"") )";
  return (UnknownToo + Before + "\"GCC diagnostic " + Diagnostic).str();
}

class SpellingRecorder : public PPCallbacks {
public:
  SpellingRecorder(const Preprocessor &PP, const UnitTokens &Tokens, Spellings &Into)
      : Sources(PP.getSourceManager()), Language(PP.getLangOpts()), Tokens(Tokens), Into(Into) {}

  void MacroExpands(const Token &Name, const MacroDefinition &Definition, SourceRange,
                    const MacroArgs *Arguments) override {
    const MacroInfo *Macro = Definition.getMacroInfo();
    const llvm::StringRef Spelled = Name.getIdentifierInfo()->getName();
    if ((Macro->isBuiltinMacro() && Spelled == "__COUNTER__") || Spelled.starts_with("GRAPHPROF_"))
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
    if (Kind != PIK__Pragma || !Location.isMacroID())
      return;
    const SourceLocation Use = Sources.getExpansionLoc(Location);
    if (std::string Text = pragmaAt(Sources.getSpellingLoc(Location)); !Text.empty())
      Into.Pragmas[Use].push_back({Tokens.expandedTokens().size(), std::move(Text)});
    else
      Into.Fragile.insert(Use);
  }

private:
  /// `_Pragma("...")`, if it is spelled like that.
  [[nodiscard]] std::string pragmaAt(SourceLocation Spelled) const {
    if (Sources.isWrittenInScratchSpace(Spelled))
      return {};
    std::string Text;
    clang::Token Next;
    for (const tok::TokenKind Kind :
         {tok::raw_identifier, tok::l_paren, tok::string_literal, tok::r_paren}) {
      if (Lexer::getRawToken(Spelled, Next, Sources, Language, /*IgnoreWhiteSpace=*/true) ||
          Next.isNot(Kind))
        return {};
      Text += Lexer::getSpelling(Next, Sources, Language);
      Spelled = Next.getEndLoc();
    }
    return forAnyCompiler(Text);
  }

  const SourceManager &Sources;
  const LangOptions &Language;
  const UnitTokens &Tokens;
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

std::unique_ptr<PPCallbacks> recordSpellings(const Preprocessor &PP, const UnitTokens &Tokens,
                                             Spellings &Into) {
  return std::make_unique<SpellingRecorder>(PP, Tokens, Into);
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

/// Whether a use became something that would be lost if it were written out: an annotation, or the
/// name of a listed function that a macro pastes together, which is not redirected.
bool MacroNames::holdsMore(const Use &What) {
  const auto [First, Behind] = tokensOf(What.At);
  const auto Tokens = Parsed.expanded();
  for (size_t I = First; I < Behind; ++I) {
    if (Tokens[I].kind() != tok::identifier)
      continue;
    const SourceLocation Spelled = Sources.getSpellingLoc(Tokens[I].location());
    llvm::SmallString<64> Buffer;
    const llvm::StringRef Name = Lexer::getSpelling(Spelled, Buffer, Sources, Language);
    if (Name == "graphprof" && I > 0 &&
        (Tokens[I - 1].kind() == tok::l_square || Tokens[I - 1].kind() == tok::kw_using))
      return true;
    if (Sources.isWrittenInScratchSpace(Spelled) && !listedFunction(Name).empty())
      return true;
  }
  return false;
}

MacroNames::Use MacroNames::useAt(SourceLocation Token) {
  if (!Token.isMacroID())
    return {};
  const CharSourceRange Range =
      Lexer::getAsCharRange(Sources.getExpansionRange(Token), Sources, Language);
  Use Result;
  Result.At = Range.getBegin();
  Result.In = Parsed.fileOf(Sources.getFileID(Result.At));
  if (!Result.In || Sources.getFileID(Range.getEnd()) != Sources.getFileID(Result.At) ||
      holdsMore(Result))
    return {};
  Result.Text.Begin = Sources.getFileOffset(Result.At);
  Result.Text.End = Sources.getFileOffset(Range.getEnd());
  const FileID File = Sources.getFileID(Result.At);
  for (const SourceLocation Each : Known.Fragile) // also in the arguments
    if (Sources.getFileID(Each) == File && Result.Text.contains(Sources.getFileOffset(Each)))
      return {};
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

/// The macro of the compiler's (`__LINE__`, `__FILE__`) that became this token, perhaps in an
/// argument of another one.
std::string MacroNames::builtin(SourceLocation Token) const {
  for (; Token.isMacroID(); Token = Sources.getImmediateSpellingLoc(Token)) {
    if (!Sources.isWrittenInScratchSpace(Sources.getImmediateSpellingLoc(Token)))
      continue;
    const SourceLocation From =
        Sources.getSpellingLoc(Sources.getImmediateExpansionRange(Token).getBegin());
    llvm::SmallString<64> Buffer;
    const llvm::StringRef Name = Lexer::getSpelling(From, Buffer, Sources, Language);
    constexpr llvm::StringLiteral Kept[] = {"__LINE__", "__FILE__", "__BASE_FILE__",
                                            "__DATE__", "__TIME__", "__TIMESTAMP__"};
    return llvm::is_contained(Kept, Name) ? Name.str() : std::string();
  }
  return {};
}

std::pair<size_t, size_t> MacroNames::tokensOf(SourceLocation Use) {
  if (Expansions.empty()) {
    const auto Tokens = Parsed.expanded();
    for (size_t I = 0; I < Tokens.size(); ++I)
      if (const SourceLocation At = Tokens[I].location(); At.isMacroID())
        Expansions.try_emplace(Sources.getExpansionLoc(At), I, I).first->second.second = I + 1;
  }
  return Expansions.lookup(Use);
}

std::string MacroNames::writtenOut(const Use &What,
                                   const llvm::DenseMap<SourceLocation, std::string> &Replaced) {
  struct Word {
    std::string Text;
    tok::TokenKind Kind;
  };
  std::vector<Word> Words;
  llvm::SmallString<64> Buffer;
  const auto Pragmas = Known.Pragmas.find(What.At);
  const auto AddPragmas = [&](size_t Before) {
    if (Pragmas != Known.Pragmas.end())
      for (const Spellings::Pragma &Each : Pragmas->second)
        if (Each.Before == Before)
          Words.push_back({Each.Text, tok::unknown});
  };
  const auto [First, Behind] = tokensOf(What.At);
  for (size_t I = First; I < Behind; ++I) {
    AddPragmas(I);
    const syntax::Token &Each = Parsed.expanded()[I];
    const SourceLocation Location = Each.location();
    const auto Other = Replaced.find(Location);
    if (const std::string Name = builtin(Location); !Name.empty()) {
      // For nvcc and GCC it is the line where a use begins, for clang the line where it ends.
      Words.push_back(
          {Name == "__LINE__" ? std::to_string(Sources.getPresumedLoc(What.At).getLine()) : Name,
           Each.kind()});
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
  AddPragmas(Behind);
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
