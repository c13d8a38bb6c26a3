// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The compiler of the simulated CUDA runtime, named nvcc and laid out as in a toolkit: it takes
// nvcc's options, so that a build for nvcc also builds for the simulation. `graphprof sim` runs it
// behind graphprof-cc. It instruments nothing itself. What it prints about itself (-v, --version)
// is in the form in which CMake looks for it.
//
// It has two more names. As `clang++` it is that. As `c++` it is clang++ that links with the
// simulation: CMake links CUDA programs with the host compiler that nvcc names.

#include "Clang.h"
#include "Job.h"

#include "graphprof/version.h"
#include "launcher/Process.h"
#include "nvcc/NvccOptions.h"
#include "source/CompileArgs.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace graphprof::simcc;
using graphprof::nvcc::Phase;

namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

constexpr llvm::StringLiteral Help =
    "usage: nvcc [options] SOURCE...\n"
    "\n"
    "Compiles CUDA C++ for the simulated CUDA runtime. Takes nvcc's options; those for device "
    "code\n"
    "have no effect, because kernels compute nothing here. `graphprof sim cc` runs this compiler\n"
    "on instrumented sources.\n";

constexpr llvm::StringLiteral Version =
    "graphprof " GRAPHPROF_VERSION_STRING
    ", compiler for the simulated CUDA runtime, in the place of\n"
    "nvcc: NVIDIA (R) Cuda compiler driver\n"
    "Cuda compilation tools, release 13.0, V13.0.0\n";

int fail(const llvm::Twine &What) {
  llvm::WithColor::error(llvm::errs(), "nvcc (simulation)") << What << "\n";
  return 1;
}

class Run {
public:
  Run(const Job &Asked, std::string Toolkit) : Asked(Asked), Toolkit(std::move(Toolkit)) {}

  int all();

private:
  int clang(const std::vector<std::string> &Command) const {
    if (Dry || Verbose)
      llvm::errs() << "#$ " << llvm::join(Command, " ") << "\n";
    return Dry ? 0 : runClang(Command);
  }
  int link(const std::vector<std::string> &Objects) const;
  void describe() const;
  int compile(const graphprof::nvcc::Input &Source, const std::string &Output) const {
    auto Command = Asked.compile(Source, Output);
    return Command ? clang(*Command) : fail(llvm::toString(Command.takeError()));
  }
  int compileTo(const std::string &Folder, std::vector<std::string> &Objects) const;
  int archive(const std::vector<std::string> &Objects) const;
  int emptyObject(const std::string &Folder) const;

  const Job &Asked;
  std::string Toolkit;
  bool Dry = Asked.command().DryRun;
  bool Verbose = llvm::any_of(Asked.command().Options, [](const graphprof::nvcc::Use &Each) {
    return Each.Nvcc && Each.Nvcc->Long == "--verbose";
  });
};

/// As nvcc does in front of its commands.
void Run::describe() const {
  llvm::errs() << "#$ PATH=" << Toolkit << "/bin\n#$ TOP=" << Toolkit
               << "\n#$ NVVMIR_LIBRARY_DIR=" << Toolkit << "/nvvm/libdevice\n#$ INCLUDES=\"-I"
               << Toolkit << "/include\"\n#$ LIBRARIES=-L" << Toolkit
               << "/lib64\n#$ : no device code is made for -arch compute_90\n";
}

int Run::link(const std::vector<std::string> &Objects) const {
  std::vector<std::string> Command = Asked.link(Objects);
  Command[0] = Toolkit + "/bin/c++";
  if (Dry || Verbose)
    llvm::errs() << "#$ " << llvm::join(Command, " ") << "\n";
  return Dry ? 0 : runClang(Command);
}

