// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/Attributes.h"

#include "record/IgnoreMarkers.h"

#include "clang/Lex/Lexer.h"
#include "clang/Lex/LiteralSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

constexpr llvm::StringLiteral Namespace = "graphprof";
constexpr unsigned NearMiss = 2; ///< letters that may differ
constexpr llvm::StringLiteral KnownNames[] = {"time", "ignore", "step", "graph"};

/// A range of expanded tokens, half open.
struct TokenRange {
  size_t Begin = 0;
  size_t End = 0;
  [[nodiscard]] bool empty() const { return Begin == End; }
};

/// One entry of an attribute list: `scope::name(arguments)`.
struct Entry {
  TokenRange Tokens;
  size_t Name = 0;
  bool Ours = false;
  std::optional<TokenRange> Arguments; ///< between the parentheses
};

class AnnotationReader {
public:
  AnnotationReader(Unit &Parsed, Unit::File &File, const Preprocessor &PP)
      : Parsed(Parsed), Home(File), Source(File.Source), PP(PP), View(&File.Source), Into(&File),
        Tokens(Parsed.expanded()) {}

  void read(bool AnyAnnotation);

private:
  [[nodiscard]] bool is(size_t I, tok::TokenKind Kind) const {
    return I < Tokens.size() && Tokens[I].kind() == Kind;
  }
  [[nodiscard]] llvm::StringRef text(size_t I) const { return Tokens[I].text(Source.sources()); }
  [[nodiscard]] unsigned offset(size_t I) const { return View->offsetOf(Tokens[I].location()); }
  [[nodiscard]] bool isOurs(size_t List) const {
    return (is(List + 2, tok::identifier) && text(List + 2) == Namespace) ||
           (is(List + 2, tok::kw_using) && text(List + 3) == Namespace);
  }
  [[nodiscard]] bool isListStart(size_t I) const {
    return is(I, tok::l_square) && is(I + 1, tok::l_square) && Source.inFile(Tokens[I].location());
  }

  [[nodiscard]] size_t pastClosing(size_t I) const { return instrument::pastClosing(Tokens, I); }
  [[nodiscard]] bool bracketsMatch(TokenRange Range) const;

  /// Reads the attribute list that starts at I, and returns the index behind it.
  size_t readList(size_t I);
  void readEntry(const Entry &Entry, TokenRange List, bool Alone, bool WholeList, bool CommaTaken);
  void readArguments(TokenRange Range, Annotation &Into);
  [[nodiscard]] llvm::SmallVector<TokenRange> splitArguments(TokenRange Range) const;
  [[nodiscard]] size_t pastTemplateArguments(size_t I, size_t End) const;
  std::optional<NameLiteral> readName(TokenRange Range);
  [[nodiscard]] std::vector<NameUse> namesIn(TokenRange Range) const;
  void warnOfNearMiss(const Entry &Read);

  /// Chooses the view for the list that starts at a token: the file, or the macro body that spells
  /// the list. False if that macro's file is not rewritten.
  bool lookAt(size_t List);

  void error(unsigned At, std::string Message) {
    Into->Known.Findings.push_back({Severity::Error, At, std::move(Message)});
  }

  Unit &Parsed;
  Unit::File &Home;
  const SourceText &Source;
  const Preprocessor &PP;
  const SourceText *View; ///< of the text that is being read
  Unit::File *Into;       ///< the file that View looks at
  llvm::ArrayRef<syntax::Token> Tokens;
  /// Annotations of adjacent lists, whose Next is not known yet.
  std::vector<std::pair<Annotation, Unit::File *>> Group;
};

bool AnnotationReader::bracketsMatch(TokenRange Range) const {
  llvm::SmallVector<tok::TokenKind, 8> Open;
  for (size_t I = Range.Begin; I < Range.End; ++I) {
    const tok::TokenKind Kind = Tokens[I].kind();
    if (Kind == tok::l_paren || Kind == tok::l_square || Kind == tok::l_brace) {
      Open.push_back(Kind);
      continue;
    }
    const tok::TokenKind Wanted = Kind == tok::r_paren    ? tok::l_paren
                                  : Kind == tok::r_square ? tok::l_square
                                  : Kind == tok::r_brace  ? tok::l_brace
                                                          : tok::unknown;
    if (Wanted != tok::unknown && (Open.empty() || Open.pop_back_val() != Wanted))
      return false;
  }
  return Open.empty();
}

void AnnotationReader::read(bool AnyAnnotation) {
  for (size_t I = AnyAnnotation ? 0 : Tokens.size(); I < Tokens.size();) {
    if (!isListStart(I)) {
      ++I;
      continue;
    }
    while (isListStart(I)) {
      const bool Ours = lookAt(I);
      I = Ours ? readList(I) : pastClosing(I);
    }
    for (auto &[Read, In] : Group) {
      Read.Next = I < Tokens.size() ? offset(I) : 0;
      In->Known.Annotations.push_back(std::move(Read));
      In->Next.push_back({I, View});
    }
    Group.clear();
  }
  recordIgnoreMarkers(Parsed, Home);
}

