// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Job.h"

#include "nvcc/HostOptions.h"
#include "nvcc/NvccOptions.h"
#include "source/CompileArgs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace graphprof::simcc {
namespace {

using nvcc::Language;
using nvcc::Phase;
using nvcc::Role;
using nvcc::Use;

/// Only names a folder from which clang finds the system's compiler and linker.
constexpr llvm::StringLiteral ClangName = "/usr/bin/clang++";

/// CUDA's own libraries. libcudasim has what is in them.
bool isCudas(llvm::StringRef Library) {
  constexpr llvm::StringLiteral Known[] = {"cuda", "cudart", "cudart_static", "cudadevrt"};
  return llvm::is_contained(Known, Library);
}

/// Whether an option of the host compiler is for code generation. The parser's part leaves those
/// out.
bool generates(llvm::StringRef Name) {
  return Name.starts_with("-O") || Name.starts_with("-g") || Name.starts_with("-fsanitize") ||
         Name == "-fno-omit-frame-pointer" || Name.starts_with("-fvisibility") ||
         Name == "-ffunction-sections" || Name == "-fdata-sections" || Name == "-pthread" ||
         Name == "-pg" || Name.starts_with("-fdebug-prefix-map=") ||
         Name.starts_with("-ffile-prefix-map=");
}

std::string refusal(const nvcc::Command &Parsed) {
  if (Parsed.Goal == Phase::DeviceOnly)
    return "no device code is made for the simulation, which runs none; build an object (-c) or a "
           "program";
  if (Parsed.Goal == Phase::Intermediate)
    return "-cuda: the simulation's compiler has no intermediate C++; build an object (-c) or a "
           "program";
  if (Parsed.sources().size() > 1 && !Parsed.Output.empty() && Parsed.Goal == Phase::Compile)
    return "-o names one object, but there are several sources; compile them one by one";
  return {};
}

} // namespace

std::vector<std::string> simulationLibraries(const std::string &Toolkit) {
  return {"-L" + Toolkit + "/lib64", "-lcudasim", "-Wl,-rpath," + Toolkit + "/lib64", "-pthread"};
}

llvm::Expected<Job> Job::make(const std::string &Toolkit, std::vector<std::string> Words) {
  auto Parsed = nvcc::parseNvccCommand(Words);
  if (!Parsed)
    return Parsed.takeError();
  if (const std::string Why = refusal(*Parsed); !Why.empty())
    return llvm::createStringError(Why);
  auto Host = nvcc::parseCommand(nvcc::Compiler::Host, Parsed->HostWords);
  if (!Host)
    return Host.takeError();
  return Job(Toolkit, std::move(Words), std::move(*Parsed), std::move(*Host));
}

void Job::addDependencies(const nvcc::Input &Source, std::vector<std::string> &Command) const {
  const nvcc::DependencySettings &Asked = Parsed.Dependencies;
  if (!Asked.Wanted)
    return;
  const bool Only = Parsed.Goal == Phase::Dependencies;
  Command.emplace_back(Asked.SystemHeaders ? (Only ? "-M" : "-MD") : (Only ? "-MM" : "-MMD"));
  if (const std::string File = nvcc::dependencyFile(Parsed, Source); !File.empty() && !Only)
    llvm::append_range(Command, std::vector<std::string>{"-MF", File});
  if (Asked.EmptyTargets)
    Command.emplace_back("-MP");
  for (const std::string &Target : Asked.Targets)
    llvm::append_range(Command, std::vector<std::string>{"-MT", Target});
  if (Asked.Targets.empty() && !Only)
    llvm::append_range(Command, std::vector<std::string>{"-MT", nvcc::outputFile(Parsed, Source)});
}

