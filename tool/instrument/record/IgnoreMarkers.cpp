// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/IgnoreMarkers.h"

#include "facts/GuardText.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace clang;

namespace graphprof::instrument {

void recordIgnoreMarkers(Unit &Parsed, Unit::File &File) {
  const SourceText &Source = File.Source;
  const llvm::ArrayRef<syntax::Token> Tokens = Parsed.expanded();
  const SourceManager &Sources = Source.sources();
  const llvm::StringRef Buffer = Source.text();
  struct Ahead {
    size_t Token;
    unsigned Offset; ///< of the token, or of the macro use that begins with it
    const SourceText *View;
  };
  std::map<unsigned, std::optional<Ahead>> Markers; ///< by offset: what follows
  const auto Spelled = Source.spelled();
  for (size_t At = Buffer.find(IgnoreMarker); At != llvm::StringRef::npos;
       At = Buffer.find(IgnoreMarker, At + 1)) {
    const auto *Next = llvm::partition_point(Spelled, [&](const syntax::Token &Token) {
      return Sources.getFileOffset(Token.location()) < At;
    });
    const bool InLiteral =
        Next != Spelled.begin() && Sources.getFileOffset(std::prev(Next)->endLocation()) > At;
    if (!InLiteral)
      Markers.try_emplace(static_cast<unsigned>(At));
  }
  if (Markers.empty())
    return;

  // `Use` is the location of a token, or of the macro use that it comes from. In a macro's body,
  // that use is part of the body.
  const auto Consider = [&](size_t Token, SourceLocation Use, bool InBody) {
    const SourceLocation Location = InBody ? Sources.getSpellingLoc(Use) : Sources.getFileLoc(Use);
    if (Sources.getFileID(Location) != Source.file())
      return;
    const unsigned Offset = Sources.getFileOffset(Location);
    const auto Behind = Markers.upper_bound(Offset);
    if (Behind == Markers.begin())
      return;
    auto &[At, First] = *std::prev(Behind);
    if (InBody == !directiveAt(Buffer, At).empty() && (!First || Offset < First->Offset))
      First =
          Ahead{Token, Offset, InBody ? &Parsed.bodyOf(Source, Sources.getFileID(Use)) : &Source};
  };
  for (size_t I = 0; I < Tokens.size(); ++I) {
    const SourceLocation Location = Tokens[I].location();
    // The place where it is spelled, and each macro use that it comes from. Tokens of an argument
    // come from the text of the argument and from the use of the macro that gets it.
    llvm::SmallVector<SourceLocation, 8> Origins = {Location};
    while (!Origins.empty()) {
      const SourceLocation Origin = Origins.pop_back_val();
      Consider(I, Origin, false);
      if (Origin.isFileID())
        continue;
      Origins.push_back(Sources.getImmediateExpansionRange(Origin).getBegin());
      if (Sources.isMacroArgExpansion(Origin))
        Origins.push_back(Sources.getImmediateSpellingLoc(Origin));
      else
        Consider(I, Origin, true);
    }
  }
  for (const auto &[At, First] : Markers) {
    if (!First)
      continue;
    size_t Behind = First->Token; // other attributes do not belong to the construct
    while (Behind + 1 < Tokens.size() && Tokens[Behind].kind() == tok::l_square &&
           Tokens[Behind + 1].kind() == tok::l_square)
      Behind = pastClosing(Tokens, Behind);
    Annotation Read;
    Read.Kind = AnnotationKind::Ignore;
    Read.Marked = true;
    Read.At = At;
    Read.Text = {At, At + static_cast<unsigned>(IgnoreMarker.size())};
    Read.Next = First->Offset;
    File.Known.Annotations.push_back(Read);
    File.Next.push_back({Behind, First->View});
  }
}

} // namespace graphprof::instrument
