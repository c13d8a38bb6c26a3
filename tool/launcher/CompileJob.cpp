// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "CompileJob.h"

#include "DependencyFile.h"
#include "Scan.h"

#include "nvcc/NvccOptions.h"
#include "nvcc/Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphprof::launcher {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
using nvcc::absolute;
using nvcc::Phase;
using nvcc::realPath;

std::string directoryOf(llvm::StringRef Path) {
  const llvm::StringRef Directory = path::parent_path(Path);
  return Directory.empty() ? "." : Directory.str();
}

/// Whether the command compiles host code.
bool compiles(const nvcc::Command &Parsed) {
  switch (Parsed.Goal) {
  case Phase::Link:
  case Phase::Library:
  case Phase::Compile:
  case Phase::Assembly:
  case Phase::Intermediate:
    return !Parsed.DryRun;
  case Phase::DeviceLink:
  case Phase::DeviceOnly:
  case Phase::SyntaxOnly:
  case Phase::Preprocess:
  case Phase::Dependencies:
  case Phase::Nothing:
    return false;
  }
  llvm_unreachable("all phases are above");
}

/// Whether a build system (CMake, autoconf) uses this file to test its compiler.
bool isProbe(llvm::StringRef Source) {
  const std::string Whole = absolute(Source);
  const llvm::StringRef Path = Whole;
  return Path.contains("/CMakeFiles/CMakeScratch/") || Path.contains("/CMakeFiles/CMakeTmp/") ||
         Path.contains("/CMakeFiles/ShowIncludes/") || Path.contains("/CompilerId") ||
         path::stem(Path) == "conftest";
}

bool findsByItself(const nvcc::Command &Parsed, llvm::StringRef Include) {
  if (Include == "/usr/include" || Include == "/usr/local/include")
    return true; // naming them would change the order of the compiler's own directories
  return llvm::any_of(Parsed.IncludePaths, [&](const nvcc::IncludePath &Each) {
    return fs::exists(Each.Path + "/graphprof/graphprof.h");
  });
}

/// Marks a folder of copies as one that graphprof-cc made and may remove.
constexpr llvm::StringLiteral Marker = ".made-by-graphprof-cc";
constexpr llvm::StringLiteral MarkerText =
    "graphprof-cc made this folder and removes it, with all that is in it.\n";

std::string markerOf(llvm::StringRef Folder) { return (Folder + "/" + Marker).str(); }

/// Does not follow symbolic links, which could lead anywhere.
bool isOurs(llvm::StringRef Folder) {
  fs::file_status There;
  return !fs::status(Folder, There, /*follow=*/false) && fs::is_directory(There) &&
         !fs::status(markerOf(Folder), There, /*follow=*/false) && fs::is_regular_file(There);
}

/// How often another graphprof-cc may come first. Each time it compiles the object, and this one
/// waits.
constexpr int MostTries = 10'000;

/// Removes a folder of copies, and no more of what links lead to than the links.
void removeAll(const std::string &Folder) {
  std::error_code Code;
  std::vector<std::string> Inside;
  for (fs::directory_iterator Each(Folder, Code, /*follow_symlinks=*/false), End;
       !Code && Each != End; Each.increment(Code))
    Inside.push_back(Each->path());
  for (const std::string &Each : Inside)
    if (fs::is_symlink_file(Each) || !fs::is_directory(Each))
      (void)fs::remove(Each);
    else
      (void)fs::remove_directories(Each);
  (void)fs::remove(Folder);
}

/// Gives a folder a name that is free. Returns false, with errno, if it is not.
bool renameNew(const std::string &From, const std::string &To) {
  if (::renameat2(AT_FDCWD, From.c_str(), AT_FDCWD, To.c_str(), RENAME_NOREPLACE) == 0)
    return true;
  // A file system that does not know the flag: an empty folder would be replaced.
  if (errno != EINVAL)
    return false;
  if (!fs::exists(To))
    return std::rename(From.c_str(), To.c_str()) == 0;
  errno = EEXIST;
  return false;
}

