// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/IgnoreMarkers.h"

#include "facts/GuardText.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace clang;

namespace graphprof::instrument {

namespace {

struct Ahead {
  size_t Token;
  unsigned Offset; ///< of the token, or of the macro use that begins with it
  const SourceText *View;
};
using Markers = std::map<unsigned, std::optional<Ahead>>; ///< by offset: what follows

/// The markers of a file that stand in no literal; what follows each is not known yet.
Markers markersIn(const SourceText &Source) {
  const SourceManager &Sources = Source.sources();
  const llvm::StringRef Buffer = Source.text();
  const auto Spelled = Source.spelled();
  Markers Found;
  for (size_t At = Buffer.find(IgnoreMarker); At != llvm::StringRef::npos;
       At = Buffer.find(IgnoreMarker, At + 1)) {
    const auto *Next = llvm::partition_point(Spelled, [&](const syntax::Token &Token) {
      return Sources.getFileOffset(Token.location()) < At;
    });
    const bool InLiteral =
        Next != Spelled.begin() && Sources.getFileOffset(std::prev(Next)->endLocation()) > At;
    if (!InLiteral)
      Found.try_emplace(static_cast<unsigned>(At));
  }
  return Found;
}

/// Notes what follows each of the markers of a file.
class Followers {
public:
  Followers(Unit &Parsed, const SourceText &Source, Markers &Found)
      : Parsed(Parsed), Source(Source), Sources(Source.sources()), Found(Found) {}

  /// Looks where token `Token` is spelled, and at each macro use that it comes from. Tokens of
  /// an argument come from the text of the argument and from the use of the macro that gets it.
  void look(size_t Token) {
    llvm::SmallVector<SourceLocation, 8> Origins = {Parsed.expanded()[Token].location()};
    while (!Origins.empty()) {
      const SourceLocation Origin = Origins.pop_back_val();
      consider(Token, Origin, false);
      if (Origin.isFileID())
        continue;
      Origins.push_back(Sources.getImmediateExpansionRange(Origin).getBegin());
      if (Sources.isMacroArgExpansion(Origin))
        Origins.push_back(Sources.getImmediateSpellingLoc(Origin));
      else
        consider(Token, Origin, true);
    }
  }

private:
  /// `Use` is the location of a token, or of the macro use that it comes from. In a macro's body,
  /// that use is part of the body.
  void consider(size_t Token, SourceLocation Use, bool InBody) {
    const SourceLocation Location = InBody ? Sources.getSpellingLoc(Use) : Sources.getFileLoc(Use);
    if (Sources.getFileID(Location) != Source.file())
      return;
    const unsigned Offset = Sources.getFileOffset(Location);
    const auto Behind = Found.upper_bound(Offset);
    if (Behind == Found.begin())
      return;
    auto &[At, First] = *std::prev(Behind);
    if (InBody == !directiveAt(Source.text(), At).empty() && (!First || Offset < First->Offset))
      First =
          Ahead{Token, Offset, InBody ? &Parsed.bodyOf(Source, Sources.getFileID(Use)) : &Source};
  }

  Unit &Parsed;
  const SourceText &Source;
  const SourceManager &Sources;
  Markers &Found;
};

/// The first token behind the attributes that begin at `Token`.
size_t pastAttributes(llvm::ArrayRef<syntax::Token> Tokens, size_t Token) {
  while (Token + 1 < Tokens.size() && Tokens[Token].kind() == tok::l_square &&
         Tokens[Token + 1].kind() == tok::l_square)
    Token = pastClosing(Tokens, Token);
  return Token;
}

} // namespace

void recordIgnoreMarkers(Unit &Parsed, Unit::File &File) {
  Markers Found = markersIn(File.Source);
  if (Found.empty())
    return;
  const llvm::ArrayRef<syntax::Token> Tokens = Parsed.expanded();
  Followers Following(Parsed, File.Source, Found);
  for (size_t I = 0; I < Tokens.size(); ++I)
    Following.look(I);
  for (const auto &[At, First] : Found) {
    if (!First)
      continue;
    Annotation Read;
    Read.Kind = AnnotationKind::Ignore;
    Read.Marked = true;
    Read.At = At;
    Read.Text = {At, At + static_cast<unsigned>(IgnoreMarker.size())};
    Read.Next = First->Offset;
    File.Known.Annotations.push_back(Read);
    // Other attributes do not belong to the construct.
    File.Next.push_back({pastAttributes(Tokens, First->Token), First->View});
  }
}

} // namespace graphprof::instrument
