// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Results.h"

#include "facts/GraphFunctions.h"
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

void addProblem(FileResult &To, std::string Message) {
  To.Status = FileStatus::Failed;
  To.Diagnoses.push_back(Diagnosis::ofTool(Severity::Error, std::move(Message)));
}

/// The lines in front of a file that is compiled as the first of a unit.
Edit preambleOfForced(const FileResult &Header, llvm::ArrayRef<std::string> Names,
                      const std::map<std::string, Headers::Rewritten> &Rewritten) {
  llvm::SmallVector<RuntimeHeader, 2> Needed{RuntimeHeader::Cuda};
  if (llvm::any_of(Rewritten, [](const auto &Each) { return Each.second.Made.CallsDriver; }))
    Needed.push_back(RuntimeHeader::CudaDriver);
  if (llvm::any_of(Rewritten, [](const auto &Each) { return Each.second.Made.Did.Twins > 0; }))
    Needed.push_back(RuntimeHeader::Twin);
  if (!Names.empty())
    Needed.push_back(RuntimeHeader::Named);
  return preamble(Header.Before, Header.Name, Needed, Names);
}

/// The lines in front of a header that is rewritten in place. Sources of other runs include it,
/// too.
Edit preambleOfItsOwn(const FileResult &Header, const Plan &Made) {
  if (!Made.needsRuntime())
    return {};
  llvm::SmallVector<RuntimeHeader, 2> Needed{RuntimeHeader::Cuda};
  if (Made.CallsDriver)
    Needed.push_back(RuntimeHeader::CudaDriver);
  if (Made.Did.Twins > 0)
    Needed.push_back(RuntimeHeader::Twin);
  if (!Made.Names.empty())
    Needed.push_back(RuntimeHeader::Named);
  return preamble(Header.Before, Header.Name, Needed, Made.Names);
}

/// The lines in front of a header's copy, which is included after the runtime's header.
Edit lineOf(const FileResult &Header, llvm::ArrayRef<std::string> Names) {
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
  addProblem(Result, Next.Problem);
  return Result;
}

FileResult Results::ofSource(const Job &Next, Outcome Unit) {
  FileResult Result;
  Result.Status = Unit.Done ? FileStatus::Instrumented : FileStatus::Failed;
  Result.Name = Next.Given;
  Result.Source = absolute(Next.Given);
  Result.Real = Next.Real;
  Result.Output = Next.Output;
  Result.Before = std::move(Unit.Before);
  Result.After = std::move(Unit.Text);
  Result.Edits = std::move(Unit.Edits);
  Result.Sites = std::move(Unit.Sites);
  Result.Calls = std::move(Unit.Calls);
  Result.Did = Unit.Did;
  Result.Warnings = Unit.Warnings;
  Result.ParseErrors = Unit.ParseErrors;
  Result.Headed = std::move(Unit.Headed);
  Result.Hidden = std::move(Unit.Hidden);
  Result.ChangesGraphs = Unit.ChangesGraphs;
  Result.AnnotationErrors = Unit.AnnotationErrors;
  if (!Next.Remark.empty())
    Result.Diagnoses.push_back(Diagnosis::ofTool(Severity::Warning, Next.Remark));
  for (Diagnosis &Each : Unit.Diagnoses) {
    const std::string What = Each.Path + ":" + std::to_string(Each.Line) + ":" +
                             std::to_string(Each.Column) + ":" + Each.Message;
    if (!Each.Elsewhere || Reported.insert(What).second)
      Result.Diagnoses.push_back(std::move(Each));
  }
  Chosen.add(Unit);
  return Result;
}

