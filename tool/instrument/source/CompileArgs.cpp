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

#include <initializer_list>

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

/// The toolkit whose headers are used: that of the flags or the user, else that of the compiler,
/// else one that is installed. Empty if there is none, which is an error for CUDA.
llvm::Expected<std::string> chooseToolkit(const ClangArgs &Translated, const CompileFlags &User,
                                          bool Cuda) {
  std::string Toolkit = User.CudaPath;
  for (const llvm::StringRef Flag : Translated.Flags)
    if (Flag.starts_with("--cuda-path=") && Toolkit.empty())
      Toolkit = Flag.split('=').second.str();
  if (Toolkit.empty())
    Toolkit = toolkitOf(Translated.Compiler, User.Directory);
  if (!Toolkit.empty() && !isToolkit(Toolkit))
    return llvm::createStringError(
        "no CUDA toolkit in '%s'; name another directory with --cuda-path", Toolkit.c_str());
  if (Toolkit.empty())
    Toolkit = findToolkit();
  if (Toolkit.empty() && Cuda)
    return llvm::createStringError("no CUDA toolkit found; name it with --cuda-path");
  return Toolkit;
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

namespace {

/// Which CUDA headers a command gets, and from where.
struct CudaHeaders {
  bool Cuda;           ///< the language is CUDA
  bool Own;            ///< the flags say themselves where they are
  bool Simulated;      ///< they are the simulation's
  std::string Toolkit; ///< empty: none
};

void appendAll(std::vector<std::string> &Command, std::initializer_list<std::string> Flags) {
  llvm::append_range(Command, Flags);
}

/// How to compile a source of that language: for its syntax tree only, and as nvcc and gcc take it.
void addLanguage(std::vector<std::string> &Command, llvm::StringRef Language) {
  appendAll(Command,
            {"clang++", "-x", Language.str(), "-fsyntax-only", "-w", "-ferror-limit=0",
             "-fbracket-depth=" + std::to_string(MostBrackets), "-Wno-unknown-warning-option"});
  // What is an error for clang by default and a warning for gcc.
  for (const char *Warning : {"register", "c++11-narrowing", "reserved-user-defined-literal",
                              "implicit-function-declaration", "implicit-int", "int-conversion",
                              "incompatible-function-pointer-types", "incompatible-pointer-types",
                              "return-mismatch", "enum-constexpr-conversion", "invalid-offsetof"})
    Command.push_back(std::string("-Wno-") + Warning);
}

/// What comes in front of the command's own flags.
void addCuda(std::vector<std::string> &Command, const CudaHeaders &Headers) {
  if (Headers.Simulated)
    appendAll(Command,
              {"-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",
               // Without a version clang knows the launch calls of CUDA 8 only.
               "-Xclang", "-target-sdk-version=12.9", "-D__CUDACC__=1", "-D__NVCC__=1",
               "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0", "-D__CUDACC_VER_BUILD__=0",
               // In front of what the command forces in, as nvcc has it.
               "-include", "cuda_runtime.h"});
  else if (!Headers.Own)
    appendAll(Command, {"--cuda-path=" + Headers.Toolkit, "-Wno-unknown-cuda-version", "-include",
                        NvccPreludePath.str()});
}

/// The directories behind those of the command's own flags.
void addIncludePaths(std::vector<std::string> &Command, const CudaHeaders &Headers) {
  const bool HasToolkit = !Headers.Own && !Headers.Toolkit.empty();
  // For CUDA, clang adds this directory itself, after its own wrappers.
  if (Headers.Simulated || (HasToolkit && !Headers.Cuda))
    appendAll(Command, {"-isystem", join(Headers.Toolkit, "include")});
  if (HasToolkit && !Headers.Simulated)
    appendAll(Command, {"-isystem", join(Headers.Toolkit, "include/cccl")});
  // Last, so that clang finds its own headers first.
  for (const llvm::StringRef Directory : {GccIncludePath, FallbackIncludePath})
    appendAll(Command, {"-idirafter", Directory.str()});
}

} // namespace

llvm::Expected<ClangCommand> clangCommand(llvm::StringRef Source, const CompileFlags &User) {
  auto Translated = translate(User);
  if (!Translated)
    return Translated.takeError();
  std::vector<std::string> &Flags = Translated->Flags;
  const std::string Language =
      Translated->Language.empty() ? languageOf(Source) : Translated->Language;
  if (Language.empty())
    return llvm::createStringError("the file's name does not tell its language; add '-x cu', '-x "
                                   "c++' or '-x c' to the compile flags");

  CudaHeaders Headers{Language == "cuda", llvm::is_contained(Flags, "-nocudainc"), false, {}};
  if (!Headers.Own) {
    auto Toolkit = chooseToolkit(*Translated, User, Headers.Cuda);
    if (!Toolkit)
      return Toolkit.takeError();
    Headers.Toolkit = std::move(*Toolkit);
    Headers.Simulated = isSimulation(Headers.Toolkit);
  }
  llvm::erase_if(Flags, [&](llvm::StringRef Flag) {
    return Flag == "--cuda-host-only" || Flag == "--cuda-device-only" ||
           (Flag.starts_with("--cuda-path=") && !Headers.Own);
  });

  std::vector<std::string> Command;
  addLanguage(Command, Language);
  if (Headers.Cuda) // otherwise the first job is the device pass
    Command.emplace_back("--cuda-host-only");
  if (llvm::none_of(Flags, [](llvm::StringRef Flag) { return Flag.starts_with("-resource-dir"); }))
    if (const std::string Directory = findResourceDirectory(); !Directory.empty())
      appendAll(Command, {"-resource-dir", Directory});
  if (Headers.Cuda)
    addCuda(Command, Headers);
  llvm::append_range(Command, Flags);
  addIncludePaths(Command, Headers);
  appendAll(Command, {"--", Source.str()});
  return ClangCommand{std::move(Command), std::move(Translated->Unknown)};
}

} // namespace graphprof::instrument