int Run::compileTo(const std::string &Folder, std::vector<std::string> &Objects) const {
  for (const auto &Source : Asked.command().sources()) {
    Objects.push_back(Folder + "/" + std::to_string(Objects.size()) + "-" +
                      path::stem(Source.Path).str() + ".o");
    if (const int Status = compile(Source, Objects.back()))
      return Status;
  }
  return 0;
}

int Run::archive(const std::vector<std::string> &Objects) const {
  std::vector<std::string> Command{"ar", "rcs", Asked.output()};
  llvm::append_range(Command, Asked.inputs(Objects));
  auto Ended = graphprof::launcher::run(Command);
  if (!Ended)
    return fail(llvm::toString(Ended.takeError()));
  return Ended->good() ? 0 : 1;
}

/// The result of linking device code, of which there is none.
int Run::emptyObject(const std::string &Folder) const {
  const std::string Source = Folder + "/empty.cpp";
  std::error_code Code;
  llvm::raw_fd_ostream(Source, Code) << "";
  if (Code)
    return fail(Source + ": " + Code.message());
  return clang({"/usr/bin/clang++", "-c", Source, "-fPIC", "-o", Asked.output()});
}

int Run::all() {
  const graphprof::nvcc::Command &Command = Asked.command();
  if (Dry || Verbose)
    describe();
  if (Command.Inputs.empty())
    return fail("no input files; see nvcc --help");
  switch (Command.Goal) {
  case Phase::Link:
  case Phase::Library:
  case Phase::DeviceLink:
    break;
  default:
    for (const auto &Source : Command.sources()) {
      const bool Shown = Command.Goal == Phase::Preprocess || Command.Goal == Phase::Dependencies;
      if (const int Status = compile(Source, Shown ? Command.Output
                                                   : graphprof::nvcc::outputFile(Command, Source)))
        return Status;
    }
    return 0;
  }
  llvm::SmallString<128> Folder;
  if (const std::error_code Code = fs::createUniqueDirectory("graphprof-sim", Folder))
    return fail("cannot make a folder for objects: " + Code.message());
  const llvm::scope_exit Removed([&] { (void)fs::remove_directories(Folder); });
  if (Command.Goal == Phase::DeviceLink)
    return emptyObject(Folder.str().str());
  std::vector<std::string> Objects;
  if (const int Status = compileTo(Folder.str().str(), Objects))
    return Status;
  return Command.Goal == Phase::Library ? archive(Objects) : link(Objects);
}

} // namespace

/// clang++ that links with libcudasim.
static int asHostCompiler(const std::string &Toolkit, const std::vector<std::string> &Words) {
  std::vector<std::string> Command{Toolkit + "/bin/c++", "-Qunused-arguments"};
  llvm::append_range(Command, Words);
  llvm::append_range(Command, graphprof::simcc::simulationLibraries(Toolkit));
  return runClang(Command);
}

static int asClang(const std::vector<std::string> &Words) {
  std::vector<std::string> Command{"/usr/bin/clang++", "-resource-dir",
                                   graphprof::instrument::findResourceDirectory()};
  llvm::append_range(Command, Words);
  return runClang(Command);
}

int main(int Count, const char **Given) {
  const std::vector<std::string> Words(Given + 1, Given + Count);
  const std::string Self = fs::getMainExecutable(Given[0], reinterpret_cast<void *>(&main));
  const std::string Toolkit = path::parent_path(path::parent_path(Self)).str();
  if (path::filename(Given[0]) == "c++")
    return asHostCompiler(Toolkit, Words);
  if (path::filename(Given[0]) == "clang++")
    return asClang(Words);
  for (const llvm::StringRef Word : Words)
    if (Word == "--version" || Word == "-V") {
      llvm::outs() << Version;
      return 0;
    } else if (Word == "--help" || Word == "-h") {
      llvm::outs() << Help;
      return 0;
    }
  auto Asked = Job::make(Toolkit, Words);
  if (!Asked)
    return fail(llvm::toString(Asked.takeError()));
  return Run(*Asked, Toolkit).all();
}
