// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Jobs.h"

#include "nvcc/Command.h"
#include "run/Inputs.h"
#include "run/Outputs.h"

#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace graphprof::instrument {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
using clang::tooling::CompileCommand;
using clang::tooling::JSONCompilationDatabase;

/// Empty: there is no such file.
std::string realPathOf(llvm::StringRef Path) {
  llvm::SmallString<256> Real;
  return fs::real_path(Path, Real) ? std::string() : Real.str().str();
}

std::string outputOf(const Options &Asked, llvm::StringRef Source) {
  if (Asked.InPlace)
    return Source.str();
  if (!Asked.OutFile.empty())
    return Asked.OutFile;
  return outputPath(Source, Asked.OutDir, Asked.Root);
}

/// Checks that no output on the command line is one of its inputs, and reports it otherwise. What
/// the sources include is not known yet.
bool checkOutputs(const Options &Asked, llvm::ArrayRef<Job> Jobs) {
  Inputs Read;
  for (const Job &Each : Jobs)
    Read.add(Each.Given);
  if (!Asked.Database.empty())
    Read.add(Asked.Database);
  for (const Job &Each : Jobs)
    if (const std::string Lost = Asked.InPlace ? "" : Read.at(Each.Output); !Lost.empty()) {
      complain() << "'" << Lost << "' would be overwritten";
      if (Lost != Each.Given)
        llvm::errs() << " by the copy of '" << Each.Given << "'";
      if (Lost != Each.Output)
        llvm::errs() << ": '" << Each.Output << "' is the same file";
      llvm::errs() << "; use -i to rewrite sources in place\n";
      return false;
    }
  for (const std::string &Each : {Asked.Report, Asked.Fixes})
    if (const std::string Lost = Read.at(Each); !Lost.empty()) {
      complain() << "'" << Lost << "' would be overwritten by the output '" << Each
                 << "'; name another file\n";
      return false;
    }
  return true;
}

/// The sources on the command line, each once.
std::optional<std::vector<Job>> listSources(const Options &Asked,
                                            llvm::ArrayRef<std::string> Sources) {
  std::vector<Job> Jobs;
  llvm::StringSet<> Seen;
  llvm::StringMap<std::string> Outputs;
  for (const std::string &Source : Sources) {
    Job Next;
    Next.Given = Source;
    Next.Real = realPathOf(Source);
    Next.Output = outputOf(Asked, Source);
    if (Next.Real.empty() || fs::is_directory(Next.Real)) {
      complain() << "no such file: '" << Source << "'\n";
      return std::nullopt;
    }
    if (!Seen.insert(Next.Real).second)
      continue;
    if (!Asked.OutFile.empty() && !Jobs.empty()) {
      complain() << "-o is for one source; use --out-dir for several\n";
      return std::nullopt;
    }
    if (const auto [Other, New] = Outputs.try_emplace(Next.Output, Source);
        !New && Next.Output != "-") {
      complain() << "'" << Source << "' and '" << Other->second << "' would both become '"
                 << Next.Output << "'\n";
      return std::nullopt;
    }
    Jobs.push_back(std::move(Next));
  }
  if (!checkOutputs(Asked, Jobs))
    return std::nullopt;
  return Jobs;
}

/// Inserts flags behind the compiler's name, which may follow a launcher's.
void addInFront(std::vector<std::string> &Command, llvm::ArrayRef<std::string> Flags) {
  const auto Compiler = llvm::find_if(
      Command, [](llvm::StringRef Word) { return nvcc::compilerOf(Word).has_value(); });
  Command.insert(Compiler == Command.end() ? Command.begin() : Compiler + 1, Flags.begin(),
                 Flags.end());
}

llvm::Expected<ClangCommand> parseCommand(const Job &Next, const Options &Asked,
                                          const CompileCommand *Recorded) {
  CompileFlags Flags = Asked.Compile;
  if (Recorded) {
    Flags.Recorded = Recorded->CommandLine;
    Flags.Directory = Recorded->Directory;
  }
  addInFront(Recorded ? Flags.Recorded : Flags.Flags, Asked.ExtraBefore);
  Flags.Flags.insert(Flags.Flags.end(), Asked.Extra.begin(), Asked.Extra.end());
  // In a database's directory, the path as given could mean another file.
  return clangCommand(Recorded ? Next.Real : Next.Given, Flags);
}

void take(Job &Next, ClangCommand Command) {
  Next.Command = std::move(Command.Words);
  if (!Command.Ignored.empty())
    Next.Remark = Next.Given + ": graphprof ignores '" + llvm::join(Command.Ignored, "', '") +
                  "', since it knows the flags of nvcc 13.0 and of clang";
}

