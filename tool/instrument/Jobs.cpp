// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Jobs.h"

#include "Outputs.h"

#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

namespace graphprof::instrument {
namespace {

namespace fs = llvm::sys::fs;
using clang::tooling::JSONCompilationDatabase;

std::string realPath(llvm::StringRef Path) {
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

std::optional<std::vector<Job>> listSources(const Options &Asked) {
  std::vector<Job> Jobs;
  llvm::StringSet<> Seen;
  llvm::StringMap<std::string> Outputs;
  for (const std::string &Source : Asked.Sources) {
    Job Next{Source, realPath(Source), outputOf(Asked, Source), {}, "", ""};
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
    if (!Asked.InPlace && Next.Output != "-" && realPath(Next.Output) == Next.Real) {
      complain() << "'" << Source << "' would be overwritten; say -i for that\n";
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
  return Jobs;
}

void addCommand(Job &Next, const Options &Asked, const JSONCompilationDatabase *Database) {
  CompileFlags Flags = Asked.Compile;
  if (Database) {
    const auto Commands = Database->getCompileCommands(Next.Real);
    if (Commands.empty()) {
      Next.Problem = "'" + Asked.BuildPath + "' does not compile '" + Next.Given + "'";
      return;
    }
    Next.Directory = Commands.front().Directory;
    Flags.Recorded = Commands.front().CommandLine;
    Flags.Directory = Next.Directory;
    if (!fs::is_directory(Next.Directory)) {
      Next.Problem = "'" + Next.Directory + "', where '" + Asked.BuildPath + "' compiles '" +
                     Next.Given + "': no such directory";
      return;
    }
  }
  // Under a database's directory the path as given would mean something else.
  auto Command = clangCommand(Next.Directory.empty() ? Next.Given : Next.Real, Flags);
  if (Command)
    Next.Command = std::move(*Command);
  else
    Next.Problem = Next.Given + ": " + llvm::toString(Command.takeError());
}

} // namespace

std::optional<std::vector<Job>> makeJobs(const Options &Asked) {
  auto Jobs = listSources(Asked);
  if (!Jobs)
    return std::nullopt;
  std::unique_ptr<JSONCompilationDatabase> Database;
  if (!Asked.BuildPath.empty()) {
    std::string Problem;
    // Not by directory: that would guess the flags of sources that the database does not have.
    Database =
        JSONCompilationDatabase::loadFromFile(Asked.BuildPath + "/compile_commands.json", Problem,
                                              clang::tooling::JSONCommandLineSyntax::AutoDetect);
    if (!Database) {
      complain() << "'" << Asked.BuildPath << "/compile_commands.json': " << Problem << "\n";
      return std::nullopt;
    }
  }
  for (Job &Each : *Jobs)
    addCommand(Each, Asked, Database.get());
  return Jobs;
}

} // namespace graphprof::instrument
