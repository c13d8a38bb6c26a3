// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/LaunchPlaces.h"

#include "facts/GuardText.h"

#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

constexpr llvm::StringLiteral InDeclaringMacro = "in a macro that also declares something";
constexpr llvm::StringLiteral InUnbracedMacro =
    "in a macro of several statements of which a branch or loop without braces takes the first";

/// Whether a statement is where the grammar allows any statement, so that braces can enclose it.
bool isAnyStatement(const Stmt *S, const Stmt *Parent, const Stmt *Grandparent) {
  if (isa_and_nonnull<CompoundStmt>(Parent))
    return !isa_and_nonnull<StmtExpr>(Grandparent);
  if (const auto *If = dyn_cast_or_null<IfStmt>(Parent))
    return S == If->getThen() || S == If->getElse();
  if (const auto *For = dyn_cast_or_null<ForStmt>(Parent))
    return S == For->getBody();
  if (const auto *Range = dyn_cast_or_null<CXXForRangeStmt>(Parent))
    return S == Range->getBody();
  if (const auto *While = dyn_cast_or_null<WhileStmt>(Parent))
    return S == While->getBody();
  if (const auto *Do = dyn_cast_or_null<DoStmt>(Parent))
    return S == Do->getBody();
  return isa_and_nonnull<LabelStmt, SwitchCase>(Parent);
}

Stmt *behindLabel(Stmt *S) {
  if (auto *Label = dyn_cast<LabelStmt>(S))
    return Label->getSubStmt();
  return cast<SwitchCase>(S)->getSubStmt();
}

class PlaceFinder {
public:
  PlaceFinder(CallExpr *Call, llvm::ArrayRef<Stmt *> Above, const SourceText &Source)
      : Sources(Source.sources()), Call(Call), Above(Above), Source(Source) {}

  LaunchPlace find();

private:
  [[nodiscard]] bool comesFrom(SourceLocation Token, SourceLocation Use) const;
  [[nodiscard]] SourceLocation useThatSpells(const Stmt *Whole) const;
  [[nodiscard]] std::optional<LaunchPlace> wholeUse(Stmt *Whole, bool AnyStatement) const;
  [[nodiscard]] std::optional<LaunchPlace> sequence(llvm::ArrayRef<Stmt *> Path,
                                                    SourceLocation Use) const;
  [[nodiscard]] std::optional<TextRange> statements(Stmt *First, Stmt *Last) const;

  const SourceManager &Sources;
  CallExpr *Call;
  llvm::ArrayRef<Stmt *> Above;
  const SourceText &Source;
};

/// Whether the macro use at a location produces a token, from its body or an argument.
bool PlaceFinder::comesFrom(SourceLocation Token, SourceLocation Use) const {
  while (Token.isMacroID()) {
    const SourceLocation Expanded = Sources.getImmediateExpansionRange(Token).getBegin();
    if (Sources.getSpellingLoc(Expanded) == Use)
      return true;
    // The use may itself be in another macro's argument.
    if (Sources.isMacroArgExpansion(Token) &&
        comesFrom(Sources.getImmediateSpellingLoc(Token), Use))
      return true;
    Token = Expanded;
  }
  return false;
}

/// The macro use that spells both ends of a statement and the launch in it. The launch must come
/// from that macro itself, not from the argument of another one. Invalid if there is none.
SourceLocation PlaceFinder::useThatSpells(const Stmt *Whole) const {
  const auto *Chevrons = dyn_cast<CUDAKernelCallExpr>(Call);
  for (const SourceLocation Own :
       {Call->getBeginLoc(), Call->getEndLoc(),
        Chevrons ? Chevrons->getConfig()->getBeginLoc() : Call->getBeginLoc()}) {
    const SourceLocation Use = Sources.getFileLoc(Own);
    if (comesFrom(Whole->getBeginLoc(), Use) && comesFrom(Whole->getEndLoc(), Use))
      return Use;
  }
  return {};
}

LaunchPlace PlaceFinder::find() {
  if (const auto Text = Source.spelled(Call->getSourceRange()))
    return {Text->Range, true, {Call}, ""};
  LaunchPlace None;
  None.Obstacle = InMacro;
  for (size_t I = Above.size(); I > 0; --I) {
    Stmt *Whole = Above[I - 1];
    const Stmt *Parent = I > 1 ? Above[I - 2] : nullptr;
    const bool AnyStatement = isAnyStatement(Whole, Parent, I > 2 ? Above[I - 3] : nullptr);
    // Braces would end the scope of a declaration.
    if (isa<DeclStmt, LabelStmt, SwitchCase>(Whole) || (!isa<Expr>(Whole) && !AnyStatement))
      return None;
    const SourceLocation Use = useThatSpells(Whole);
    if (Use.isInvalid())
      continue;
    if (auto Found = wholeUse(Whole, AnyStatement))
      return *Found;
    if (AnyStatement)
      if (auto Found = sequence(Above.take_front(I), Use))
        return *Found;
  }
  return None;
}

