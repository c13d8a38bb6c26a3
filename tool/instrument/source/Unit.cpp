// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/Unit.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace graphprof::instrument {

Unit::Unit(const SourceManager &Sources, const LangOptions &Language, const UnitTokens &Tokens,
           llvm::function_ref<bool(llvm::StringRef)> Chosen)
    : Sources(Sources), Language(Language), Tokens(Tokens) {
  const auto Add = [&](FileID Id) {
    Files.push_back(std::make_unique<File>(
        File{{Sources, Language, Tokens, Index, Id}, /*Known=*/{}, /*Next=*/{}, /*Kernels=*/{}}));
    ById[Id] = Files.back().get();
  };
  Add(Sources.getMainFileID());
  for (unsigned I = 1; I < Sources.local_sloc_entry_size(); ++I) {
    const SrcMgr::SLocEntry &Entry = Sources.getLocalSLocEntry(I);
    if (!Entry.isFile())
      continue;
    const FileID Id = Sources.getFileID(SourceLocation::getFromRawEncoding(Entry.getOffset()));
    if (Tokens.isForeign(Id))
      continue;
    const OptionalFileEntryRef Header = Sources.getFileEntryRefForID(Id);
    if (Header && Id != Sources.getMainFileID() && Chosen(Header->getName()))
      Add(Id);
  }
}

bool Unit::counts(const File &In, TextRange Part) const {
  return llvm::any_of(Tokens.counters(), [&](SourceLocation Each) {
    return fileAt(Each) == &In && Part.contains(In.Source.offsetOf(Each));
  });
}

Unit::File *Unit::fileAt(SourceLocation Location) const {
  return Location.isValid() ? fileOf(Sources.getFileID(Sources.getExpansionLoc(Location)))
                            : nullptr;
}

Unit::File *Unit::fileOf(FileID Id) const { return ById.lookup(Id); }

void Unit::addFileOnlyRead(FileID Id) {
  File *&Added = OnlyReadById[Id];
  if (Added)
    return;
  OnlyRead.push_back(std::make_unique<File>(
      File{{Sources, Language, Tokens, Index, Id}, /*Known=*/{}, /*Next=*/{}, /*Kernels=*/{}}));
  Added = OnlyRead.back().get();
}

Unit::File *Unit::fileReadAt(SourceLocation Location) const {
  if (File *Rewritten = fileAt(Location))
    return Rewritten;
  return Location.isValid()
             ? OnlyReadById.lookup(Sources.getFileID(Sources.getExpansionLoc(Location)))
             : nullptr;
}

const SourceText &Unit::bodyOf(const SourceText &Use, FileID Expansion) {
  std::unique_ptr<MacroText> &Body = Bodies[Expansion];
  if (!Body)
    Body = std::make_unique<MacroText>(Use, Expansion);
  return *Body;
}

DeclContext::decl_range Unit::topLevel(ASTContext &Context) {
  return Context.getTranslationUnitDecl()->noload_decls();
}

bool Unit::mayHoldCode(const Decl *Top) const {
  return !Sources.isInSystemHeader(Top->getLocation()) || fileAt(Top->getLocation()) ||
         fileAt(Top->getBeginLoc());
}

void Unit::indexTokens() {
  if (!Index.empty())
    return;
  const auto Expanded = expanded();
  FileID Last;
  bool Ours = false;
  for (size_t I = 0; I < Expanded.size(); ++I) {
    const SourceLocation Location = Expanded[I].location();
    if (const FileID Id = Sources.getFileID(Sources.getExpansionLoc(Location)); Id != Last) {
      Last = Id;
      Ours = fileOf(Id) || OnlyReadById.lookup(Id);
    }
    if (Ours)
      Index.try_emplace(Location, I);
  }
}

} // namespace graphprof::instrument
