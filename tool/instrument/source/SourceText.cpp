// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/SourceText.h"

#include "clang/Lex/Lexer.h"

using namespace clang;

namespace graphprof::instrument {

std::optional<size_t> SourceText::indexOf(SourceLocation Location) const {
  const auto Found = Index.find(Location);
  if (Found == Index.end())
    return std::nullopt;
  return Found->second;
}

std::optional<SourceText::Spelled> SourceText::spelled(size_t First, size_t Last) const {
  const auto Text = Tokens.spelledForExpanded(First, Last);
  if (!Text || Text->empty() || Sources.getFileID(Text->front().location()) != File)
    return std::nullopt;
  // If a macro use is inside another macro's argument, a part of its expansion would count as the
  // whole.
  const auto Written = [&](size_t Token) {
    return Sources.getFileLoc(expanded()[Token].location());
  };
  if ((First > 0 && expanded()[First].location().isMacroID() &&
       Written(First - 1) == Written(First)) ||
      (Last + 1 < expanded().size() && expanded()[Last].location().isMacroID() &&
       Written(Last + 1) == Written(Last)))
    return std::nullopt;

  Spelled Result;
  Result.Range.Begin = Sources.getFileOffset(Text->front().location());
  Result.Range.End = Sources.getFileOffset(Text->back().endLocation());
  const llvm::StringRef Buffer = text();
  unsigned End = Result.Range.Begin;
  for (const syntax::Token &Token : *Text) {
    const unsigned Begin = Sources.getFileOffset(Token.location());
    const llvm::StringRef Gap = Buffer.slice(End, Begin);
    // A gap with more than blanks contains a comment or a line break. A `//` comment would swallow
    // what follows.
    Result.HasDirective |= Token.kind() == tok::hash && Gap.contains('\n');
    Result.OneLine += Gap.find_first_not_of(" \t") == llvm::StringRef::npos ? Gap : " ";
    Result.OneLine += Token.text(Sources);
    End = Begin + Token.length();
  }
  return Result;
}

std::optional<SourceText::Spelled> SourceText::spelled(SourceRange Range) const {
  const auto First = indexOf(Range.getBegin());
  const auto Last = indexOf(Range.getEnd());
  if (!First || !Last || *Last < *First)
    return std::nullopt;
  return spelled(*First, *Last);
}

bool SourceText::inFile(SourceLocation Location) const {
  return Location.isValid() && Sources.getFileID(Sources.getExpansionLoc(Location)) == File;
}

unsigned SourceText::offsetOf(SourceLocation Location) const {
  const SourceLocation Written = Sources.getFileLoc(Location);
  return Sources.getFileOffset(
      Sources.getFileID(Written) == File ? Written : Sources.getExpansionLoc(Location));
}

SourceLocation SourceText::locationOf(unsigned Offset) const {
  return Sources.getLocForStartOfFile(File).getLocWithOffset(
      static_cast<SourceLocation::IntTy>(Offset));
}

unsigned SourceText::lineOf(SourceLocation Location) const {
  return Sources.getPresumedLoc(Sources.getExpansionLoc(Location)).getLine();
}

MacroText::MacroText(const SourceText &Use, FileID Expansion)
    : SourceText(Use.sources(), Use.language(), Use.tokens(), Use.index(),
                 Use.sources().getFileID(
                     Use.sources().getSLocEntry(Expansion).getExpansion().getSpellingLoc())),
      Expansion(Expansion) {}

/// Whether something in a macro's body, by the uses of macros around it, is in this one's.
bool MacroText::leadsHere(SourceLocation Location) const {
  while (Location.isMacroID() && Sources.getFileID(Location) != Expansion)
    Location = Sources.getImmediateExpansionRange(Location).getBegin();
  return Location.isMacroID();
}

SourceLocation MacroText::inBody(SourceLocation Location, bool End) const {
  while (Location.isMacroID() && Sources.getFileID(Location) != Expansion) {
    const CharSourceRange Use = Sources.getImmediateExpansionRange(Location);
    const SourceLocation Around = End ? Use.getEnd() : Use.getBegin();
    // An argument of this macro, or of one inside it; or this macro's use is another one's
    // argument.
    Location = Sources.isMacroArgExpansion(Location) && !leadsHere(Around)
                   ? Sources.getImmediateSpellingLoc(Location)
                   : Around;
  }
  return Location.isMacroID() ? Sources.getSpellingLoc(Location) : SourceLocation();
}

std::optional<SourceText::Spelled> MacroText::spelled(size_t First, size_t Last) const {
  const auto Body = [&](size_t Token, bool End) {
    return Token < expanded().size() ? inBody(expanded()[Token].location(), End) : SourceLocation();
  };
  const SourceLocation Begin = Body(First, false);
  const SourceLocation End = Body(Last, true);
  if (Begin.isInvalid() || End.isInvalid() || End < Begin)
    return std::nullopt;
  // An argument may have put more tokens there than these.
  const SourceLocation Before = First > 0 ? Body(First - 1, true) : SourceLocation();
  const SourceLocation Behind = Body(Last + 1, false);
  if ((Before.isValid() && Begin <= Before) || (Behind.isValid() && Behind <= End))
    return std::nullopt;

  Spelled Result;
  Result.Range.Begin = Sources.getFileOffset(Begin);
  Result.Range.End = Sources.getFileOffset(End) + Lexer::MeasureTokenLength(End, Sources, Language);
  const llvm::StringRef Buffer = text();
  Lexer Raw(Sources.getLocForStartOfFile(file()), Language, Buffer.begin(),
            Buffer.begin() + Result.Range.Begin, Buffer.end());
  for (clang::Token Token; !Raw.LexFromRawLexer(Token);) {
    const unsigned At = Sources.getFileOffset(Token.getLocation());
    if (At >= Result.Range.End)
      break;
    if (Token.hasLeadingSpace() && !Result.OneLine.empty())
      Result.OneLine += ' ';
    Result.OneLine += Lexer::getSpelling(Token, Sources, Language);
  }
  return Result;
}

bool MacroText::inFile(SourceLocation Location) const {
  return Location.isValid() && inBody(Location, false).isValid();
}

unsigned MacroText::offsetOf(SourceLocation Location) const {
  const SourceLocation Written = inBody(Location, false);
  return Sources.getFileOffset(
      Written.isValid() ? Written
                        : Sources.getSLocEntry(Expansion).getExpansion().getSpellingLoc());
}

} // namespace graphprof::instrument
