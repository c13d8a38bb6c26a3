// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/Reach.h"

#include "facts/GraphFunctions.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

// Whether a place is in a header that is never rewritten.
bool isForeign(const Unit &Parsed, Toolkit &Cudas, SourceLocation Location) {
  return !Parsed.fileAt(Location) &&
         (Parsed.sources().isInSystemHeader(Location) || Cudas.holds(Location));
}

class ReachFinder : public RecursiveASTVisitor<ReachFinder> {
public:
  ReachFinder(const Unit &Parsed, ASTContext &Context, Toolkit &Cudas)
      : Parsed(Parsed), Sources(Parsed.sources()), Context(Context), Cudas(Cudas) {}

  std::vector<SourceLocation> find();

  [[nodiscard]] bool shouldVisitTemplateInstantiations() const { return true; }
  [[nodiscard]] bool shouldVisitImplicitCode() const { return true; }

  bool TraverseNamespaceDecl(NamespaceDecl *Space) {
    return (Space->getName() == "graphprof" && Cudas.holds(Space->getLocation())) ||
           RecursiveASTVisitor::TraverseNamespaceDecl(Space);
  }

  bool VisitDeclRefExpr(DeclRefExpr *Reference) {
    const auto *Function = dyn_cast<FunctionDecl>(Reference->getDecl());
    if (!Function)
      return true;
    const llvm::StringRef Listed =
        Function->getIdentifier() &&
                Function->getDeclContext()->getRedeclContext()->isTranslationUnit()
            ? listedFunction(Function->getName())
            : "";
    if (Listed.empty())
      call(Function);
    else if (InReached && changesGraphs(Listed))
      Found.push_back(Sources.getExpansionLoc(Reference->getLocation()));
    return true;
  }
  bool VisitMemberExpr(MemberExpr *Access) {
    call(dyn_cast<FunctionDecl>(Access->getMemberDecl()));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *Made) {
    const CXXConstructorDecl *Constructor = Made->getConstructor();
    call(Constructor);
    // Whoever has a pointer to the object can call these.
    for (const CXXMethodDecl *Each : Constructor->getParent()->methods())
      if (Each->isVirtual())
        call(Each);
    return true;
  }
  bool VisitCXXDeleteExpr(CXXDeleteExpr *Delete) {
    destroy(Delete->getDestroyedType());
    return true;
  }
  bool VisitCXXBindTemporaryExpr(CXXBindTemporaryExpr *Made) {
    call(Made->getTemporary()->getDestructor());
    return true;
  }
  bool VisitVarDecl(VarDecl *Variable) {
    if (!isa<ParmVarDecl>(Variable))
      destroy(Variable->getType());
    return true;
  }
  bool VisitCXXDestructorDecl(CXXDestructorDecl *Destructor) {
    destroyParts(Destructor->getParent());
    return true;
  }

private:
  void call(const FunctionDecl *Function);
  void destroy(QualType Type) {
    if (Type.isNull() || Type->isDependentType())
      return;
    if (const CXXRecordDecl *Class = Context.getBaseElementType(Type)->getAsCXXRecordDecl();
        Class && Class->hasDefinition())
      call(Class->getDestructor());
  }
  void destroyParts(const CXXRecordDecl *Class) {
    for (const CXXBaseSpecifier &Base : Class->bases())
      destroy(Base.getType());
    for (const FieldDecl *Field : Class->fields())
      destroy(Field->getType());
  }

  const Unit &Parsed;
  const SourceManager &Sources;
  ASTContext &Context;
  Toolkit &Cudas;
  llvm::DenseSet<const FunctionDecl *> Seen;
  std::vector<const FunctionDecl *> Next;
  bool InReached = false;
  std::vector<SourceLocation> Found;
};

void ReachFinder::call(const FunctionDecl *Function) {
  if (!Function || !Seen.insert(Function->getCanonicalDecl()).second)
    return;
  if (const auto *Destructor = dyn_cast<CXXDestructorDecl>(Function))
    destroyParts(Destructor->getParent());
  const FunctionDecl *Definition = nullptr;
  if (Function->isDefined(Definition) && isForeign(Parsed, Cudas, Definition->getLocation()))
    Next.push_back(Definition);
}

std::vector<SourceLocation> ReachFinder::find() {
  for (Decl *Top : Parsed.topLevel(Context))
    if (Parsed.mayHoldCode(Top) && !Cudas.holds(Top->getLocation()))
      TraverseDecl(Top);
  InReached = true;
  while (!Next.empty()) {
    const FunctionDecl *Function = Next.back();
    Next.pop_back();
    TraverseDecl(const_cast<FunctionDecl *>(Function)); // the walk does not modify it
  }
  llvm::sort(Found);
  Found.erase(std::unique(Found.begin(), Found.end()), Found.end());
  return std::move(Found);
}

} // namespace

bool changesAreMentioned(const Unit &Parsed, Toolkit &Cudas,
                         llvm::ArrayRef<std::string> Mentioning) {
  const SourceManager &Sources = Parsed.sources();
  if (llvm::any_of(Mentioning, [&](const std::string &Each) { return !Cudas.declares(Each); }))
    return true;
  for (unsigned I = 1; I < Sources.local_sloc_entry_size(); ++I) {
    const SrcMgr::SLocEntry &Entry = Sources.getLocalSLocEntry(I);
    if (!Entry.isFile())
      continue;
    const SourceLocation Begin = SourceLocation::getFromRawEncoding(Entry.getOffset());
    if (!isForeign(Parsed, Cudas, Begin) || Cudas.declares(Begin))
      continue;
    const auto Text = Sources.getBufferDataOrNone(Sources.getFileID(Begin));
    if (Text && !mentionedChange(*Text).empty())
      return true;
  }
  return false;
}

std::vector<SourceLocation> reachedChanges(const Unit &Parsed, ASTContext &Context,
                                           Toolkit &Cudas) {
  return ReachFinder(Parsed, Context, Cudas).find();
}

} // namespace graphprof::instrument
