// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Prints docs/nvcc-options.md.

#include "NvccOptions.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"

namespace graphprof::nvcc {
namespace {

constexpr llvm::StringLiteral Head = R"(# nvcc's options

`graphprof-instrument` takes nvcc's command lines as they are, and parses the host side of each source with clang. Look up here
what it does with an option of nvcc 13.0. The compiler of the copy gets all of them.

Options are written as for nvcc, also in `NVCC_PREPEND_FLAGS`, `NVCC_APPEND_FLAGS` and options files. Options that nvcc does not
know are clang's own, if clang has them; others, as those of a newer nvcc, are ignored with a warning. With
`-forward-unknown-to-host-compiler` and its like, all of them are treated as `-Xcompiler`'s.

## What clang gets

| option | value | clang gets | why |
| --- | --- | --- | --- |
)";

// Before the options that change nothing, by the reason.
constexpr llvm::StringLiteral Dropped = R"(
`-Xcompiler` is usually meant for GCC. clang gets macros, include paths, and options that change the language or its predefined
macros (`-fno-exceptions`, `-fopenmp`, `-march=...`, `-mavx2`, `-pthread`), if clang knows them.

## What changes nothing for the parse

| why | options |
| --- | --- |
)";

constexpr llvm::StringLiteral Refused = R"(
## What is refused

The tool reports an error for that source, goes on with the others, and exits with status 1.

| option | why |
| --- | --- |
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
  case Parse::Refuse:
    return "";
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

std::string namesOf(const NvccOption &Option) {
  std::string Names = "`" + Option.Long.str() + "`";
  if (Option.Short != Option.Long)
    Names += " `" + Option.Short.str() + "`";
  return Names;
}

} // namespace

void printNvccOptions(llvm::raw_ostream &Out) {
  llvm::MapVector<llvm::StringRef, std::string> NamesByReason;
  std::string Refusals;
  Out << Head;
  for (const NvccOption &Option : nvccOptions()) {
    if (Option.Does == Parse::Drop) {
      std::string &Names = NamesByReason[Option.Reason];
      Names += (Names.empty() ? "" : ", ") + namesOf(Option);
    } else if (Option.Does == Parse::Refuse) {
      Refusals += "| " + namesOf(Option) + " | " + Option.Reason.str() + " |\n";
    } else {
      Out << "| " << namesOf(Option) << " | " << valueOf(Option) << " | " << parseOf(Option)
          << " | " << Option.Reason << " |\n";
    }
  }
  Out << Dropped;
  for (const auto &[Reason, Names] : NamesByReason)
    Out << "| " << Reason << " | " << Names << " |\n";
  Out << Refused << Refusals;
}

} // namespace graphprof::nvcc
