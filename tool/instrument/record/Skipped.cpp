// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/Skipped.h"

#include "record/FunctionTracker.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/PPCallbacks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

/// A line that is a directive, without `#`; empty for others.
llvm::StringRef directiveOf(llvm::StringRef Line) {
  Line = Line.ltrim();
  return Line.consume_front("#") ? Line.ltrim() : llvm::StringRef();
}

/// The conditions that decide over a part: its own directive's, and behind `#else` and `#elif`
/// those before it.
std::string conditionsOf(llvm::StringRef Before, llvm::StringRef Part) {
  std::string Conditions = Part.split('\n').first.str();
  if (!directiveOf(Conditions).starts_with("el"))
    return Conditions;
  for (unsigned Depth = 0; !Before.empty();) {
    const auto [Rest, Line] = Before.rsplit('\n');
    const llvm::StringRef Directive = directiveOf(Before.contains('\n') ? Line : Before);
    Before = Before.contains('\n') ? Rest : llvm::StringRef();
    if (Directive.starts_with("endif"))
      ++Depth;
    if (Depth == 0 && (Directive.starts_with("if") || Directive.starts_with("el")))
      Conditions += Directive;
    if (Directive.starts_with("if") && Depth-- == 0)
      break;
  }
  return Conditions;
}

class SkippedFinder : public PPCallbacks {
public:
  SkippedFinder(const Preprocessor &PP, std::vector<SourceLocation> &Into)
      : Sources(PP.getSourceManager()), Into(Into) {}

  void SourceRangeSkipped(SourceRange Range, SourceLocation /*EndIf*/) override {
    const SourceLocation Begin = Range.getBegin();
    if (Begin.isMacroID() || Sources.isInSystemHeader(Begin))
      return;
    const llvm::StringRef Whole = Sources.getBufferData(Sources.getFileID(Begin));
    const llvm::StringRef Part =
        Whole.slice(Sources.getFileOffset(Begin), Sources.getFileOffset(Range.getEnd()));
    if (!isOtherOnDevice(conditionsOf(Whole.take_front(Sources.getFileOffset(Begin)), Part)))
      return;
    noteMacros(Part);
    if (const size_t At = Part.find("graphprof::time"); At != llvm::StringRef::npos)
      Into.push_back(Begin.getLocWithOffset(static_cast<int>(At)));
  }

private:
  [[nodiscard]] bool isOtherOnDevice(llvm::StringRef Conditions) const {
    while (!Conditions.empty()) {
      Conditions =
          Conditions.drop_until([](char Each) { return llvm::isAlpha(Each) || Each == '_'; });
      const llvm::StringRef Name =
          Conditions.take_while([](char Each) { return llvm::isAlnum(Each) || Each == '_'; });
      if (OfDevice.contains(Name))
        return true;
      Conditions = Conditions.drop_front(Name.size());
    }
    return false;
  }
  void noteMacros(llvm::StringRef Part) {
    llvm::SmallVector<llvm::StringRef> Lines;
    Part.split(Lines, '\n');
    for (const llvm::StringRef Line : Lines)
      if (llvm::StringRef Directive = directiveOf(Line);
          Directive.consume_front("define") || Directive.consume_front("undef"))
        OfDevice.insert(Directive.ltrim().take_while(
            [](char Each) { return llvm::isAlnum(Each) || Each == '_'; }));
  }

  const SourceManager &Sources;
  std::vector<SourceLocation> &Into;
  /// Macros that the device's side may see otherwise.
  llvm::StringSet<> OfDevice = {"__CUDA_ARCH__"};
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