FileResult Results::ofHeader(llvm::StringRef Path, const Headers::Rewritten &Header) {
  FileResult Result;
  Result.IsHeader = true;
  Result.Name = Header.Name;
  Result.Source = Path;
  Result.Real = Path;
  Result.Output = Path;
  Result.Status = Header.Failed ? FileStatus::Failed : FileStatus::Instrumented;
  Result.Before = Header.Before;
  Result.ChangesGraphs = Header.ChangesGraphs;
  if (Header.Failed) {
    if (!Header.Problem.empty())
      addProblem(Result, Header.Name + ": " + Header.Problem);
    return Result;
  }
  for (const std::string &Each : Header.Warnings)
    Result.Diagnoses.push_back(Diagnosis::ofTool(Severity::Warning, Header.Name + ":" + Each));
  Result.Warnings = static_cast<unsigned>(Header.Warnings.size());
  Result.After = Header.Text;
  Result.Edits = Header.Made.Edits;
  Result.Sites = Header.Made.Sites;
  Result.Calls = Header.Made.Calls;
  Result.Did = Header.Made.Did;
  return Result;
}

void Results::putInFront(FileResult &Header, Edit Lines) const {
  Header.After.insert(Lines.Range.Begin, Lines.Text);
  if (!Lines.Text.empty())
    Header.Edits.push_back(std::move(Lines));
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
    if (Header.Failed || (Asked.InPlace && !IsSource(Path))) {
      All.push_back(ofHeader(Path, Header));
      if (!Header.Failed && isForcedIn(Path))
        putInFront(All.back(), preambleOfForced(All.back(), Header.Made.Names, Rewritten));
      else if (!Header.Failed)
        putInFront(All.back(), preambleOfItsOwn(All.back(), Header.Made));
    }
  if (!Asked.InPlace)
    mirrorHeaders(Rewritten, Sources, All);
  return All;
}

void Results::mirrorHeaders(const std::map<std::string, Headers::Rewritten> &Rewritten,
                            llvm::ArrayRef<Job> Sources, std::vector<FileResult> &Into) {
  const IncludeGraph &Includes = Chosen.includes();
  llvm::StringSet<> Changed;
  llvm::StringSet<> AlreadyThere;
  for (const auto &[Path, Header] : Rewritten)
    if (!Header.Failed)
      Changed.insert(Path);
  for (const Job &Each : Sources)
    AlreadyThere.insert(Each.Real);

  const auto Mirrored = mirror(Includes, Changed, AlreadyThere);
  for (const MirroredFile &Each : Mirrored) {
    const IncludeGraph::File &File = Includes.Files.find(Each.Path)->second;
    FileResult Result;
    llvm::ArrayRef<std::string> Names;
    if (const auto Done = Rewritten.find(File.Real);
        Done != Rewritten.end() && !Done->second.Failed && Each.LinkTo.empty()) {
      Result = ofHeader(Each.Path, Done->second);
      Result.Real = File.Real;
      Names = Done->second.Made.Names;
    } else {
      Result.IsHeader = true;
      Result.Name = File.Name;
      Result.Source = Each.Path;
      Result.Real = File.Real;
      Result.Status = FileStatus::Copied;
    }
    Result.Output = copyOf(Each.Path);
    if (!Each.LinkTo.empty()) {
      Result.LinkTo = copyOf(Each.LinkTo);
    } else {
      if (Result.Status == FileStatus::Copied) {
        if (const auto Original = llvm::MemoryBuffer::getFile(Each.Path))
          Result.After = Result.Before = (*Original)->getBuffer();
        else
          addProblem(Result, "'" + Each.Path + "': " + Original.getError().message());
      }
      putInFront(Result, isForcedIn(File.Real) ? preambleOfForced(Result, Names, Rewritten)
                                               : lineOf(Result, Names));
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
  const size_t Before = File.Edits.size();
  for (const auto &[Begin, Name] : Names)
    if (!Name.Text.empty() && !Ambiguous.contains(Begin))
      File.Edits.push_back(Name);
  if (File.Edits.size() > Before)
    File.After = rewritten(File.Before, File.Edits);
}

} // namespace graphprof::instrument
