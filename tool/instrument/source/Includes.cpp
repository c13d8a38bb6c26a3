// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/Includes.h"

#include "nvcc/Paths.h"

#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

namespace path = llvm::sys::path;

class IncludeRecorder : public PPCallbacks {
public:
  IncludeRecorder(const Preprocessor &PP, const UnitTokens &Tokens, IncludeGraph &Into)
      : Files(PP.getFileManager()), Sources(PP.getSourceManager()), Language(PP.getLangOpts()),
        Tokens(Tokens), Into(Into) {
    const HeaderSearch &Search = PP.getHeaderSearchInfo();
    const auto Add = [&](const DirectoryLookup &Each, std::vector<std::string> &To) {
      if (Each.isNormalDir() && Each.getDirCharacteristic() == SrcMgr::C_User)
        To.push_back(pathOf(Files, Each.getName()));
    };
    for (auto Each = Search.quoted_dir_begin(); Each != Search.quoted_dir_end(); ++Each)
      Add(*Each, Into.QuotePath);
    for (auto Each = Search.angled_dir_begin(); Each != Search.angled_dir_end(); ++Each)
      Add(*Each, Into.SearchPath);
  }

  void InclusionDirective(SourceLocation HashLoc, const Token &Name, llvm::StringRef Given,
                          bool IsAngled, CharSourceRange Spelled, OptionalFileEntryRef Found,
                          llvm::StringRef SearchPath, llvm::StringRef, const clang::Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    if (!Found || Tokens.isForeign(Sources.getFileID(HashLoc)))
      return;
    const bool Next = Name.getIdentifierInfo()->getName() == "include_next";
    if (Next || path::is_absolute(Given) || nvcc::goesUp(Given))
      addDirective({Next ? Name.getLocation() : Spelled.getBegin(), Spelled.getEnd()},
                   {.In = {},
                    .Text = {},
                    .Given = Given.str(),
                    .To = pathOf(Files, Found->getName()),
                    .Next = Next,
                    .IsAngled = IsAngled});
    if (Tokens.leadsOut(HashLoc, SearchPath, IsAngled))
      return;
    // A header that the command line forces in has no including file. The source takes its place.
    FileID By = Sources.getFileID(HashLoc);
    if (!Sources.getFileEntryRefForID(By)) {
      By = Sources.getMainFileID();
      Into.ForcedIn.push_back({Given.str(), add(*Found)});
    }
    const OptionalFileEntryRef From = Sources.getFileEntryRefForID(By);
    if (!From)
      return;
    const std::string Includer = add(*From);
    const bool Beside = !IsAngled && pathOf(Files, SearchPath) == path::parent_path(Includer);
    Into.Edges.push_back({Includer, add(*Found), Beside});
  }

private:
  void addDirective(SourceRange Spelled, IncludeGraph::Directive Read) {
    const FileID In = Sources.getFileID(Sources.getExpansionLoc(Spelled.getBegin()));
    const OptionalFileEntryRef File = Sources.getFileEntryRefForID(In);
    if (!File) // the command line's
      return;
    const CharSourceRange Text = Sources.getExpansionRange(Spelled);
    Read.In = pathOf(Files, File->getName());
    Read.Text = {Sources.getFileOffset(Text.getBegin()), Sources.getFileOffset(Text.getEnd())};
    if (Spelled.getEnd().isMacroID()) // a macro's name
      Read.Text.End += Lexer::MeasureTokenLength(Text.getEnd(), Sources, Language);
    if (Read.Text.Begin < Read.Text.End)
      Into.Directives.push_back(std::move(Read));
  }

  std::string add(FileEntryRef File) {
    std::string Path = pathOf(Files, File.getName());
    const auto [At, New] = Into.Files.try_emplace(Path);
    if (New) {
      // Clang writes `./` before a header that it finds beside the source. Other compilers do not.
      llvm::StringRef Name = File.getName();
      while (Name.consume_front("./"))
        Name = Name.ltrim('/');
      At->second = {Name.str(), File.getFileEntry().tryGetRealPathName().str(),
                    !Language.CPlusPlus};
      if (At->second.Real.empty())
        At->second.Real = Path;
    }
    return Path;
  }

  const FileManager &Files;
  const SourceManager &Sources;
  const LangOptions &Language;
  const UnitTokens &Tokens;
  IncludeGraph &Into;
};

class HiddenFinder : public PPCallbacks {
public:
  HiddenFinder(const Preprocessor &PP, const HeaderFacts &Before, std::string &Hidden)
      : Files(PP.getFileManager()), Sources(PP.getSourceManager()), Before(Before), Hidden(Hidden) {
  }

