// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/NvccArgs.h"

#include "nvcc/ClangOptions.h"
#include "nvcc/HostOptions.h"
#include "nvcc/NvccOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <set>
#include <utility>

namespace graphprof::instrument {
namespace {

using nvcc::Compiler;
using nvcc::NvccOption;
using nvcc::Parse;
using nvcc::Use;

/// Which single-word options are passed to clang.
enum class Trust {
  Clang, ///< all except warnings; clang rejects what it does not know
  Gcc,   ///< those that change the language or a macro, and that clang knows
};

bool clangKnows(llvm::StringRef Word) { return nvcc::matchClangOption(Word.str()).Known; }

/// GCC knows processors that clang rejects. Their macros are then missing.
bool clangKnowsProcessor(llvm::StringRef Name) {
  if (!llvm::Triple(llvm::sys::getDefaultTargetTriple()).isX86() || Name == "native")
    return true;
  return llvm::X86::parseArchX86(Name) != llvm::X86::CK_None;
}

/// Whether a -f option of GCC's changes the language or a predefined macro.
bool changesLanguage(llvm::StringRef Option) {
  constexpr llvm::StringLiteral Known[] = {"PIC",
                                           "PIE",
                                           "aligned-new",
                                           "asm",
                                           "builtin",
                                           "char8_t",
                                           "concepts",
                                           "constexpr-depth",
                                           "coroutines",
                                           "dollars-in-identifiers",
                                           "exceptions",
                                           "fast-math",
                                           "finite-math-only",
                                           "freestanding",
                                           "gnu-keywords",
                                           "hosted",
                                           "ms-extensions",
                                           "openmp",
                                           "operator-names",
                                           "pack-struct",
                                           "permissive",
                                           "pic",
                                           "pie",
                                           "rtti",
                                           "short-enums",
                                           "short-wchar",
                                           "signed-char",
                                           "sized-deallocation",
                                           "template-depth",
                                           "unsigned-char",
                                           "wrapv"};
  Option.consume_front("no-");
  return llvm::is_contained(Known, Option.split('=').first);
}

bool keep(llvm::StringRef Word, Trust Whose) {
  // Warnings are for the real compilation. -Wp,-D and the like are for the preprocessor.
  if (Word.starts_with("-W"))
    return Word.starts_with("-Wp,-D") || Word.starts_with("-Wp,-U");
  if (Word == "-pedantic-errors" || Word == "--pedantic-errors")
    return false; // errors about GNU's extensions are, too
  if (Whose == Trust::Clang)
    return true;
  if (!clangKnows(Word))
    return false;
  if (llvm::StringRef Option = Word; Option.consume_front("-f"))
    return changesLanguage(Option);
  if (Word.consume_front("-march="))
    return clangKnowsProcessor(Word);
  if (Word.starts_with(
          "-m")) // values of -mtune and -mcmodel, for example, have other names in clang
    return !Word.contains('=');
  return !Word.starts_with("-O") && !Word.starts_with("-g") && !Word.starts_with("--param");
}

class Translator {
public:
  explicit Translator(Trust Unknown) : Unknown(Unknown) {}

  llvm::Error translate(const nvcc::Command &Given);
  ClangArgs Result;

private:
  llvm::Error translateNvcc(const NvccOption &Option, const Use &Used);
  llvm::Error translateHost(const std::vector<std::string> &Words);
  void add(llvm::StringRef Words) {
    for (const llvm::StringRef Word : llvm::split(Words, ' '))
      Result.Flags.push_back(Word.str());
  }
  void setLanguage(llvm::StringRef Name) {
    Result.Language = Name == "cu" ? "cuda" : Name == "none" ? "" : Name.str();
  }

  void addArchitecture(llvm::StringRef Value);