bool AnnotationReader::lookAt(size_t List) {
  View = &Source;
  Into = &Home;
  SourceLocation Location = Tokens[List].location();
  if (Location.isFileID() || Source.spelled(List, pastClosing(List) - 1))
    return true;
  const SourceManager &Sources = Source.sources();
  // A use of the macro may be another macro's argument.
  while (Location.isMacroID() && Sources.isMacroArgExpansion(Location))
    Location = Sources.getImmediateSpellingLoc(Location);
  const FileID Expansion = Sources.getFileID(Location);
  if (Location.isFileID() || Sources.isWrittenInScratchSpace(Sources.getSpellingLoc(Location)))
    return true; // readEntry reports the mistake
  Unit::File *const Definition = Parsed.fileOf(Sources.getFileID(Sources.getSpellingLoc(Location)));
  if (!Definition) {
    if (isOurs(List))
      Into->Known.Findings.push_back(
          {Severity::Warning, offset(List),
           "this annotation has no effect: it comes from a macro in a header that is not "
           "rewritten; choose that header with --header-filter"});
    return false;
  }
  View = &Parsed.bodyOf(Source, Expansion);
  Into = Definition;
  return true;
}

size_t AnnotationReader::readList(size_t I) {
  const size_t End = pastClosing(I);
  const TokenRange List{I, End};
  if (isOurs(I) && !bracketsMatch(List)) {
    error(offset(I), "the brackets of this annotation do not match");
    return End;
  }
  size_t At = I + 2;
  const size_t Close = End < I + 4 ? At : End - 2; // of `]]`

  const bool Using = At + 2 < Close && is(At, tok::kw_using) && is(At + 2, tok::colon);
  const bool UsingOurs = Using && text(At + 1) == Namespace;
  if (Using)
    At += 3;

  llvm::SmallVector<Entry> Entries;
  while (At < Close) {
    Entry Read;
    Read.Tokens.Begin = At;
    Read.Name = At;
    Read.Ours = UsingOurs;
    if (is(At + 1, tok::coloncolon) && At + 2 < Close) {
      Read.Ours = text(At) == Namespace;
      Read.Name = At + 2;
    }
    At = Read.Name + 1;
    if (At < Close && is(At, tok::l_paren)) {
      const size_t Past = pastClosing(At);
      Read.Arguments = TokenRange{At + 1, Past - 1};
      At = Past;
    }
    while (At < Close && !is(At, tok::comma)) // `...`, or what a newer language writes there
      ++At;
    Read.Tokens.End = At;
    if (At < Close)
      ++At;
    Entries.push_back(Read);
  }

  const bool AllOurs = llvm::all_of(Entries, [](const Entry &E) { return E.Ours; });
  bool CommaTaken = false; // the previous entry has removed the comma before this one
  for (const Entry &Read : Entries) {
    if (Read.Ours)
      readEntry(Read, List, Entries.size() == 1, AllOurs, CommaTaken);
    else
      warnOfNearMiss(Read);
    CommaTaken = Read.Ours;
  }
  return End;
}

void AnnotationReader::readEntry(const Entry &Entry, TokenRange List, bool Alone, bool WholeList,
                                 bool CommaTaken) {
  const llvm::StringRef Name = text(Entry.Name);
  const unsigned At = offset(Entry.Tokens.Begin);
  if (!llvm::is_contained(KnownNames, Name)) {
    const auto *const Nearest = llvm::min_element(
        KnownNames, [&](auto A, auto B) { return Name.edit_distance(A) < Name.edit_distance(B); });
    error(offset(Entry.Name), "unknown annotation 'graphprof::" + Name.str() +
                                  "'; did you mean 'graphprof::" + Nearest->str() + "'?");
    return;
  }
  Annotation Read;
  Read.Kind = Name == "time"    ? AnnotationKind::Time
              : Name == "step"  ? AnnotationKind::Step
              : Name == "graph" ? AnnotationKind::Graph
                                : AnnotationKind::Ignore;
  Read.At = At;

  if (Read.Kind == AnnotationKind::Ignore && !Alone) {
    error(At, "write 'graphprof::ignore' in brackets of its own");
    return;
  }
  TokenRange Removed = WholeList ? List : Entry.Tokens;
  if (!WholeList) { // removes one comma, too
    if (is(Removed.End, tok::comma))
      ++Removed.End;
    else if (!CommaTaken)
      --Removed.Begin;
  }
  const auto Text = View->spelled(Removed.Begin, Removed.End - 1);
  if (!Text) {
    error(At,
          "this annotation is only a part of what a macro expands to, so it cannot be replaced; "
          "write it where the macro is used");
    return;
  }
  Read.Text = Text->Range;
  Read.InMacro = View != &Source;
  Read.WholeList = WholeList;
  const bool HasArguments = Read.Kind == AnnotationKind::Time || Read.Kind == AnnotationKind::Graph;
  if (Entry.Arguments && HasArguments)
    readArguments(*Entry.Arguments, Read);
  else if (Entry.Arguments)
    error(At, "'graphprof::" + Name.str() + "' takes no arguments");
  Group.emplace_back(std::move(Read), Into);
}