llvm::Expected<std::vector<std::string>> Job::compile(const nvcc::Input &Source,
                                                      const std::string &Output) const {
  instrument::CompileFlags Flags;
  Flags.Flags = {"nvcc"};
  llvm::append_range(Flags.Flags, Words);
  Flags.CudaPath = Toolkit;
  auto Parsable = instrument::clangCommand(Source.Path, Flags);
  if (!Parsable)
    return Parsable.takeError();
  if (!Parsable->Ignored.empty())
    return llvm::createStringError("unknown option '" + Parsable->Ignored.front() + "'");
  std::vector<std::string> Command = std::move(Parsable->Words);
  Command[0] = ClangName.str();
  Command.resize(Command.size() - 2); // "--" and the source
  // Kernels of all objects are registered when the program starts, whether or not device code is
  // relocatable.
  llvm::erase_if(
      Command, [](llvm::StringRef Word) { return Word == "-fsyntax-only" || Word == "-fgpu-rdc"; });
  if (Source.Kind == Language::Cuda)
    llvm::append_range(
        Command, std::vector<std::string>{
                     "--no-offload-new-driver",
                     // With any device image, clang emits the calls that register kernels by name.
                     "-Xclang", "-fcuda-include-gpubinary", "-Xclang", Toolkit + "/device-image"});
  for (const Use &Each : Parsed.Options)
    if (Each.Nvcc && (Each.Nvcc->Short == "-O" || Each.Nvcc->Short == "-g"))
      Command.push_back(Each.Nvcc->Short.str() + Each.Value.value_or(""));
    else if (!Each.Nvcc && !Each.Host && generates(Each.Name))
      Command.push_back(Each.Name);
  for (const Use &Each : Host.Options)
    if (!Each.Nvcc && generates(Each.Name))
      llvm::append_range(Command, Each.Words);
  addDependencies(Source, Command);
  if (Parsed.Goal == Phase::Preprocess)
    Command.emplace_back("-E");
  else if (Parsed.Goal != Phase::Dependencies)
    Command.emplace_back("-c");
  llvm::append_range(Command, std::vector<std::string>{"-Qunused-arguments", Source.Path});
  if (!Output.empty())
    llvm::append_range(Command, std::vector<std::string>{"-o", Output});
  return Command;
}

std::vector<std::string> Job::inputs(const std::vector<std::string> &Objects) const {
  std::vector<std::string> Result;
  Result.reserve(Parsed.Inputs.size());
  size_t Next = 0;
  for (const nvcc::Input &Each : Parsed.Inputs)
    Result.push_back(Each.Kind == Language::None ? Each.Path : Objects[Next++]);
  return Result;
}

std::vector<std::string> Job::link(const std::vector<std::string> &Objects) const {
  // Libraries resolve what is in front of them, so the order counts.
  std::multimap<unsigned, std::vector<std::string>> Parts;
  const std::vector<std::string> Files = inputs(Objects);
  for (size_t I = 0; I < Files.size(); ++I)
    Parts.emplace(Parsed.Inputs[I].Where.First, std::vector{Files[I]});
  for (const Use &Each : Parsed.Options) {
    std::vector<std::string> Part;
    if (Each.Nvcc && Each.Nvcc->Means == Role::Library) {
      if (Each.Nvcc->Short == "-shared")
        Part.emplace_back("-shared");
      for (const std::string &Value : Each.Values)
        if (Each.Nvcc->Short == "-l" && !isCudas(Value))
          Part.push_back("-l" + Value);
        else if (Each.Nvcc->Short == "-L")
          Part.push_back("-L" + Value);
        else if (Each.Nvcc->Short == "-Xlinker")
          llvm::append_range(Part, std::vector<std::string>{"-Xlinker", Value});
    } else if (!Each.Nvcc &&
               (llvm::StringRef(Each.Name).starts_with("-Wl,") || generates(Each.Name))) {
      Part = Each.Words;
    }
    Parts.emplace(Each.Where.First, std::move(Part));
  }

  std::vector<std::string> Command{ClangName.str(), "-Qunused-arguments"};
  for (auto &[Place, Part] : Parts)
    llvm::append_range(Command, Part);
  // nvcc gives these to the host compiler when it links, too.
  for (const Use &Each : Host.Options)
    if ((Each.Host && Each.Host->Means == Role::Library) ||
        (!Each.Host && (generates(Each.Name) || Each.Name == "-fopenmp" ||
                        llvm::StringRef(Each.Name).starts_with("-Wl,") ||
                        llvm::StringRef(Each.Name).starts_with("-static") ||
                        Each.Name == "-shared" || Each.Name == "-no-pie" || Each.Name == "-pie")))
      llvm::append_range(Command, Each.Words);
  llvm::append_range(Command, simulationLibraries(Toolkit));
  llvm::append_range(Command, std::vector<std::string>{"-o", output()});
  return Command;
}

std::string Job::output() const {
  if (!Parsed.Output.empty())
    return Parsed.Output;
  return Parsed.Goal == Phase::Library      ? "a.a"
         : Parsed.Goal == Phase::DeviceLink ? "a_dlink.o"
                                            : "a.out";
}

} // namespace graphprof::simcc