  Trust Unknown;
  std::set<unsigned> Architectures; ///< numbered as in nvcc's macros: 900 for sm_90
};

llvm::Error Translator::translate(const nvcc::Command &Given) {
  // Parsed as one command, because `-Xcompiler -include -Xcompiler x.h` is one option. nvcc puts
  // these words first.
  if (!Given.HostWords.empty())
    if (llvm::Error Problem = translateHost(Given.HostWords))
      return Problem;
  const bool Forwards = llvm::any_of(Given.Options, [](const Use &Used) {
    return Used.Nvcc && Used.Nvcc->Means == nvcc::Role::Forward;
  });
  bool ValueFollows = false; // to a flag of clang's in an nvcc command, as -Xclang
  for (const Use &Used : Given.Options) {
    const bool IsValue = std::exchange(ValueFollows, false);
    if (Used.Nvcc) {
      if (llvm::Error Problem = translateNvcc(*Used.Nvcc, Used))
        return Problem;
    } else if (Used.Host) {
      if (Used.Host->Does == Parse::Pass)
        llvm::append_range(Result.Flags, Used.Words);
      else if (Used.Host->Does == Parse::Language)
        setLanguage(Used.Value.value_or(""));
    } else if (Forwards) { // they are among HostWords
    } else if (IsValue) {
      llvm::append_range(Result.Flags, Used.Words);
    } else if (Given.Program == Compiler::Nvcc && !clangKnows(Used.Words.front())) {
      llvm::append_range(Result.Unknown, Used.Words);
    } else if (keep(Used.Words.front(), Unknown)) {
      llvm::append_range(Result.Flags, Used.Words);
      ValueFollows =
          Given.Program == Compiler::Nvcc && nvcc::matchClangOption(Used.Words.front()).Words > 1;
    }
  }
  if (!Architectures.empty())
    Result.Flags.push_back(
        "-D__CUDA_ARCH_LIST__=" +
        llvm::join(
            llvm::map_range(Architectures, [](unsigned Each) { return std::to_string(Each); }),
            ","));
  return llvm::Error::success();
}

/// Takes the architecture from `sm_90a` or `arch=compute_90`. nvcc's macro does not list
/// `code=sm_90` of `-gencode`.
void Translator::addArchitecture(llvm::StringRef Value) {
  Value.consume_front("arch=");
  unsigned Number = 0;
  if ((Value.consume_front("sm_") || Value.consume_front("compute_")) &&
      !Value.consumeInteger(10, Number))
    Architectures.insert(Number * 10);
}

llvm::Error Translator::translateNvcc(const NvccOption &Option, const Use &Used) {
  switch (Option.Does) {
  case Parse::Drop:
  case Parse::Expand: // the parser has expanded it
  case Parse::Host:   // all of them are handled together, above
    break;
  case Parse::Refuse:
    return llvm::createStringError("compile flag '%s': %s", Used.Name.c_str(),
                                   Option.Reason.data());
  case Parse::Pass:
    for (const std::string &Value : Used.Values)
      llvm::append_range(Result.Flags, std::vector{Option.Clang.str(), Value});
    break;
  case Parse::Attach:
    for (const std::string &Value : Used.Values)
      Result.Flags.push_back(Option.Clang.str() + Value);
    break;
  case Parse::IfTrue:
    if (Used.Value == "true")
      add(Option.Clang);
    break;
  case Parse::Add:
    add(Option.Clang);
    break;
  case Parse::Language:
    setLanguage(Used.Value.value_or(""));
    break;
  case Parse::Arch:
    for (const llvm::StringRef Value : Used.Values)
      if (Used.Values.size() == 1 || Value.starts_with("arch="))
        addArchitecture(Value);
    break;
  case Parse::Stream:
    if (Used.Value == "per-thread")
      add(Option.Clang);
    break;
  }
  return llvm::Error::success();
}

llvm::Error Translator::translateHost(const std::vector<std::string> &Words) {
  auto Given = nvcc::parseCommand(Compiler::Host, Words);
  if (!Given)
    return Given.takeError();
  Translator Inner(Trust::Gcc);
  if (llvm::Error Problem = Inner.translate(*Given))
    return Problem;
  llvm::append_range(Result.Flags, Inner.Result.Flags);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<ClangArgs> translateArgs(llvm::ArrayRef<std::string> Flags,
                                        const nvcc::Surroundings &Around) {
  Compiler Program = Compiler::Either;
  Trust Unknown = Trust::Clang;
  std::string Name;
  for (size_t I = 0; I < Flags.size() && !llvm::StringRef(Flags[I]).starts_with("-"); ++I) {
    if (const auto Known = nvcc::compilerOf(Flags[I])) {
      Program = *Known;
      Name = Flags[I];
      if (Program == Compiler::Host && !nvcc::isClang(Name))
        Unknown = Trust::Gcc;
      Flags = Flags.drop_front(I + 1);
      break;
    }
  }
  auto Given = nvcc::parseCommand(Program, Flags, Around);
  if (!Given)
    return Given.takeError();
  Translator Translation(Unknown);
  if (llvm::Error Problem = Translation.translate(*Given))
    return Problem;
  Translation.Result.Compiler = std::move(Name);
  return std::move(Translation.Result);
}

} // namespace graphprof::instrument
