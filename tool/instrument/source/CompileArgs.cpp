// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/CompileArgs.h"

#include "source/DeepStack.h"
#include "source/NvccArgs.h"
#include "source/Prelude.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <link.h>

namespace graphprof::instrument {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string join(llvm::StringRef Directory, llvm::StringRef Below) {
  llvm::SmallString<256> Result(Directory);
  path::append(Result, Below);
  return Result.str().str();
}

/// The directory of the newest installed gcc's own headers.
std::string findGccHeaders() {
  std::string Newest;
  unsigned Version = 0;
  std::error_code Code;
  for (fs::directory_iterator Target("/usr/lib/gcc", Code), End; !Code && Target != End;
       Target.increment(Code)) {
    std::error_code Inner;
    for (fs::directory_iterator Each(Target->path(), Inner); !Inner && Each != End;
         Each.increment(Inner)) {
      unsigned Major = 0;
      const std::string Headers = join(Each->path(), "include");
      if (!path::filename(Each->path()).split('.').first.getAsInteger(10, Major) &&
          Major > Version && fs::exists(join(Headers, "omp.h"))) {
        Version = Major;
        Newest = Headers;
      }
    }
  }
  return Newest;
}

bool isToolkit(llvm::StringRef Directory) {
  return !Directory.empty() && fs::exists(join(Directory, "include/cuda_runtime.h"));
}

/// The simulated CUDA runtime is laid out as a toolkit. Its headers are written for clang, and need
/// neither clang's wrappers nor nvcc's prelude.
bool isSimulation(llvm::StringRef Toolkit) {
  return !Toolkit.empty() && fs::exists(join(Toolkit, "include/cudasim/cudasim.h"));
}

/// The toolkit that a compiler is part of. A host compiler's directory, such as /usr, may hold a
/// toolkit's headers by chance.
std::string toolkitOf(llvm::StringRef Compiler, llvm::StringRef WorkingDirectory) {
  llvm::SmallString<256> Path(Compiler);
  if (path::has_parent_path(Path)) {
    if (!WorkingDirectory.empty())
      path::make_absolute(WorkingDirectory, Path);
  } else if (const auto Found = llvm::sys::findProgramByName(Compiler)) {
    Path = *Found;
  }
  llvm::SmallString<256> Real;
  if (Compiler.empty() || fs::real_path(Path, Real))
    return {};
  const llvm::StringRef Root = path::parent_path(path::parent_path(Real));
  const bool Its = path::filename(Compiler) == "nvcc" ? isToolkit(Root) : isSimulation(Root);
  return Its ? Root.str() : std::string();
}

std::string findToolkit() {
  for (const char *Variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const auto Value = llvm::sys::Process::GetEnv(Variable); Value && isToolkit(*Value))
      return *Value;
  if (isToolkit("/usr/local/cuda"))
    return "/usr/local/cuda";
  return toolkitOf("nvcc", "");
}

std::string languageOf(llvm::StringRef Source) {
  return llvm::StringSwitch<std::string>(path::extension(Source))
      .Cases({".cu", ".cuh"}, "cuda")
      .Cases({".cpp", ".cc", ".cxx", ".c++", ".C", ".cp"}, "c++")
      .Cases({".cppm", ".ccm", ".cxxm", ".c++m", ".ixx", ".mpp"}, "c++")
      .Cases({".h", ".hpp", ".hh", ".hxx", ".inl"}, "c++")
      .Case(".c", "c")
      .Default("");
}

/// Translates the database's flags, with the user's flags behind them.
llvm::Expected<ClangArgs> translate(const CompileFlags &User) {
  const auto Files = llvm::vfs::createPhysicalFileSystem();
  if (!User.Directory.empty())
    if (const std::error_code Code = Files->setCurrentWorkingDirectory(User.Directory))
      return llvm::createStringError(Code, "directory '%s'", User.Directory.c_str());
  if (User.Recorded.empty())
    return translateArgs(User.Flags, {Files.get(), std::nullopt});

  auto All = translateArgs(User.Recorded, {Files.get(), std::nullopt});
  if (!All)
    return All.takeError();
  // nvcc's environment variables are already in the command, if the command is nvcc's.
  const auto NoEnvironment = [](llvm::StringRef) { return std::optional<std::string>(); };
  auto Added = translateArgs(User.Flags, {nullptr, NoEnvironment});
  if (!Added)
    return Added.takeError();
  llvm::append_range(All->Flags, Added->Flags);
  llvm::append_range(All->Unknown, Added->Unknown);
  if (!Added->Language.empty())
    All->Language = Added->Language;
  return All;
}

} // namespace

std::string findResourceDirectory() {
  std::string Library;
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Found) {
        if (!llvm::StringRef(Info->dlpi_name).contains("libclang-cpp"))
          return 0;
        *static_cast<std::string *>(Found) = Info->dlpi_name;
        return 1;
      },
      &Library);

  const std::string Version =
      llvm::StringRef(GRAPHPROF_CLANG_RESOURCE_DIR).rsplit('/').second.str();
  llvm::SmallString<256> Real;
  std::vector<std::string> Candidates;
  if (!Library.empty() && !fs::real_path(Library, Real)) {
    const llvm::StringRef Directory = path::parent_path(Real);
    Candidates.push_back(join(Directory, "clang/" + Version));
    // Debian installs the library apart from the rest of LLVM.
    Candidates.push_back(
        join(path::parent_path(Directory), "llvm-" + Version + "/lib/clang/" + Version));
  }
  Candidates.emplace_back(GRAPHPROF_CLANG_RESOURCE_DIR);
  for (const std::string &Candidate : Candidates)
    if (fs::exists(join(Candidate, "include/stddef.h")))
      return Candidate;
  return {};
}

