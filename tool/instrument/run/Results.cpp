// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Results.h"

#include "facts/GraphFunctions.h"
#include "plan/Needs.h"
#include "run/Outputs.h"

#include "nvcc/Paths.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

namespace graphprof::instrument {
namespace {

namespace fs = llvm::sys::fs;
using nvcc::absolute;
using nvcc::realPath;

/// A path relative to the working directory, if it is below.
std::string relativePath(llvm::StringRef Path) {
  llvm::SmallString<256> Here;
  llvm::StringRef Below = Path;
  if (fs::current_path(Here) || !Below.consume_front(Here))
    return Path.str();
  return Below.empty() ? "." : Below.consume_front("/") ? Below.str() : Path.str();
}

/// The lines in front of a file that is compiled as the first of a unit.
Edit preambleOfForced(const FileResult &Header,
                      const std::map<std::string, FileResult> &Rewritten) {
  Needs Needed;
  for (const auto &[Path, Each] : Rewritten)
    Needed.add(Each.Made);
  const std::vector<std::string> &Names = Header.Made.Names;
  return preamble(Header.Before, Header.Name, Needed.headers(/*InC=*/false, !Names.empty()), Names);
}

/// The lines in front of a header that is rewritten in place. Sources of other runs include it,
/// too.
Edit preambleOfItsOwn(const FileResult &Header) {
  const std::vector<std::string> &Names = Header.Made.Names;
  Needs Needed;
  Needed.add(Header.Made);
  return Needed.any() ? preamble(Header.Before, Header.Name,
                                 Needed.headers(/*InC=*/false, !Names.empty()), Names)
                      : Edit();
}

/// The lines in front of a header's copy, which is included after the runtime's header.
Edit lineOf(const FileResult &Header) {
  const std::vector<std::string> &Names = Header.Made.Names;
  return Names.empty() ? lineEdit(Header.Before, Header.Name)
                       : preamble(Header.Before, Header.Name, RuntimeHeader::Named, Names);
}

} // namespace

std::string Results::copyOf(llvm::StringRef Path) const {
  return outputPath(Path, Asked.OutDir, Asked.Root);
}

FileResult Results::ofProblem(const Job &Next) const {
  FileResult Result;
  Result.Name = Next.Given;
  Result.Source = absolute(Next.Given);
  Result.Real = Next.Real;
  if (const auto Text = llvm::MemoryBuffer::getFile(Next.Real))
    Result.ChangesGraphs = !mentionedChange((*Text)->getBuffer()).empty();
  Result.fail(Next.Problem);
  return Result;
}

FileResult Results::ofSource(const Job &Next, Outcome Unit) {
  FileResult Result = std::move(Unit.Source);
  Result.Name = Next.Given;
  Result.Source = absolute(Next.Given);
  Result.Real = Next.Real;
  Result.Output = Next.Output;
  const std::vector<Diagnosis> OfUnit = std::exchange(Result.Diagnoses, {});
  if (!Next.Remark.empty())
    Result.Diagnoses.push_back(Diagnosis::ofTool(Severity::Warning, Next.Remark));
  for (const Diagnosis &Each : OfUnit) {
    const std::string What = Each.Path + ":" + std::to_string(Each.Line) + ":" +
                             std::to_string(Each.Column) + ":" + Each.Message;
    if (!Each.Elsewhere || Reported.insert(What).second)
      Result.Diagnoses.push_back(Each);
  }
  Chosen.add(Unit);
  return Result;
}

bool Results::isForcedIn(llvm::StringRef Real) const {
  const IncludeGraph &Includes = Chosen.includes();
  return llvm::any_of(Includes.ForcedIn, [&](const IncludeGraph::Forced &Each) {
    return Includes.Files.find(Each.To)->second.Real == Real;
  });
}

std::vector<FileResult> Results::ofHeaders(llvm::ArrayRef<Job> Sources) {
  const auto Rewritten = Chosen.rewrite();
  // A source may include another one. That one is handled as a source.
  const auto IsSource = [&](llvm::StringRef Path) {
    return llvm::any_of(Sources, [&](const Job &Each) { return Each.Real == Path; });
  };
  std::vector<FileResult> All;
  for (const auto &[Path, Header] : Rewritten)
    if (Header.Status == FileStatus::Failed || (Asked.InPlace && !IsSource(Path))) {
      All.push_back(Header);
      if (Header.Status != FileStatus::Failed)
        All.back().putInFront(isForcedIn(Path) ? preambleOfForced(Header, Rewritten)
                                               : preambleOfItsOwn(Header));
    }
  if (!Asked.InPlace)
    mirrorHeaders(Rewritten, Sources, All);
  return All;
}

void Results::mirrorHeaders(const std::map<std::string, FileResult> &Rewritten,
                            llvm::ArrayRef<Job> Sources, std::vector<FileResult> &Into) {
  const IncludeGraph &Includes = Chosen.includes();
  llvm::StringSet<> Changed;
  llvm::StringSet<> AlreadyThere;
  for (const auto &[Path, Header] : Rewritten)
    if (Header.Status != FileStatus::Failed)
      Changed.insert(Path);
  for (const Job &Each : Sources)
    AlreadyThere.insert(Each.Real);

  const auto Mirrored = mirror(Includes, Changed, AlreadyThere);
  for (const MirroredFile &Each : Mirrored) {
    const IncludeGraph::File &File = Includes.Files.find(Each.Path)->second;
    FileResult Result;
    if (Each.LinkTo.empty() && Changed.contains(File.Real)) {
      Result = Rewritten.at(File.Real);
    } else {
      Result.IsHeader = true;
      Result.Name = File.Name;
      Result.Real = File.Real;
      Result.Status = FileStatus::Copied;
    }
    Result.Source = Each.Path;
    Result.Output = copyOf(Each.Path);
    if (!Each.LinkTo.empty()) {
      Result.LinkTo = copyOf(Each.LinkTo);
    } else {
      if (Result.Status == FileStatus::Copied) {
        if (const auto Original = llvm::MemoryBuffer::getFile(Each.Path))
          Result.After = Result.Before = (*Original)->getBuffer();
        else
          Result.fail("'" + Each.Path + "': " + Original.getError().message());
      }
      Result.putInFront(isForcedIn(File.Real) ? preambleOfForced(Result, Rewritten)
                                              : lineOf(Result));
    }
    Into.push_back(std::move(Result));
  }
  for (const IncludeGraph::Forced &Each : Includes.ForcedIn)
    if (llvm::any_of(Mirrored, [&](const MirroredFile &File) { return File.Path == Each.To; }))
      Forced.push_back({Each.Given, copyOf(Each.To)});
  const auto Search = [&](llvm::ArrayRef<std::string> Path, std::vector<std::string> &First) {
    for (const SearchDirectory &Each : searchFirst(Path, Mirrored))
      First.push_back(Each.OfCopies ? copyOf(Each.Path) : relativePath(Each.Path));
  };
  Search(Includes.SearchPath, Directories);
  Search(Includes.QuotePath, QuoteDirectories);
}

void Results::followDirectives(std::vector<FileResult> &Sources,
                               std::vector<FileResult> &Headers) const {
  if (Asked.InPlace || Chosen.includes().Directives.empty())
    return;
  std::map<std::string, std::string> CopyOf; // by real path
  llvm::StringSet<> Linked;
  for (auto *Files : {&Sources, &Headers})
    for (const FileResult &Each : *Files)
      if (!Each.LinkTo.empty())
        Linked.insert(Each.LinkTo);
      else if (Each.Status != FileStatus::Failed && Each.Output != "-")
        CopyOf.emplace(Each.Real, absolute(Each.Output));
  for (auto *Files : {&Sources, &Headers})
    for (FileResult &Each : *Files)
      if (Each.Status != FileStatus::Failed && Each.LinkTo.empty())
        follow(Each, CopyOf, Linked.contains(Each.Output));
}

std::string Results::nameForCopy(const IncludeGraph::Directive &Each, const FileResult &In,
                                 const std::string &Copy, bool IsLinked) const {
  if (Each.Next)
    return "include " + quoted(Copy.empty() ? Each.To : Copy);
  if (Each.To.empty() || In.Output == "-")
    return {};
  const std::string Output = absolute(In.Output);
  const llvm::StringRef Directory = llvm::sys::path::parent_path(Output);
  if (Copy.empty()) {
    // Beside the copy the same words may mean another file.
    const std::string Beside = (Directory + "/" + Each.Given).str();
    return Each.IsAngled || llvm::sys::path::is_absolute(Each.Given) || !fs::exists(Beside) ||
                   realPath(Beside) == realPath(Each.To)
               ? std::string()
               : quoted(Each.To);
  }
  // A copy with links to it is included from several directories.
  return quoted(
      llvm::sys::path::is_absolute(Each.Given) || IsLinked ? Copy : pathBetween(Directory, Copy));
}

void Results::follow(FileResult &File, const std::map<std::string, std::string> &CopyOf,
                     bool IsLinked) const {
  const IncludeGraph &Includes = Chosen.includes();
  const auto RealOf = [&](const std::string &Path) {
    const auto Found = Includes.Files.find(Path);
    return Found == Includes.Files.end() ? realPath(Path) : Found->second.Real;
  };
  std::map<unsigned, Edit> Names; // a file with several paths has each of its directives for each
  std::set<unsigned> Ambiguous;
  for (const IncludeGraph::Directive &Each : Includes.Directives) {
    if (RealOf(Each.In) != File.Real)
      continue;
    const auto Copy = Each.To.empty() ? CopyOf.end() : CopyOf.find(RealOf(Each.To));
    const std::string Name =
        nameForCopy(Each, File, Copy == CopyOf.end() ? "" : Copy->second, IsLinked);
    const auto [Known, IsNew] = Names.try_emplace(Each.Text.Begin, Edit{Each.Text, Name});
    if (!IsNew && Known->second.Text != Name)
      Ambiguous.insert(Each.Text.Begin);
  }
  std::vector<Edit> &Edits = File.Made.Edits;
  const size_t Before = Edits.size();
  for (const auto &[Begin, Name] : Names)
    if (!Name.Text.empty() && !Ambiguous.contains(Begin))
      Edits.push_back(Name);
  if (Edits.size() > Before)
    File.After = rewritten(File.Before, Edits);
}

} // namespace graphprof::instrument