  void InclusionDirective(SourceLocation, const Token &, llvm::StringRef Given, bool IsAngled,
                          CharSourceRange, OptionalFileEntryRef Found, llvm::StringRef,
                          llvm::StringRef, const clang::Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    if (Found && IsAngled)
      Angled.try_emplace(Given, &Found->getFileEntry());
  }

  void EndOfMainFile() override {
    const OptionalFileEntryRef Source = Sources.getFileEntryRefForID(Sources.getMainFileID());
    if (!Source)
      return;
    const std::string Directory = path::parent_path(pathOf(Files, Source->getName())).str();
    llvm::StringSet<> Beside; // few, while there are many names to look up
    std::error_code Code;
    for (auto Each = Files.getVirtualFileSystem().dir_begin(Directory, Code);
         !Code && Each != llvm::vfs::directory_iterator(); Each.increment(Code))
      Beside.insert(path::filename(Each->path()));
    const auto Check = [&](llvm::StringRef Name, llvm::function_ref<const FileEntry *()> Found) {
      if (!Beside.contains(*path::begin(Name)) || (!Hidden.empty() && Hidden < Name))
        return;
      const auto Other = Files.getOptionalFileRef(Directory + "/" + Name.str());
      if (Other && &Other->getFileEntry() != Found())
        Hidden = Name;
    };
    for (const auto &[Name, Found] : Angled)
      Check(Name, [Found = Found] { return Found; });
    for (const HeaderFacts::Include &Each : Before.Includes)
      if (Each.IsAngled && !Angled.contains(Each.Name))
        Check(Each.Name, [&]() -> const FileEntry * {
          const auto Found = Files.getOptionalFileRef(Each.Found);
          return Found ? &Found->getFileEntry() : nullptr;
        });
  }

private:
  FileManager &Files;
  const SourceManager &Sources;
  llvm::StringMap<const FileEntry *> Angled;
  const HeaderFacts &Before;
  std::string &Hidden;
};

} // namespace

void IncludeGraph::merge(IncludeGraph Other) {
  for (auto &Each : Other.Files) {
    const bool InC = Each.second.InC;
    Files.try_emplace(Each.getKey(), std::move(Each.second)).first->second.InC |= InC;
  }
  Edges.insert(Edges.end(), std::make_move_iterator(Other.Edges.begin()),
               std::make_move_iterator(Other.Edges.end()));
  const auto Less = [](const Edge &A, const Edge &B) {
    return std::tie(A.From, A.To, A.Beside) < std::tie(B.From, B.To, B.Beside);
  };
  llvm::sort(Edges, Less);
  Edges.erase(std::unique(Edges.begin(), Edges.end(),
                          [&](const Edge &A, const Edge &B) { return !Less(A, B) && !Less(B, A); }),
              Edges.end());
  for (Forced &Each : Other.ForcedIn)
    if (llvm::none_of(ForcedIn, [&](const Forced &Known) {
          return Known.Given == Each.Given && Known.To == Each.To;
        }))
      ForcedIn.push_back(std::move(Each));
  for (Directive &Each : Other.Directives) {
    const auto Known = llvm::find_if(Directives, [&](const Directive &Other) {
      return Other.In == Each.In && Other.Text.Begin == Each.Text.Begin;
    });
    if (Known == Directives.end())
      Directives.push_back(std::move(Each));
    else if (Known->To != Each.To && !Known->Next)
      Known->To.clear();
  }
  const auto Add = [](std::vector<std::string> &To, std::vector<std::string> &From) {
    for (std::string &Directory : From)
      if (!llvm::is_contained(To, Directory))
        To.push_back(std::move(Directory));
  };
  Add(SearchPath, Other.SearchPath);
  Add(QuotePath, Other.QuotePath);
}

std::string pathOf(const FileManager &Files, llvm::StringRef Name) {
  llvm::SmallString<256> Path(Name);
  Files.makeAbsolutePath(Path);
  llvm::vfs::FileSystem &System = Files.getVirtualFileSystem();
  llvm::SmallString<256> Real, RealOfPath;
  const bool Exists = nvcc::goesUp(Path) && !System.getRealPath(Path, Real);
  path::remove_dots(Path, /*remove_dot_dot=*/true);
  if (Exists && (System.getRealPath(Path, RealOfPath) || Real != RealOfPath))
    return Real.str().str();
  return Path.str().str();
}

std::unique_ptr<PPCallbacks> recordIncludes(const Preprocessor &PP, const UnitTokens &Tokens,
                                            IncludeGraph &Into) {
  return std::make_unique<IncludeRecorder>(PP, Tokens, Into);
}

std::unique_ptr<PPCallbacks> findHidden(const Preprocessor &PP, const HeaderFacts &Before,
                                        std::string &Name) {
  return std::make_unique<HiddenFinder>(PP, Before, Name);
}

} // namespace graphprof::instrument
