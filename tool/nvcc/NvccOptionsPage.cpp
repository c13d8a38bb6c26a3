// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Prints docs/nvcc-options.md.

#include "NvccOptions.h"

#include "llvm/Support/raw_ostream.h"

namespace graphprof::nvcc {
namespace {

constexpr llvm::StringLiteral Head = R"(# nvcc's options

`graphprof-instrument` takes nvcc's command lines as they are, and parses the host side of each source with clang. Look up here
what the tool does with an option of nvcc 13.0.

| in the third column | means |
| --- | --- |
| flags, or *translated* | clang gets these flags instead |
| *dropped* | the option changes nothing that the parse of the host side sees. The compiler of the copy still gets it |
| *refused* | the tool reports an error for that source, goes on with the others, and exits with status 1 |

**How to write options**: as for nvcc.

- A value follows as a word of its own or behind `=`, for both names. It follows right behind the name only if the second column
  says `-Xvalue`.
- Commas separate the items of a list. In `-D`, `-Xcompiler` and other lists of strings, double quotes protect a comma and stay, and a
  backslash protects one character and goes. In lists of paths, quotes go and backslashes stay.
- Options files (`--options-file`, `@file`) may name further ones, relative to the directory where the command runs.
- `NVCC_PREPEND_FLAGS` and `NVCC_APPEND_FLAGS` are read as nvcc reads them.

**Options that nvcc does not know** are clang's own, if clang has them; others, as those of a newer nvcc, are ignored with a
warning. With `-forward-unknown-to-host-compiler` and its like, all of them are treated as `-Xcompiler`'s.

**`-Xcompiler`** is usually meant for GCC. clang gets macros, include paths, and options that change the language or its predefined
macros (`-fno-exceptions`, `-fopenmp`, `-march=...`, `-mavx2`, `-pthread`), if clang knows them. Warnings, optimization and code
generation are left out.

| option | value | for the parse | why |
| --- | --- | --- | --- |
)";

std::string valueOf(const NvccOption &Option) {
  const std::string AlsoJoined = ", also `" + Option.Short.str() + "value`";
  switch (Option.Operand) {
  case Takes::Nothing:
    return "";
  case Takes::Value:
    return "value";
  case Takes::Joined:
    return "value" + AlsoJoined;
  case Takes::Maybe:
    return "value, or none";
  case Takes::Boolean:
    return "`true` or `false`";
  case Takes::Strings:
    return "strings";
  case Takes::JoinedStrings:
    return "strings" + AlsoJoined;
  case Takes::Paths:
    return "paths";
  case Takes::JoinedPaths:
    return "paths" + AlsoJoined;
  }
  llvm_unreachable("all operands are above");
}

std::string parseOf(const NvccOption &Option) {
  const std::string Clang = Option.Clang.str();
  switch (Option.Does) {
  case Parse::Drop:
    return "dropped";
  case Parse::Refuse:
    return "refused";
  case Parse::Pass:
  case Parse::Language:
    return "`" + Clang + " value`";
  case Parse::Attach:
    return "`" + Clang + "value`";
  case Parse::IfTrue:
    return "`" + Clang + "`, if true";
  case Parse::Add:
  case Parse::Stream:
    return "`" + Clang + "`";
  case Parse::Arch:
    return "in `" + Clang + "`";
  case Parse::Host:
    return "translated";
  case Parse::Expand:
    return "expanded";
  }
  llvm_unreachable("all kinds are above");
}

} // namespace

void printNvccOptions(llvm::raw_ostream &Out) {
  Out << Head;
  for (const NvccOption &Option : nvccOptions()) {
    Out << "| `" << Option.Long << "`";
    if (Option.Short != Option.Long)
      Out << " `" << Option.Short << "`";
    Out << " | " << valueOf(Option) << " | " << parseOf(Option) << " | " << Option.Reason << " |\n";
  }
}

} // namespace graphprof::nvcc