/// Takes the first command that the database has for the source.
void addRecordedCommand(Job &Next, const Options &Asked, const JSONCompilationDatabase &Database) {
  const auto Commands = Database.getCompileCommands(Next.Real);
  if (Commands.empty()) {
    Next.Problem = "'" + Next.Given + "' is not in '" + Asked.Database +
                   "'; add it to the build, or give its compile flags behind '--' instead of -p";
    return;
  }
  Next.Directory = Commands.front().Directory;
  if (!fs::is_directory(Next.Directory)) {
    Next.Problem = "'" + Next.Given + "' is compiled in '" + Next.Directory + "', says '" +
                   Asked.Database + "', but there is no such directory; configure the build again";
    return;
  }
  auto Command = parseCommand(Next, Asked, &Commands.front());
  if (!Command) {
    Next.Problem = Next.Given + ": " + llvm::toString(Command.takeError());
    return;
  }
  take(Next, std::move(*Command));
  for (const CompileCommand &Each : llvm::ArrayRef(Commands).drop_front()) {
    auto Other = parseCommand(Next, Asked, &Each);
    const bool Same = Other && Other->Words == Next.Command && Each.Directory == Next.Directory;
    llvm::consumeError(Other.takeError());
    if (Same)
      continue;
    Next.Remark += (Next.Remark.empty() ? "" : "\n") + Next.Given + ": '" + Asked.Database +
                   "' compiles it " + std::to_string(Commands.size()) +
                   " times, with different flags; the flags of the first are used";
    return;
  }
}

bool isCuda(const Job &Each) {
  const auto Language = llvm::find(Each.Command, "-x");
  return Language != Each.Command.end() && std::next(Language) != Each.Command.end() &&
         *std::next(Language) == "cuda";
}

std::unique_ptr<JSONCompilationDatabase> load(llvm::StringRef Path) {
  std::string Problem;
  // Does not search by directory, which would guess flags for sources that are not in the database.
  auto Database = JSONCompilationDatabase::loadFromFile(
      Path, Problem, clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (!Database)
    complain() << "'" << Path << "': " << Problem << "\n";
  return Database;
}

/// All CUDA sources of the database, and files with other extensions that may be CUDA sources, with
/// the reason why they are not done.
std::optional<std::vector<Job>> recordedJobs(const Options &Asked,
                                             const JSONCompilationDatabase &Database) {
  std::vector<std::string> Sources;
  for (const CompileCommand &Each : Database.getAllCompileCommands()) {
    llvm::SmallString<256> Path(Each.Filename);
    path::make_absolute(Each.Directory, Path);
    path::remove_dots(Path, /*remove_dot_dot=*/true);
    if (fs::exists(Path)) // generated sources may not exist yet
      Sources.push_back(Path.str().str());
    else if (path::extension(Path) == ".cu")
      complain() << "'" << Path << "' is left out: '" << Asked.Database
                 << "' compiles it, but there is no such file\n";
  }
  auto Jobs = listSources(Asked, Sources);
  if (!Jobs)
    return std::nullopt;
  for (Job &Each : *Jobs)
    addRecordedCommand(Each, Asked, Database);
  llvm::erase_if(*Jobs, [](const Job &Each) {
    return Each.Problem.empty() ? !isCuda(Each) : path::extension(Each.Given) != ".cu";
  });
  if (!Jobs->empty())
    return Jobs;
  complain() << "'" << Asked.Database
             << "' compiles no CUDA source; name the sources on the command line\n";
  return std::nullopt;
}

} // namespace

std::optional<std::vector<Job>> makeJobs(const Options &Asked) {
  std::unique_ptr<JSONCompilationDatabase> Database;
  if (!Asked.Database.empty()) {
    Database = load(Asked.Database);
    if (!Database)
      return std::nullopt;
    if (Asked.Sources.empty())
      return recordedJobs(Asked, *Database);
  }
  auto Jobs = listSources(Asked, Asked.Sources);
  if (!Jobs)
    return std::nullopt;
  for (Job &Each : *Jobs) {
    if (Database) {
      addRecordedCommand(Each, Asked, *Database);
    } else if (auto Command = parseCommand(Each, Asked, nullptr)) {
      take(Each, std::move(*Command));
    } else {
      Each.Problem = Each.Given + ": " + llvm::toString(Command.takeError());
    }
  }
  return Jobs;
}

} // namespace graphprof::instrument
