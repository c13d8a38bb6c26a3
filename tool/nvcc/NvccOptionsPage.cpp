// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// docs/nvcc-options.md.

#include "NvccOptions.h"

#include "llvm/Support/raw_ostream.h"

namespace graphprof::nvcc {
namespace {

constexpr llvm::StringLiteral Head = R"(# nvcc's options

`graphprof-instrument` takes nvcc's command lines as they are, and parses the host side of each source with clang. This page says
what becomes of each option of nvcc 13.0. It is printed from the table that the tool reads, tool/nvcc/NvccOptions.cpp; a test
compares the two.

- *Translated*: clang is given what stands in the third column.
- *Dropped*: nothing that the parse of the host side would see. The compiler that builds the instrumented copy still gets it.
- *Refused*: the tool says so for that source and goes on with the others; exit status 1.

How options are written is nvcc's way: values may follow as a word of their own or behind `=`, for both names; right behind the
name only where the second column says `-Xvalue`. Lists are separated by commas. In `-D`, `-Xcompiler` and other lists of strings
double quotes protect a comma and stay, a backslash protects one character and goes; in lists of paths quotes go and backslashes
stay. Options files (`--options-file`; `@file` too) may name further ones, relative to the directory where the command runs.
`NVCC_PREPEND_FLAGS` and `NVCC_APPEND_FLAGS` are read as nvcc reads them.

Options that nvcc does not know: with `-forward-unknown-to-host-compiler` and its like they are treated as behind `-Xcompiler`,
else they are taken for clang's own. What stands behind `-Xcompiler` is for GCC as a rule. Of that clang is given macros, include
paths, and options that change the language or its predefined macros (`-fno-exceptions`, `-fopenmp`, `-march=...`, `-mavx2`,
`-pthread`), where clang knows them; warnings, optimization and code generation are left out.

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
