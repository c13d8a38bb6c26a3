// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/Statements.h"

#include "facts/GraphFunctions.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace clang;

namespace graphprof::instrument {
namespace {

/// Whether the token at this location is spelled in a file, perhaps as a macro's argument.
bool isWrittenInFile(SourceLocation Location, const SourceManager &Sources) {
  while (Location.isMacroID() && Sources.isMacroArgExpansion(Location))
    Location = Sources.getImmediateSpellingLoc(Location);
  return Location.isFileID();
}

/// The function that a call names, as written; empty if it has no name.
std::string calleeName(const CallExpr *Call) {
  if (isa<CXXOperatorCallExpr>(Call))
    return {};
  if (const FunctionDecl *Callee = Call->getDirectCallee()) {
    // CUDA's headers rename some functions: cudaGraphLaunch_ptsz.
    const llvm::StringRef Name = Callee->getIdentifier() ? Callee->getName() : "";
    for (const llvm::StringRef Listed : {listedFunction(Name), listedMemoryFunction(Name)})
      if (!Listed.empty())
        return Listed.str();
    return Callee->getNameAsString();
  }
  const Expr *Callee = Call->getCallee()->IgnoreParenImpCasts();
  if (const auto *Name = dyn_cast<OverloadExpr>(Callee))
    return Name->getName().getAsString();
  if (const auto *Member = dyn_cast<CXXDependentScopeMemberExpr>(Callee))
    return Member->getMember().getAsString();
  if (const auto *Name = dyn_cast<DeclRefExpr>(Callee))
    return Name->getDecl()->getNameAsString();
  return {};
}

/// Collects the outermost calls in a macro's arguments. A macro may use an argument more than once,
/// so they are identified by where they are written.
void addCallsInArguments(const Stmt *S, const SourceManager &Sources,
                         std::map<SourceLocation, const CallExpr *> &Into) {
  if (!S || isa<LambdaExpr>(S))
    return;
  const auto *Call = dyn_cast<CallExpr>(S);
  const auto *Operator = dyn_cast<CXXOperatorCallExpr>(S);
  if (Call && (!Operator || Operator->getOperator() == OO_Call) &&
      isWrittenInFile(Call->getRParenLoc(), Sources)) {
    Into[Sources.getSpellingLoc(Call->getRParenLoc())] = Call;
    return;
  }
  for (const Stmt *Part : S->children())
    addCallsInArguments(Part, Sources, Into);
}

} // namespace

bool endsBeforeSemicolon(const Stmt *S) {
  if (const auto *If = dyn_cast<IfStmt>(S))
    return endsBeforeSemicolon(If->getElse() ? If->getElse() : If->getThen());
  if (const auto *For = dyn_cast<ForStmt>(S))
    return endsBeforeSemicolon(For->getBody());
  if (const auto *Range = dyn_cast<CXXForRangeStmt>(S))
    return endsBeforeSemicolon(Range->getBody());
  if (const auto *While = dyn_cast<WhileStmt>(S))
    return endsBeforeSemicolon(While->getBody());
  if (const auto *Switch = dyn_cast<SwitchStmt>(S))
    return endsBeforeSemicolon(Switch->getBody());
  if (const auto *Attributed = dyn_cast<AttributedStmt>(S))
    return endsBeforeSemicolon(Attributed->getSubStmt());
  if (const auto *Label = dyn_cast<LabelStmt>(S))
    return endsBeforeSemicolon(Label->getSubStmt());
  if (const auto *Case = dyn_cast<SwitchCase>(S))
    return endsBeforeSemicolon(Case->getSubStmt());
  return !isa<CompoundStmt, DeclStmt, NullStmt, CXXTryStmt>(S);
}

ConstructKind kindOf(const Stmt *S) {
  if (const auto *Attributed = dyn_cast<AttributedStmt>(S))
    return kindOf(Attributed->getSubStmt());
  if (isa<CompoundStmt>(S))
    return ConstructKind::Compound;
  if (isa<DeclStmt>(S))
    return ConstructKind::Declaration;
  if (isa<LabelStmt>(S))
    return ConstructKind::Label;
  if (isa<SwitchCase>(S))
    return ConstructKind::Case;
  if (isa<BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(S))
    return ConstructKind::Jump;
  if (isa<NullStmt>(S))
    return ConstructKind::Empty;
  if (isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt>(S))
    return ConstructKind::Loop;
  return ConstructKind::Statement;
}

std::string onlyCallee(const Stmt *S, const SourceManager &Sources) {
  const Stmt *Whole = S;
  if (const auto *Return = dyn_cast<ReturnStmt>(S))
    S = Return->getRetValue();
  if (const auto *Value = dyn_cast_or_null<Expr>(S))
    if (const auto *Call =
            dyn_cast<CallExpr>(Value->IgnoreUnlessSpelledInSource()->IgnoreParenCasts());
        Call && isWrittenInFile(Call->getRParenLoc(), Sources))
      return calleeName(Call);
  const SourceLocation Begin = Whole->getBeginLoc();
  if (!Begin.isMacroID())
    return {};
  // The statement is exactly one macro use.
  if (Sources.getExpansionLoc(Begin) != Sources.getExpansionLoc(Whole->getEndLoc()))
    return {};
  std::map<SourceLocation, const CallExpr *> Calls;
  addCallsInArguments(Whole, Sources, Calls);
  return Calls.size() == 1 ? calleeName(Calls.begin()->second) : "";
}

Stmt *statementBehind(OMPExecutableDirective *Directive) {
  if (!Directive->hasAssociatedStmt() || !Directive->getAssociatedStmt())
    return nullptr;
  Stmt *Behind = Directive->getAssociatedStmt();
  while (auto *const Captured = dyn_cast<CapturedStmt>(Behind))
    Behind = Captured->getCapturedStmt();
  return Behind;
}

bool allowsBraces(OpenMPDirectiveKind Kind) {
  using namespace llvm::omp;
  return llvm::is_contained({OMPD_parallel, OMPD_single, OMPD_master, OMPD_masked, OMPD_critical,
                             OMPD_task, OMPD_taskgroup, OMPD_section, OMPD_ordered, OMPD_scope},
                            Kind);
}

bool hasOuterCase(const Stmt *S) {
  if (!S || isa<SwitchStmt, LambdaExpr>(S))
    return false;
  return isa<SwitchCase>(S) || llvm::any_of(S->children(), hasOuterCase);
}

} // namespace graphprof::instrument