std::vector<std::pair<std::string, std::string>> gccHeadersThatClangLacks() {
  std::vector<std::pair<std::string, std::string>> Result;
  const std::string Gccs = findGccHeaders();
  const std::string Clangs = join(findResourceDirectory(), "include");
  std::error_code Code;
  for (fs::directory_iterator Each(Gccs, Code), End; !Gccs.empty() && !Code && Each != End;
       Each.increment(Code))
    if (const llvm::StringRef Name = path::filename(Each->path());
        Name.ends_with(".h") && !fs::exists(join(Clangs, Name.str())))
      Result.emplace_back(Name.str(), Each->path());
  return Result;
}

llvm::Expected<ClangCommand> clangCommand(llvm::StringRef Source, const CompileFlags &User) {
  auto Translated = translate(User);
  if (!Translated)
    return Translated.takeError();
  const std::string Language =
      Translated->Language.empty() ? languageOf(Source) : Translated->Language;
  if (Language.empty())
    return llvm::createStringError("the file's name does not tell its language; add '-x cu', '-x "
                                   "c++' or '-x c' to the compile flags");

  const bool Cuda = Language == "cuda";
  std::string Toolkit = User.CudaPath;
  bool OwnHeaders = false;
  for (const llvm::StringRef Flag : Translated->Flags) {
    OwnHeaders |= Flag == "-nocudainc";
    if (Flag.starts_with("--cuda-path=") && Toolkit.empty())
      Toolkit = Flag.split('=').second.str();
  }
  llvm::erase_if(Translated->Flags, [&](llvm::StringRef Flag) {
    return Flag == "--cuda-host-only" || Flag == "--cuda-device-only" ||
           (Flag.starts_with("--cuda-path=") && !OwnHeaders);
  });
  if (!OwnHeaders) {
    if (Toolkit.empty())
      Toolkit = toolkitOf(Translated->Compiler, User.Directory);
    if (!Toolkit.empty() && !isToolkit(Toolkit))
      return llvm::createStringError(
          "no CUDA toolkit in '%s'; name another directory with --cuda-path", Toolkit.c_str());
    if (Toolkit.empty())
      Toolkit = findToolkit();
    if (Toolkit.empty() && Cuda)
      return llvm::createStringError("no CUDA toolkit found; name it with --cuda-path");
  }

  const bool Simulated = !OwnHeaders && isSimulation(Toolkit);
  std::vector<std::string> Command{"clang++",
                                   "-x",
                                   Language,
                                   "-fsyntax-only",
                                   "-w",
                                   "-ferror-limit=0",
                                   "-fbracket-depth=" + std::to_string(MostBrackets),
                                   "-Wno-unknown-warning-option"};
  // What is an error for clang by default and a warning for gcc.
  for (const char *Warning : {"register", "c++11-narrowing", "reserved-user-defined-literal",
                              "implicit-function-declaration", "implicit-int", "int-conversion",
                              "incompatible-function-pointer-types", "incompatible-pointer-types",
                              "return-mismatch", "enum-constexpr-conversion", "invalid-offsetof"})
    Command.push_back(std::string("-Wno-") + Warning);
  if (Cuda) // otherwise the first job is the device pass
    Command.emplace_back("--cuda-host-only");
  if (llvm::none_of(Translated->Flags,
                    [](llvm::StringRef Flag) { return Flag.starts_with("-resource-dir"); }))
    if (const std::string Directory = findResourceDirectory(); !Directory.empty()) {
      Command.emplace_back("-resource-dir");
      Command.push_back(Directory);
    }
  if (Simulated && Cuda)
    llvm::append_range(
        Command, std::vector<std::string>{"-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",
                                          // Without a version clang knows the launch calls
                                          // of CUDA 8 only.
                                          "-Xclang", "-target-sdk-version=12.9", "-D__CUDACC__=1",
                                          "-D__NVCC__=1", "-D__CUDACC_VER_MAJOR__=13",
                                          "-D__CUDACC_VER_MINOR__=0", "-D__CUDACC_VER_BUILD__=0"});
  else if (!OwnHeaders && Cuda) {
    Command.push_back("--cuda-path=" + Toolkit);
    Command.emplace_back("-Wno-unknown-cuda-version");
    Command.emplace_back("-include");
    Command.push_back(NvccPreludePath.str());
  }
  if (Simulated && Cuda) // in front of what the command forces in, as nvcc has it
    llvm::append_range(Command, std::vector<std::string>{"-include", "cuda_runtime.h"});
  llvm::append_range(Command, Translated->Flags);
  if (Simulated) {
    llvm::append_range(Command, std::vector{std::string("-isystem"), join(Toolkit, "include")});
  } else if (!OwnHeaders && !Toolkit.empty()) {
    // For CUDA, clang adds this directory itself, after its own wrappers.
    if (!Cuda)
      llvm::append_range(Command, std::vector{std::string("-isystem"), join(Toolkit, "include")});
    llvm::append_range(Command,
                       std::vector{std::string("-isystem"), join(Toolkit, "include/cccl")});
  }
  // Last, so that clang finds its own headers first.
  for (const llvm::StringRef Directory : {GccIncludePath, FallbackIncludePath})
    llvm::append_range(Command, std::vector{std::string("-idirafter"), Directory.str()});
  Command.emplace_back("--");
  Command.push_back(Source.str());
  return ClangCommand{std::move(Command), std::move(Translated->Unknown)};
}

} // namespace graphprof::instrument
