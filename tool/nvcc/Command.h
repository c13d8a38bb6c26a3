// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a compiler's command line says: inputs, output, phase, include paths, dependency file, and
// every option with its place among the words, so that a caller can replace or insert words.
//
// nvcc's commands are read as nvcc 13.0 reads them, from the table in NvccOptions.h. Commands of
// g++, gcc, c++, cc, clang and clang++ (C, C++ and clang's CUDA) are understood only as far as this
// file says: a table (HostOptions.h) has some of their options, and clang's own table says which of
// the others take a value as a separate word.
//
//   auto Parsed = parseCommand("nvcc", {"-c", "a.cu", "-o", "a.o", "-Iinc"});
//   Parsed->Goal           // Phase::Compile
//   Parsed->Inputs[0]      // {"a.cu", Language::Cuda, {1, 1}}
//   Parsed->Output         // "a.o"

#ifndef GRAPHPROF_TOOL_NVCC_COMMAND_H
#define GRAPHPROF_TOOL_NVCC_COMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <optional>
#include <string>
#include <vector>

namespace graphprof::nvcc {

struct NvccOption;
struct HostOption;

/// Which compiler the words are for.
enum class Compiler {
  Nvcc,
  Host,   ///< g++, gcc, c++, cc, clang, clang++, cudasim-cc
  Either, ///< flags without a compiler's name: nvcc's table first, then the host's
};

/// Recognizes a compiler by its name, which may have a directory, a target and a version
/// (`/opt/bin/x86_64-linux-gnu-g++-12`). Nothing for other programs.
std::optional<Compiler> compilerOf(llvm::StringRef Program);

/// Whether a host compiler of this name takes clang's options: clang, and cudasim-cc, which is
/// clang with the headers of the simulated CUDA runtime.
bool isClang(llvm::StringRef Program);

/// Where the compiler stops. If several options choose a phase, the one that is later in this list
/// wins, as in nvcc.
enum class Phase {
  Link,         ///< no option, or -link, -run
  Library,      ///< -lib
  Compile,      ///< -c, -dc, -dw
  Assembly,     ///< -S of a host compiler
  Intermediate, ///< -cuda: the C++ that nvcc gives to the host compiler
  DeviceLink,   ///< -dlink
  DeviceOnly,   ///< -ptx, -cubin, -fatbin, -optix-ir, -ltoir: no host code
  SyntaxOnly,   ///< -fsyntax-only of a host compiler
  Preprocess,   ///< -E
  Dependencies, ///< -M, -MM
  Nothing,      ///< --help, --version, --clean-targets, --list-gpu-code, ...
};

enum class Language {
  None, ///< not a source: an object, library, or the output of an earlier phase
  Cuda,
  Cxx,
  C,
};

/// The position of words in the command. Words from an options file have the place of the option
/// that names the file; words from the environment have no place.
struct Place {
  unsigned First = 0;
  unsigned Count = 0;
  enum { CommandLine, OptionsFile, Environment } From = CommandLine;

  /// Whether these words can be replaced in the command line.
  [[nodiscard]] bool replaceable() const { return From == CommandLine; }
};

/// One option as it was used.
struct Use {
  const NvccOption *Nvcc = nullptr; ///< null: not an option of nvcc
  const HostOption *Host = nullptr; ///< null: not in HostOptions.h
  std::string Name; ///< as written, without its value: `-I`, `--include-path`; one of a
                    ///< host compiler as in HostOptions.h, or whole
  std::optional<std::string> Value; ///< as written
  std::vector<std::string> Values;  ///< the items of nvcc's lists; otherwise the value alone
  std::vector<std::string> Words;   ///< as written, with separate values
  Place Where;
};

struct Input {
  std::string Path;
  Language Kind = Language::None;
  Place Where;
};

/// A directory that `-I` or a similar option adds to the search path.
struct IncludePath {
  std::string Path;
  enum { Quote, Normal, System, After } Kind = Normal; ///< -iquote, -I, -isystem, -idirafter
  Place Where;
};

/// The settings of -M and related options.
struct DependencySettings {
  bool Wanted = false;              ///< -M, -MM, -MD, -MMD
  bool SystemHeaders = false;       ///< -M, -MD
  bool EmptyTargets = false;        ///< -MP
  std::string File;                 ///< of -MF; see dependencyFile() for the default
  std::vector<std::string> Targets; ///< of -MT, -MQ
};

struct Command {
  Compiler Program = Compiler::Nvcc;
  Phase Goal = Phase::Link;
  std::vector<Use> Options;       ///< in order: NVCC_PREPEND_FLAGS, words, NVCC_APPEND_FLAGS
  std::vector<std::string> Words; ///< as given, with options files expanded
  std::vector<Input> Inputs;
  std::string Output;          ///< of -o; see outputFile() for the default
  std::string OutputDirectory; ///< of nvcc's -odir
  std::vector<IncludePath> IncludePaths;
  DependencySettings Dependencies;
  std::vector<std::string> HostWords; ///< what nvcc passes to the host compiler: -Xcompiler's
                                      ///< values, and unknown options if they are forwarded
  bool ForwardsUnknown = false;       ///< -forward-unknown-to-host-compiler, -forward-unknown-opts
  bool DryRun = false;                ///< -dryrun, or -### of a host compiler
  bool Keeps = false;                 ///< -keep, -save-temps: named after the inputs
  bool Expanded = false;              ///< it has words of options files or the environment

  /// The sources among the inputs.
  [[nodiscard]] std::vector<Input> sources() const;
};

/// What a command line depends on besides its own words. The defaults are this process's.
struct Surroundings {
  llvm::vfs::FileSystem *Files = nullptr; ///< options files, relative to its working directory
  std::optional<llvm::function_ref<std::optional<std::string>(llvm::StringRef)>> Environment;
};

/// Reads the words that follow the compiler's name. Options files (nvcc's --options-file, and @file
/// of host compilers) are replaced by their contents, recursively. For nvcc, NVCC_PREPEND_FLAGS and
/// NVCC_APPEND_FLAGS are read too. Fails if an option lacks its value, or if an options file cannot
/// be read or includes itself.
llvm::Expected<Command> parseCommand(Compiler Program, llvm::ArrayRef<std::string> Words,
                                     const Surroundings &Around = {});
llvm::Expected<Command> parseNvccCommand(llvm::ArrayRef<std::string> Words,
                                         const Surroundings &Around = {});

/// The output file for one of the inputs; without -o, the compiler's default. Empty for standard
/// output.
std::string outputFile(const Command &Given, const Input &Source);

/// The dependency file for one of the inputs. Empty for standard output, or if none is wanted.
std::string dependencyFile(const Command &Given, const Input &Source);

} // namespace graphprof::nvcc

#endif
