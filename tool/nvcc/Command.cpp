// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Derives the names of output files from a command that has been read.

#include "Command.h"

#include "NvccOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

namespace graphprof::nvcc {
namespace {

namespace path = llvm::sys::path;

/// The extension of nvcc's output if it stops before the host code.
llvm::StringRef deviceExtension(const NvccOption &Goal) {
  return llvm::StringSwitch<llvm::StringRef>(Goal.Long)
      .Case("--ptx", "ptx")
      .Case("--cubin", "cubin")
      .Case("--fatbin", "fatbin")
      .Case("--optix-ir", "optixir")
      .Case("--ltoir", "ltoir")
      .Default("");
}

std::string withExtension(llvm::StringRef File, llvm::StringRef Extension) {
  llvm::SmallString<128> Result(File);
  path::replace_extension(Result, Extension);
  return Result.str().str();
}

/// A file named after the source, in the output directory if one is given, otherwise in the working
/// directory.
std::string beside(const Command &Given, const Input &Source, llvm::StringRef Extension) {
  llvm::SmallString<128> Result(Given.OutputDirectory);
  path::append(Result, withExtension(path::filename(Source.Path), Extension));
  return Result.str().str();
}

} // namespace

std::optional<Compiler> compilerOf(llvm::StringRef Program) {
  llvm::StringRef Name = path::filename(Program);
  if (Name == "nvcc")
    return Compiler::Nvcc;
  if (Name == "graphprof-cc") // the launcher, not a cc with the target "graphprof"
    return std::nullopt;
  if (Name == "cudasim-cc")
    return Compiler::Host;
  // Removes a version (`-12`, `-12.2`) and a target (`x86_64-linux-gnu-`).
  const llvm::StringRef Bare = Name.rtrim("0123456789.");
  if (Bare.size() < Name.size() && Bare.ends_with("-"))
    Name = Bare.drop_back();
  for (const llvm::StringRef Host : {"clang++", "clang", "g++", "gcc", "c++", "cc"})
    if (Name == Host || (Name.ends_with(Host) && Name.drop_back(Host.size()).ends_with("-")))
      return Compiler::Host;
  return std::nullopt;
}

bool isClang(llvm::StringRef Program) {
  const llvm::StringRef Name = path::filename(Program);
  return Name.contains("clang") || Name == "cudasim-cc";
}

std::vector<Input> Command::sources() const {
  std::vector<Input> Found;
  llvm::copy_if(Inputs, std::back_inserter(Found),
                [](const Input &Each) { return Each.Kind != Language::None; });
  return Found;
}

std::string outputFile(const Command &Given, const Input &Source) {
  if (!Given.Output.empty())
    return Given.Output == "-" ? "" : Given.Output;
  switch (Given.Goal) {
  case Phase::Link:
    return "a.out";
  case Phase::Library:
    return "a.a";
  case Phase::DeviceLink:
    return "a_dlink.o";
  case Phase::Compile:
    return beside(Given, Source, "o");
  case Phase::Assembly:
    return beside(Given, Source, "s");
  case Phase::Intermediate:
    return beside(Given, Source, "cu.cpp.ii");
  case Phase::DeviceOnly:
    for (const Use &Each : llvm::reverse(Given.Options))
      if (Each.Nvcc && !deviceExtension(*Each.Nvcc).empty())
        return beside(Given, Source, deviceExtension(*Each.Nvcc));
    return beside(Given, Source, "o");
  case Phase::SyntaxOnly:
  case Phase::Preprocess:
  case Phase::Dependencies:
  case Phase::Nothing:
    return "";
  }
  llvm_unreachable("all phases are above");
}

std::string dependencyFile(const Command &Given, const Input &Source) {
  if (!Given.Dependencies.Wanted)
    return "";
  const std::string &File = Given.Dependencies.File;
  if (Given.Goal == Phase::Dependencies) {
    const bool OutputFirst = Given.Program != Compiler::Host && !Given.Output.empty();
    return OutputFirst || File.empty() ? Given.Output : File;
  }
  if (!File.empty())
    return File;
  return Given.Output.empty() ? beside(Given, Source, "d") : withExtension(Given.Output, "d");
}

} // namespace graphprof::nvcc