void AnnotationReader::readArguments(TokenRange Range, Annotation &Into) {
  bool First = true;
  for (TokenRange Piece : splitArguments(Range)) {
    const bool IsFirst = std::exchange(First, false);
    if (Piece.empty()) {
      error(offset(Piece.Begin), "expected an argument");
      continue;
    }
    if (IsFirst && tok::isStringLiteral(Tokens[Piece.Begin].kind())) {
      Into.Name = readName(Piece);
      continue;
    }

    Argument Read;
    Read.At = offset(Piece.Begin);
    if (is(Piece.Begin, tok::identifier) && is(Piece.Begin + 1, tok::equal)) {
      Read.Key = text(Piece.Begin).str();
      Piece.Begin += 2;
      if (Piece.Begin >= Piece.End) {
        error(Read.At, "expected a value for '" + Read.Key + "'");
        continue;
      }
    } else if (IsFirst) {
      error(Read.At, Into.Kind == AnnotationKind::Graph
                         ? "expected the graph's name, a string literal"
                         : "expected the region's name, a string literal, or 'key = value'");
      continue;
    }
    const auto Text = View->spelled(Piece.Begin, Piece.End - 1);
    if (!Text || Text->HasDirective) {
      error(Read.At, Text ? "a preprocessor directive divides this argument"
                          : "this argument is only a part of what a macro expands to");
      continue;
    }
    Read.Text = Text->OneLine;
    Read.Names = namesIn(Piece);
    for (size_t I = Piece.Begin; I < Piece.End; ++I)
      Read.Tokens.push_back(text(I).str());
    Into.Arguments.push_back(std::move(Read));
  }
}

/// Splits at commas outside brackets. Only name lookup could tell whether `a < b, c > (d)` is one
/// argument or two, and attributes get no lookup. So a name followed by `<...>` and then by `(`,
/// `{` or `::` is taken for a template.
llvm::SmallVector<TokenRange> AnnotationReader::splitArguments(TokenRange Range) const {
  llvm::SmallVector<TokenRange> Pieces;
  if (Range.empty())
    return Pieces;
  TokenRange Piece{Range.Begin, Range.Begin};
  for (size_t I = Range.Begin; I < Range.End;) {
    if (is(I, tok::comma)) {
      Piece.End = I++;
      Pieces.push_back(Piece);
      Piece.Begin = I;
    } else if (is(I, tok::l_paren) || is(I, tok::l_square) || is(I, tok::l_brace)) {
      I = pastClosing(I);
    } else if (is(I, tok::identifier) && is(I + 1, tok::less)) {
      I = pastTemplateArguments(I + 1, Range.End);
    } else {
      ++I;
    }
  }
  Piece.End = Range.End;
  Pieces.push_back(Piece);
  return Pieces;
}

size_t AnnotationReader::pastTemplateArguments(size_t Less, size_t End) const {
  int Depth = 0;
  for (size_t I = Less; I < End;) {
    if (is(I, tok::less)) {
      ++Depth;
    } else if (is(I, tok::greater)) {
      --Depth;
    } else if (is(I, tok::greatergreater)) {
      Depth -= 2;
    } else if (is(I, tok::l_paren) || is(I, tok::l_square) || is(I, tok::l_brace)) {
      I = pastClosing(I);
      continue;
    }
    ++I;
    if (Depth <= 0) {
      const bool Template =
          I < End && (is(I, tok::l_paren) || is(I, tok::l_brace) || is(I, tok::coloncolon));
      return Template ? I : Less + 1;
    }
  }
  return Less + 1;
}

/// The names in a value. A value with braces, or with a lambda, may declare names of its own, so it
/// has none here.
std::vector<NameUse> AnnotationReader::namesIn(TokenRange Range) const {
  std::vector<NameUse> Names;
  for (size_t I = Range.Begin; I < Range.End; ++I) {
    if (is(I, tok::l_brace))
      return {};
    const bool OfAnother =
        I > Range.Begin && (is(I - 1, tok::period) || is(I - 1, tok::arrow) ||
                            is(I - 1, tok::coloncolon) || is(I - 1, tok::kw_template));
    if (is(I, tok::identifier) && !OfAnother && !text(I).starts_with("__"))
      Names.push_back({offset(I), text(I).str()});
  }
  return Names;
}