/// A lock on a file, for which it waits.
class Lock {
public:
  explicit Lock(const std::string &File)
      : Descriptor(::open(File.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {
    while (Descriptor >= 0 && ::flock(Descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Lock() {
    if (!Kept && Descriptor >= 0)
      ::close(Descriptor);
  }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
  /// Holds it until the process ends.
  void keep() { Kept = true; }
  /// Whether the locked file is still the one of that name.
  [[nodiscard]] bool isOf(const std::string &File) const {
    struct stat Held{}, There{};
    return Descriptor >= 0 && ::fstat(Descriptor, &Held) == 0 &&
           ::lstat(File.c_str(), &There) == 0 && Held.st_dev == There.st_dev &&
           Held.st_ino == There.st_ino;
  }

private:
  int Descriptor;
  bool Kept = false;
};

bool forcesIn(const nvcc::Use &Option) {
  return Option.Nvcc ? Option.Nvcc->Long == "--pre-include" : Option.Name == "-include";
}

/// Whether a word that may have to be replaced is inside an options file.
bool hidesWords(const nvcc::Command &Parsed) {
  const auto IsHidden = [](const nvcc::Place &Where) {
    return Where.From == nvcc::Place::OptionsFile;
  };
  return llvm::any_of(Parsed.sources(),
                      [&](const nvcc::Input &Each) { return IsHidden(Each.Where); }) ||
         llvm::any_of(Parsed.Options, [&](const nvcc::Use &Each) {
           return forcesIn(Each) && IsHidden(Each.Where);
         });
}

} // namespace

CompileJob::CompileJob(std::vector<std::string> Words, CompilerWord Compiler, nvcc::Command Parsed)
    : Words(std::move(Words)), Compiler(Compiler), Parsed(std::move(Parsed)),
      Sources(this->Parsed.sources()) {
  if (!Sources.empty())
    if (const std::string Output = nvcc::outputFile(this->Parsed, Sources[0]); !Output.empty())
      Folder = Output + ".graphprof";
}

llvm::Expected<std::optional<CompileJob>> CompileJob::make(const LauncherOptions &Asked) {
  const auto Compiler = findCompiler(Asked.Command, Asked.Like);
  if (!Compiler) {
    if (!seemsToCompile(Asked.Command))
      return std::nullopt;
    return llvm::createStringError("'%s' is not a compiler that graphprof-cc knows; add "
                                   "--like=nvcc or --like=g++ to say how to read its command line",
                                   Asked.Command[0].c_str());
  }
  std::vector<std::string> Words = Asked.Command;
  const auto Parse = [&] {
    return nvcc::parseCommand(Compiler->Kind,
                              llvm::ArrayRef(Words).drop_front(Compiler->Index + 1));
  };
  auto Parsed = Parse();
  if (Parsed && hidesWords(*Parsed)) {
    Words.resize(Compiler->Index + 1);
    llvm::append_range(Words, Parsed->Words);
    Parsed = Parse();
  }
  if (!Parsed)
    return Parsed.takeError();
  if (!compiles(*Parsed))
    return std::nullopt;

  CompileJob Job(std::move(Words), *Compiler, std::move(*Parsed));
  const bool FromInput =
      llvm::any_of(Job.Sources, [](const nvcc::Input &Each) { return Each.Path == "-"; });
  if (FromInput && Job.Parsed.Output != "/dev/null") // as tests of a compiler have
    return llvm::createStringError("the source comes from standard input, and graphprof-cc "
                                   "instruments files; write it to a file");
  // The compiler reports missing sources itself.
  const bool All = llvm::all_of(Job.Sources, [](const nvcc::Input &Each) {
    return fs::is_regular_file(Each.Path) && !isProbe(Each.Path);
  });
  if (Job.Sources.empty() || !All || Job.Folder.empty() ||
      llvm::StringRef(Job.Folder).starts_with("/dev/") ||
      !fs::is_directory(directoryOf(Job.Folder)))
    return std::nullopt;
  for (const nvcc::Input &Each : Job.Sources)
    if (!Each.Where.replaceable())
      return llvm::createStringError("'%s' comes from the environment, where graphprof-cc cannot "
                                     "replace it; name it on the command line",
                                     Each.Path.c_str());
  return Job;
}

std::vector<std::string> CompileJob::sources() const {
  std::vector<std::string> Paths;
  Paths.reserve(Sources.size());
  for (const nvcc::Input &Each : Sources)
    Paths.push_back(Each.Path);
  return Paths;
}

std::string CompileJob::whyParse(const LauncherOptions &Asked) const {
  if (Asked.Strict)
    return "--strict asks whether clang accepts the source";
  const auto Automatic = llvm::find_if(Asked.ForTool, [](llvm::StringRef Option) {
    return Option.starts_with("--auto") && Option != "--auto=none";
  });
  if (Automatic != Asked.ForTool.end())
    return *Automatic;
  return launcher::whyParse({.Parsed = Parsed,
                             .Sources = Sources,
                             .Compiler = Words[Compiler.Index],
                             .Memory = !llvm::is_contained(Asked.ForTool, "--no-memory")});
}

std::string CompileJob::names() const { return llvm::join(sources(), ", "); }

// The folder appears whole, with its marker, which is locked as long as its graphprof-cc works. So
// another one, for the same object, waits for its turn, and what nobody holds is left by a run that
// was ended. Where the file system has no locks, nobody waits.
llvm::Expected<bool> CompileJob::makeFolder() const {
  const std::string Made = besideFolder();
  if (fs::create_directory(Made, /*IgnoreExisting=*/false))
    return false;
  std::error_code Code;
  llvm::raw_fd_ostream(markerOf(Made), Code) << MarkerText;
  Lock Own(markerOf(Made));
  Own.keep();
  for (int Tries = 0; !Code && !renameNew(Made, Folder); ++Tries) {
    Code = std::error_code(errno, std::generic_category());
    if (Code != std::errc::file_exists || Tries == MostTries)
      break;
    Code = {};
    fs::file_status There;
    if (fs::status(Folder, There, /*follow=*/false)) // it is gone by now
      continue;
    const Lock Others(markerOf(Folder));
    if (!isOurs(Folder)) {
      if (fs::status(Folder, There, /*follow=*/false))
        continue;
      removeAll(Made);
      return llvm::createStringError(
          "'%s' exists and was not made by graphprof-cc, which needs this folder for its copies; "
          "move it away, or give the object another name",
          Folder.c_str());
    }
    if (Others.isOf(markerOf(Folder)))
      removeFolder();
  }
  if (Code)
    removeAll(Made);
  return !Code;
}

/// The folder disappears at once, and is recognized as graphprof-cc's until then.
void CompileJob::removeFolder() const {
  if (!isOurs(Folder))
    return;
  const std::string Removed = besideFolder() + ".old";
  if (std::rename(Folder.c_str(), Removed.c_str()) == 0)
    removeAll(Removed);
}

std::string CompileJob::besideFolder() const { return Folder + "." + std::to_string(::getpid()); }

void CompileJob::removeObjects() const {
  for (const nvcc::Input &Each : Sources)
    if (const std::string Object = nvcc::outputFile(Parsed, Each); fs::is_regular_file(Object))
      (void)fs::remove(Object);
}

std::string CompileJob::reportFile() const { return Folder + "/report.json"; }
std::string CompileJob::compilersMessagesFile() const { return Folder + "/compiler.txt"; }
std::string CompileJob::messagesFile() const { return Folder + "/messages.txt"; }

std::vector<std::string> CompileJob::toolCommand(const LauncherOptions &Asked) const {
  std::vector<std::string> Command{Asked.Instrument, "--out-dir=" + Folder,
                                   "--report=" + reportFile()};
  if (Asked.Strict)
    Command.emplace_back("--strict");
  llvm::append_range(Command, Asked.ForTool);
  for (const nvcc::Input &Each : Sources)
    Command.push_back(Each.Path);
  Command.emplace_back("--");
  if (nvcc::compilerOf(Words[Compiler.Index]) == Compiler.Kind)
    Command.push_back(Words[Compiler.Index]);
  else
    Command.emplace_back(Compiler.Kind == nvcc::Compiler::Nvcc ? "nvcc" : "clang++");
  llvm::append_range(Command, llvm::ArrayRef(Words).drop_front(Compiler.Index + 1));
  return Command;
}

llvm::Error CompileJob::replaceForced(const Report &Done, Rewording &How) const {
  llvm::StringMap<std::string> CopyOf;
  llvm::StringSet<> Found;
  for (const ForcedInclude &Each : Done.ForcedIncludes)
    CopyOf[Each.Given] = Each.Output;
  for (const nvcc::Use &Option : Parsed.Options) {
    if (!forcesIn(Option) || !Option.Where.replaceable())
      continue;
    std::vector<std::string> Now;
    for (const std::string &Value : Option.Values) {
      const auto Copy = CopyOf.find(Value);
      const std::string &Path = Copy == CopyOf.end() ? Value : Copy->second;
      const bool Quoted = Option.Nvcc && llvm::StringRef(Path).contains(',');
      Now.insert(Now.end(), {"-include", Quoted ? '"' + Path + '"' : Path});
    }
    if (llvm::none_of(Option.Values,
                      [&](const std::string &Value) { return CopyOf.contains(Value); }))
      continue;
    How.Replaced.emplace_back(Option.Where, std::move(Now));
    for (const std::string &Value : Option.Values)
      Found.insert(Value);
  }
  for (const ForcedInclude &Each : Done.ForcedIncludes)
    if (!Found.contains(Each.Given))
      return llvm::createStringError(
          "the header '%s' is not forced in by an -include in the command line, where graphprof-cc "
          "could replace it; leave it out with --header-filter, or --no-headers",
          Each.Given.c_str());
  return llvm::Error::success();
}

llvm::Error CompileJob::linkNothing(Rewording &How) const {
  if (Compiler.Kind == nvcc::Compiler::Host) {
    How.IncludeFlags.emplace_back("-fsyntax-only");
    return llvm::Error::success();
  }
  for (const nvcc::Use &Option : Parsed.Options)
    if (Option.Nvcc && (Option.Nvcc->Means == nvcc::Role::Output ||
                        Option.Nvcc->Means == nvcc::Role::OutputFolder)) {
      if (!Option.Where.replaceable())
        return llvm::createStringError("'%s' is not in the command line", Option.Name.c_str());
      How.Replaced.emplace_back(Option.Where, std::vector<std::string>());
    }
  llvm::append_range(How.IncludeFlags, std::vector<std::string>{"-c", "-odir", Folder});
  return llvm::Error::success();
}

llvm::Expected<std::optional<std::vector<std::string>>>
CompileJob::compileCommand(const Report &Done, llvm::StringRef Include, bool OnlyCompile) const {
  llvm::StringMap<const ReportedFile *> ByPath;
  for (const ReportedFile &Each : Done.Files)
    if (!Each.Failed && !Each.Header)
      ByPath[realPath(Each.Source)] = &Each;

  Rewording How{Words, Compiler, {}, {}, {}, ""};
  for (const nvcc::Input &Each : Sources) {
    const ReportedFile *Copy = ByPath.lookup(realPath(Each.Path));
    // An unchanged source is compiled under its own name, unless it must see copied headers.
    if (!Copy || !(Copy->Changed || Done.hasHeaders()))
      continue;
    How.Replaced.emplace_back(Each.Where, std::vector{Copy->Output});
    if (std::string Directory = directoryOf(Each.Path);
        !llvm::is_contained(How.QuoteDirectories, Directory))
      How.QuoteDirectories.push_back(std::move(Directory));
  }
  if (How.Replaced.empty())
    return std::nullopt;
  if (llvm::Error Problem = replaceForced(Done, How))
    return Problem;

  // #line makes the debug information name the original, but clang names the unit after the copy.
  const bool Debugs = llvm::any_of(Parsed.Options, [](const nvcc::Use &Each) {
    return llvm::StringRef(Each.Name).starts_with("-g");
  });
  if (Debugs && Compiler.Kind == nvcc::Compiler::Host)
    for (const nvcc::Input &Each : Sources)
      if (const ReportedFile *Copy = ByPath.lookup(realPath(Each.Path)))
        How.IncludeFlags.push_back("-fdebug-prefix-map=" + Copy->Output + "=" + Each.Path);

  // The tool also lists the sources' own directories. With -I they could hide system headers, and
  // `#include "..."` searches them anyway.
  const std::vector<std::string> OfSources = How.QuoteDirectories;
  for (const std::string &Flag : Done.IncludeFlags) {
    llvm::StringRef Directory = Flag;
    if (Directory.consume_front("-iquote")) {
      How.QuoteDirectories.push_back(Directory.str());
      continue;
    }
    const bool Ours = Directory.consume_front("-I") && llvm::is_contained(OfSources, Directory) &&
                      llvm::none_of(Parsed.IncludePaths, [&](const nvcc::IncludePath &Each) {
                        return absolute(Each.Path) == absolute(Directory);
                      });
    if (!Ours)
      How.IncludeFlags.push_back(Flag);
  }
  keepBaseFile(Done, How);
  putInFront(How);
  if (!Include.empty() && !findsByItself(Parsed, Include))
    How.SystemDirectory = Include.str();
  if (listsItself(Done))
    llvm::append_range(How.IncludeFlags, std::vector<std::string>{"-MD", "-MF", listFile()});
  if (OnlyCompile)
    if (llvm::Error Problem = linkNothing(How))
      return Problem;
  return reword(How);
}

/// nvcc hands on what -Xcompiler says, and has NVCC_PREPEND_FLAGS, in front of the -I of its own
/// command line. Where such words name directories, those of the copies go there as well.
void CompileJob::putInFront(Rewording &How) const {
  const bool IsLate = Compiler.Kind == nvcc::Compiler::Nvcc &&
                      (llvm::any_of(Parsed.HostWords,
                                    [](llvm::StringRef Word) { return Word.starts_with("-I"); }) ||
                       llvm::any_of(Parsed.IncludePaths, [](const nvcc::IncludePath &Each) {
                         return Each.Where.From == nvcc::Place::Environment;
                       }));
  if (!IsLate)
    return;
  std::vector<std::string> ForHost;
  for (const std::string &Flag : How.IncludeFlags)
    if (llvm::StringRef(Flag).starts_with("-I") && isPlain(Flag))
      ForHost.push_back("-Xcompiler=" + Flag);
  How.IncludeFlags.insert(How.IncludeFlags.begin(), ForHost.begin(), ForHost.end());
}

llvm::Error CompileJob::fixDependencies(const Report &Done,
                                        llvm::ArrayRef<std::string> Tools) const {
  llvm::StringMap<std::string> OriginalOf;
  for (const ReportedFile &Each : Done.Files)
    if (!Each.Failed)
      OriginalOf[absolute(Each.Output)] = Each.Source;
  for (const nvcc::Input &Source : Sources)
    for (auto &Each : OriginalOf)
      if (Each.getValue() == realPath(Source.Path) || Each.getValue() == absolute(Source.Path))
        Each.second =
            Source.Path; // spelled as in the command, so that the build system recognizes it

  std::vector<std::string> Fixed;
  for (const nvcc::Input &Source : Sources) {
    const std::string File = nvcc::dependencyFile(Parsed, Source);
    if (File.empty() || llvm::is_contained(Fixed, File))
      continue;
    Fixed.push_back(File);
    const auto Before = llvm::MemoryBuffer::getFile(File);
    if (!Before)
      continue; // the compiler wrote no dependency file
    const std::string After = withOriginals(
        (*Before)->getBuffer(),
        [&](llvm::StringRef Path) { return OriginalOf.lookup(absolute(Path)); }, Tools);
    if (llvm::Error Problem = llvm::writeToOutput(File, [&](llvm::raw_ostream &Out) {
          Out << After;
          return llvm::Error::success();
        }))
      return Problem;
  }
  return llvm::Error::success();
}

} // namespace graphprof::launcher