/// A macro use that is a whole expression or statement, with the semicolon behind it.
std::optional<LaunchPlace> PlaceFinder::wholeUse(Stmt *Whole, bool AnyStatement) const {
  if (isa<Expr>(Whole))
    if (const auto Text = Source.spelled(Whole->getSourceRange()))
      return LaunchPlace{Text->Range, true, {Whole}, ""};
  if (!AnyStatement)
    return std::nullopt;
  if (const auto Text = statements(Whole, Whole))
    return LaunchPlace{*Text, false, {Whole}, ""};
  return std::nullopt;
}

/// The text of consecutive statements, with the last semicolon.
std::optional<TextRange> PlaceFinder::statements(Stmt *First, Stmt *Last) const {
  const auto Begin = Source.indexOf(First->getBeginLoc());
  const auto End = Source.indexOf(Last->getEndLoc());
  if (!Begin || !End || *End < *Begin)
    return std::nullopt;
  const auto Tokens = Source.expanded();
  if (!isa<CompoundStmt>(Last) && *End + 1 < Tokens.size() && Tokens[*End + 1].kind() == tok::semi)
    if (const auto Text = Source.spelled(*Begin, *End + 1))
      return Text->Range;
  const auto Text = Source.spelled(*Begin, *End);
  return Text ? std::optional(Text->Range) : std::nullopt;
}

/// A macro use that is several statements of one block. The statement at the end of the path
/// contains the launch.
std::optional<LaunchPlace> PlaceFinder::sequence(llvm::ArrayRef<Stmt *> Path,
                                                 SourceLocation Use) const {
  const auto None = [](llvm::StringRef Reason) {
    LaunchPlace Result;
    Result.Obstacle = Reason;
    return Result;
  };
  const auto IsLabelInFront = [&](const Stmt *S) {
    return isa<LabelStmt, SwitchCase>(S) && !comesFrom(S->getBeginLoc(), Use);
  };
  do
    Path = Path.drop_back();
  while (IsLabelInFront(Path.back()));
  const auto *Block = dyn_cast<CompoundStmt>(Path.back());
  if (comesFrom(Path.back()->getBeginLoc(), Use))
    return std::nullopt;
  if (!Block)
    return None(InUnbracedMacro);

  LaunchPlace Found;
  Found.IsExpression = false;
  for (Stmt *Each : Block->body()) {
    while (IsLabelInFront(Each))
      Each = behindLabel(Each);
    if (comesFrom(Each->getBeginLoc(), Use))
      Found.Parts.push_back(Each);
  }
  if (llvm::any_of(Found.Parts, [](const Stmt *Each) { return isa<DeclStmt>(Each); }))
    return None(InDeclaringMacro);
  if (llvm::any_of(Found.Parts, [](const Stmt *Each) { return isa<LabelStmt, SwitchCase>(Each); }))
    return std::nullopt;
  const auto Text = statements(Found.Parts.front(), Found.Parts.back());
  if (!Text)
    return std::nullopt;
  Found.Text = *Text;
  return Found;
}

/// Whether a macro's definition has an annotation, a guard or a marker. Redirected calls do not
/// count.
bool isAnnotated(llvm::StringRef Definition) {
  constexpr llvm::StringLiteral Name = "graphprof";
  for (llvm::StringRef Rest = Definition; Rest.contains(Name);) {
    Rest = Rest.drop_front(Rest.find(Name) + Name.size());
    if (!Rest.starts_with("::cuda::"))
      return true;
  }
  return Definition.contains("GRAPHPROF_");
}

/// Whether a macro that spells a launch is annotated itself, by hand or by an earlier run. Its uses
/// are then left alone.
bool isOfAnnotatedMacro(const LaunchPlace &At, const CallExpr *Call, const SourceText &Source) {
  if (Source.spelled(Call->getSourceRange()))
    return false;
  const SourceManager &Sources = Source.sources();
  for (SourceLocation Each : {Call->getEndLoc(), At.Parts.front()->getBeginLoc()})
    for (; Each.isMacroID(); Each = Sources.getImmediateExpansionRange(Each).getBegin()) {
      const auto [File, Offset] = Sources.getDecomposedSpellingLoc(Each);
      if (isAnnotated(directiveAt(Sources.getBufferData(File), Offset)))
        return true;
    }
  return false;
}

} // namespace

LaunchPlace placeOf(CallExpr *Call, llvm::ArrayRef<Stmt *> Above, const SourceText &Source) {
  LaunchPlace Found = PlaceFinder(Call, Above, Source).find();
  if (Found.Obstacle.empty() && isOfAnnotatedMacro(Found, Call, Source))
    Found.Obstacle = InMacro;
  return Found;
}

} // namespace graphprof::instrument