/// Warns of names such as `[[grapphprof::time]]`, which every compiler ignores.
void AnnotationReader::warnOfNearMiss(const Entry &Read) {
  if (!is(Read.Tokens.Begin + 1, tok::coloncolon) ||
      !llvm::is_contained(KnownNames, text(Read.Name)) ||
      text(Read.Tokens.Begin).edit_distance(Namespace, true, NearMiss) > NearMiss)
    return;
  Into->Known.Findings.push_back({Severity::Warning, offset(Read.Tokens.Begin),
                                  "unknown annotation '" + text(Read.Tokens.Begin).str() +
                                      "::" + text(Read.Name).str() + "'; did you mean '" +
                                      Namespace.str() + "::" + text(Read.Name).str() + "'?"});
}

std::optional<NameLiteral> AnnotationReader::readName(TokenRange Range) {
  const SourceManager &Sources = Source.sources();
  NameLiteral Name;
  for (size_t I = Range.Begin; I < Range.End; ++I) {
    if (!is(I, tok::string_literal)) {
      error(offset(I), tok::isStringLiteral(Tokens[I].kind())
                           ? "a region's name is an ordinary string literal, without a prefix"
                           : "expected ',' or ')' behind the region's name");
      return std::nullopt;
    }
    const SourceLocation Spelling = Sources.getSpellingLoc(Tokens[I].location());
    clang::Token Raw;
    if (Lexer::getRawToken(Spelling, Raw, Sources, Source.language()))
      return std::nullopt;
    const StringLiteralParser Literal(Raw, Sources, Source.language(), PP.getTargetInfo());
    if (Literal.hadError || !Literal.getUDSuffix().empty()) {
      error(offset(I), "a region's name is an ordinary string literal, without a suffix");
      return std::nullopt;
    }
    const llvm::StringRef Bytes = Literal.GetString();
    // A literal from a macro's body has no columns here: all its bytes get the offset of the
    // macro's use.
    const bool InFile = Sources.getFileID(Spelling) == View->file();
    for (unsigned Byte = 0; Byte <= Bytes.size(); ++Byte) {
      const unsigned Into =
          InFile ? Byte < Bytes.size()
                       ? Sources.getFileOffset(Spelling) + Literal.getOffsetOfStringByte(Raw, Byte)
                       : Sources.getFileOffset(Spelling) + Raw.getLength() - 1
                 : offset(I);
      if (Byte < Bytes.size() || I + 1 == Range.End)
        Name.Offsets.push_back(Into);
    }
    Name.Value += Bytes;
  }
  const auto Text = View->spelled(Range.Begin, Range.End - 1);
  if (!Text || Text->HasDirective) {
    error(offset(Range.Begin), Text ? "a preprocessor directive divides this name"
                                    : "this name is only a part of what a macro expands to");
    return std::nullopt;
  }
  Name.Spelling = Text->OneLine;
  return Name;
}

} // namespace

std::vector<SourceLocation> recordAnnotations(Unit &Parsed, const Preprocessor &PP) {
  std::vector<SourceLocation> Elsewhere;
  // If the lexer has not met the name graphprof, there are no annotations.
  const bool Any = llvm::any_of(PP.getIdentifierTable(), [](const auto &Each) {
    return Each.getKey().edit_distance(Namespace, true, NearMiss) <= NearMiss;
  });
  for (const auto &File : Parsed.files())
    AnnotationReader(Parsed, *File, PP).read(Any);
  if (!Any)
    return Elsewhere;

  const SourceManager &Sources = Parsed.sources();
  const auto Tokens = Parsed.expanded();
  for (size_t I = 0; I + 2 < Tokens.size(); ++I) {
    if (Tokens[I].kind() != tok::l_square || Tokens[I + 1].kind() != tok::l_square)
      continue;
    const size_t Scope = Tokens[I + 2].kind() == tok::kw_using ? I + 3 : I + 2;
    if (Scope >= Tokens.size() || Tokens[Scope].text(Sources) != Namespace)
      continue;
    const SourceLocation Location = Sources.getExpansionLoc(Tokens[I].location());
    if (!Parsed.fileAt(Location) && !Sources.isInSystemHeader(Location)) {
      Elsewhere.push_back(Location);
      Parsed.addFileOnlyRead(Sources.getFileID(Location));
    }
  }
  for (const auto &File : Parsed.filesOnlyRead())
    AnnotationReader(Parsed, *File, PP).read(Any);
  return Elsewhere;
}

} // namespace graphprof::instrument
