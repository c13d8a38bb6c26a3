// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The command-line options of nvcc 13.0: how each is written, what it says about the command, and
// how it is translated for clang, which parses the host side. Everything else reads this one table.
// docs/nvcc-options.md is printed from it, and a test compares it with `nvcc --help`.

#ifndef GRAPHPROF_TOOL_NVCC_NVCCOPTIONS_H
#define GRAPHPROF_TOOL_NVCC_NVCCOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace graphprof::nvcc {

/// How an option takes its value. nvcc accepts `--long v`, `--long=v`, `-short v` and `-short=v`;
/// only Joined options also accept a value directly behind the name.
enum class Takes {
  Nothing,
  Value,
  Joined,  ///< as Value, or directly behind the short name: -O3, -t4
  Maybe,   ///< no value if it is the last word, or before another option
  Boolean, ///< as Value: true or false
  Strings, ///< as Value, a list: see splitStrings()
  JoinedStrings,
  Paths, ///< as Value, a list: see splitPaths()
  JoinedPaths,
};

/// What the option says about the compile command.
enum class Role {
  Nothing,
  Goal,         ///< where the compiler stops: Phase
  Language,     ///< the language of the inputs
  Output,       ///< the output file
  OutputFolder, ///< its directory
  Include,      ///< a directory to search for headers
  Define,       ///< a macro, or a header in front of the source
  Library,      ///< an option for the linker
  Dependencies, ///< -M and related options
  OptionsFile,  ///< a file with more options
  Forward,      ///< unknown options go to the host compiler or linker
  HostOptions,  ///< options for the host compiler
  DryRun,
  Keep,
};

/// How the option is translated for clang, which parses the host side.
enum class Parse {
  Drop,     ///< dropped: it does not affect parsing
  Refuse,   ///< an error: sources cannot be parsed with it
  Pass,     ///< `Clang`, then each value as a word of its own
  Attach,   ///< `Clang` joined with each value
  IfTrue,   ///< like Add, if the value is true
  Add,      ///< `Clang`, words separated by blanks
  Host,     ///< the values are options of the host compiler, here clang
  Language, ///< clang's -x
  Stream,   ///< defines the macro for per-thread default streams
  Arch,     ///< adds the virtual architectures to nvcc's macro
  Expand,   ///< replaced by the file's contents
};

struct NvccOption {
  llvm::StringLiteral Long;  ///< with both dashes
  llvm::StringLiteral Short; ///< with its dash
  Takes Operand;
  Role Means;
  Parse Does;
  llvm::StringLiteral Clang;
  llvm::StringLiteral Reason; ///< why it is dropped, refused or translated
};

/// All options, in the order of `nvcc --help`.
llvm::ArrayRef<NvccOption> nvccOptions();

/// An option and the value in the same word, if any.
struct NvccMatch {
  const NvccOption *Option = nullptr;
  llvm::StringRef Name;
  llvm::StringRef Value;
  bool HasValue = false;
};

/// How nvcc reads a word: as an exact name, as `name=value`, or as a short name followed by its
/// value. Has no option if nvcc does not know the word.
NvccMatch matchNvccOption(llvm::StringRef Word);

[[nodiscard]] constexpr bool isList(Takes Operand) {
  return Operand == Takes::Strings || Operand == Takes::JoinedStrings || Operand == Takes::Paths ||
         Operand == Takes::JoinedPaths;
}
[[nodiscard]] constexpr bool isJoined(Takes Operand) {
  return Operand == Takes::Joined || Operand == Takes::JoinedStrings ||
         Operand == Takes::JoinedPaths;
}

/// The kinds of warnings that -Werror accepts.
llvm::ArrayRef<llvm::StringLiteral> nvccWarningKinds();

/// Prints the table as docs/nvcc-options.md.
void printNvccOptions(llvm::raw_ostream &Out);

} // namespace graphprof::nvcc

#endif
