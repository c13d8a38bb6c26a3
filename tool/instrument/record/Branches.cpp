// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/Branches.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

class BranchFinder : public RecursiveASTVisitor<BranchFinder> {
public:
  BranchFinder(const SourceManager &Sources, llvm::ArrayRef<SourceLocation> Conditions)
      : Sources(Sources), Conditions(Conditions) {}

  bool VisitIfStmt(IfStmt *If) {
    const SourceRange Condition(If->getIfLoc(), If->getRParenLoc());
    if (If->isConstexpr() &&
        llvm::any_of(Conditions, [&](SourceLocation Each) { return holds(Condition, Each); }))
      Found.push_back(If->getSourceRange());
    return true;
  }
  [[nodiscard]] bool holds(SourceRange Range, SourceLocation Place) const {
    const SourceLocation At = Sources.getExpansionLoc(Place);
    const SourceLocation Begin = Sources.getExpansionLoc(Range.getBegin());
    const SourceLocation End = Sources.getExpansionLoc(Range.getEnd());
    const FileID File = Sources.getFileID(At);
    return Sources.getFileID(Begin) == File && Sources.getFileID(End) == File && Begin <= At &&
           At <= End;
  }

  std::vector<SourceRange> Found;

private:
  const SourceManager &Sources;
  llvm::ArrayRef<SourceLocation> Conditions;
};

} // namespace

void forgiveBranches(Reporter &Reports, ASTContext &Context) {
  if (Reports.conditions().empty())
    return;
  BranchFinder Finder(Context.getSourceManager(), Reports.conditions());
  Finder.TraverseAST(Context);
  Reports.forgive([&](SourceLocation At) {
    return llvm::any_of(Finder.Found, [&](SourceRange Each) { return Finder.holds(Each, At); });
  });
}

} // namespace graphprof::instrument
