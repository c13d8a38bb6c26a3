// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/Skipped.h"

#include "record/FunctionTracker.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/PPCallbacks.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

class SkippedFinder : public PPCallbacks {
public:
  SkippedFinder(const Preprocessor &PP, std::vector<SourceLocation> &Into)
      : Sources(PP.getSourceManager()), Into(Into) {}

  void SourceRangeSkipped(SourceRange Range, SourceLocation /*EndIf*/) override {
    if (Sources.isInSystemHeader(Range.getBegin()))
      return;
    const char *const Begin = Sources.getCharacterData(Range.getBegin());
    const llvm::StringRef Text(Begin, Sources.getCharacterData(Range.getEnd()) - Begin);
    if (const size_t At = Text.find("graphprof::time"); At != llvm::StringRef::npos)
      Into.push_back(Range.getBegin().getLocWithOffset(static_cast<int>(At)));
  }

private:
  const SourceManager &Sources;
  std::vector<SourceLocation> &Into;
};

class DeviceBodies : public RecursiveASTVisitor<DeviceBodies> {
public:
  DeviceBodies(const Unit &Parsed, llvm::ArrayRef<SourceLocation> Skipped)
      : Parsed(Parsed), Skipped(Skipped) {}

  bool VisitFunctionDecl(FunctionDecl *Function) {
    if (!Function->doesThisDeclarationHaveABody() ||
        !(isWritten<CUDAGlobalAttr>(Function) || isWritten<CUDADeviceAttr>(Function)))
      return true;
    const SourceManager &Sources = Parsed.sources();
    const SourceRange Body = Function->getBody()->getSourceRange();
    for (const SourceLocation Each : Skipped)
      if (Unit::File *const In = Parsed.fileAt(Each);
          In && In == Parsed.fileAt(Body.getBegin()) &&
          Sources.isBeforeInTranslationUnit(Body.getBegin(), Each) &&
          Sources.isBeforeInTranslationUnit(Each, Body.getEnd()))
        In->Known.Findings.push_back(
            {Severity::Warning, In->Source.offsetOf(Each),
             "the #if around this annotation leaves it out on the host's side, which is what is "
             "looked at, so it has no effect; annotate a block around the #if"});
    return true;
  }

private:
  const Unit &Parsed;
  llvm::ArrayRef<SourceLocation> Skipped;
};

} // namespace

std::unique_ptr<PPCallbacks> findSkipped(const Preprocessor &PP,
                                         std::vector<SourceLocation> &Into) {
  return std::make_unique<SkippedFinder>(PP, Into);
}

void recordSkipped(const Unit &Parsed, ASTContext &Context,
                   llvm::ArrayRef<SourceLocation> Skipped) {
  if (Skipped.empty())
    return;
  DeviceBodies Visitor(Parsed, Skipped);
  for (Decl *Top : Parsed.topLevel(Context))
    if (Parsed.mayHoldCode(Top))
      Visitor.TraverseDecl(Top);
}

} // namespace graphprof::instrument
