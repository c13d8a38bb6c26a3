// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "NvccArgs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"

namespace graphprof::instrument {
namespace {

enum class Takes {
  Nothing, ///< -dc
  Value,   ///< -arch sm_90, -arch=sm_90
  Joined,  ///< as Value, or with the value right behind: -Idir, -O3
};

enum class Action {
  Drop,     ///< nothing that the parser would see
  Pass,     ///< `Clang`, then the value as an argument of its own if there is one
  Attach,   ///< `Clang` and the value in one argument
  Switch,   ///< `Clang` if the value is true
  Define,   ///< -D`Clang`: a macro that nvcc predefines when it sees the option
  Host,     ///< the value is a comma-separated list for the host compiler, which clang is here
  Language, ///< the value is a language
  Stream,   ///< the value chooses the default stream
  File,     ///< the value names a file with more options
};

struct Rule {
  llvm::StringLiteral Names; ///< separated by blanks; the short and long forms
  Takes Operand;
  Action Does;
  llvm::StringLiteral Clang;
};

// In the order of nvcc's manual, chapter "NVCC Command Options". Long options may be written with
// one or two dashes.
constexpr Rule Rules[] = {
    // File and path specifications.
    {"-o --output-file", Takes::Value, Action::Drop, ""},
    {"-objtemp --objdir-as-tempdir", Takes::Nothing, Action::Drop, ""},
    {"-include --pre-include", Takes::Value, Action::Pass, "-include"},
    {"-l --library", Takes::Joined, Action::Drop, ""},
    {"-D --define-macro", Takes::Joined, Action::Attach, "-D"},
    {"-U --undefine-macro", Takes::Joined, Action::Attach, "-U"},
    {"-I --include-path", Takes::Joined, Action::Attach, "-I"},
    {"-isystem --system-include", Takes::Joined, Action::Pass, "-isystem"},
    {"-L --library-path", Takes::Joined, Action::Drop, ""},
    {"-odir --output-directory", Takes::Value, Action::Drop, ""},
    {"-MF --dependency-output", Takes::Value, Action::Drop, ""},
    {"-MT -MQ --dependency-target-name", Takes::Value, Action::Drop, ""},
    {"-MP -MM -MD -MMD -M --generate-dependencies --generate-nonsystem-dependencies "
     "--generate-dependencies-with-compile --generate-nonsystem-dependencies-with-compile "
     "--generate-dependency-targets",
     Takes::Nothing, Action::Drop, ""},
    {"-ccbin --compiler-bindir", Takes::Value, Action::Drop,
     ""}, // clang stands in for the host compiler
    {"-allow-unsupported-compiler --allow-unsupported-compiler", Takes::Nothing, Action::Drop, ""},
    {"-cudart --cudart -cudadevrt --cudadevrt", Takes::Value, Action::Drop, ""},
    {"-ldir --libdevice-directory -target-dir --target-directory -idp --input-drive-prefix -ddp "
     "--dependency-drive-prefix -dp --drive-prefix",
     Takes::Value, Action::Drop, ""},

    // The compilation phase: the tool only parses.
    {"-dc --device-c -dw --device-w", Takes::Nothing, Action::Pass, "-fgpu-rdc"},
    {"-c --compile -S -dlink --device-link -link --link -lib --lib "
     "-ptx --ptx -cubin --cubin -fatbin --fatbin -optix-ir --optix-ir -ltoir --ltoir -cuda --cuda "
     "-E --preprocess -fsyntax-only -run --run -nodlink --no-device-link",
     Takes::Nothing, Action::Drop, ""},

    // The compiler's and linker's behaviour.
    {"-pg --profile -g --debug -lineinfo --generate-line-info -src-in-ptx --source-in-ptx "
     "-restrict --restrict -lto -dlto --dlink-time-opt -gen-opt-lto --gen-opt-lto",
     Takes::Nothing, Action::Drop, ""},
    {"-G --device-debug", Takes::Nothing, Action::Define, "__CUDACC_DEBUG__"},
    {"-O --optimize -Ofc --Ofast-compile -dopt --dopt", Takes::Joined, Action::Drop, ""},
    {"-opt-info --optimization-info", Takes::Value, Action::Drop, ""},
    {"-ftemplate-backtrace-limit --ftemplate-backtrace-limit", Takes::Value, Action::Drop, ""},
    {"-ftemplate-depth --ftemplate-depth", Takes::Value, Action::Attach, "-ftemplate-depth="},
    {"-x --x", Takes::Value, Action::Language, ""},
    {"-std --std", Takes::Value, Action::Attach, "-std="},
    {"-nohdinitlist --no-host-device-initializer-list -nohdmoveforward "
     "--no-host-device-move-forward",
     Takes::Nothing, Action::Drop, ""},
    {"-expt-relaxed-constexpr --expt-relaxed-constexpr", Takes::Nothing, Action::Define,
     "__CUDACC_RELAXED_CONSTEXPR__"},
    {"-extended-lambda --extended-lambda -expt-extended-lambda --expt-extended-lambda",
     Takes::Nothing, Action::Define, "__CUDACC_EXTENDED_LAMBDA__"},
    {"-m --machine", Takes::Value, Action::Drop, ""},
    {"-m32 -m64", Takes::Nothing, Action::Drop, ""},
    {"-hls --host-linker-script -aug-hls --augment-host-linker-script -r --relocatable-link",
     Takes::Nothing, Action::Drop, ""},

    // Options for a certain phase.
    {"-Xcompiler --compiler-options", Takes::Value, Action::Host, ""},
    {"-Xlinker --linker-options -Xarchive --archive-options -Xptxas --ptxas-options -Xnvlink "
     "--nvlink-options",
     Takes::Value, Action::Drop, ""},

    // Miscellaneous.
    {"-static-global-template-stub --static-global-template-stub -split-compile --split-compile "
     "-split-compile-extended --split-compile-extended -jump-table-density --jump-table-density "
     "-fdevice-time-trace --fdevice-time-trace -time --time -keep-dir --keep-dir",
     Takes::Value, Action::Drop, ""},
    {"-t --threads", Takes::Joined, Action::Drop, ""},
    {"-noprof --dont-use-profile -dryrun --dryrun -v --verbose -keep --keep -save-temps "
     "--save-temps -clean --clean-targets "
     "-forward-unknown-to-host-compiler --forward-unknown-to-host-compiler "
     "-forward-unknown-to-host-linker --forward-unknown-to-host-linker "
     "-forward-unknown-opts --forward-unknown-opts -noeh --no-exceptions -no-compress "
     "--no-compress -extra-device-vectorization --extra-device-vectorization "
     "-device-stack-protector --device-stack-protector",
     Takes::Nothing, Action::Drop, ""},
    {"-run-args --run-arguments", Takes::Value, Action::Drop, ""},
    {"-default-stream --default-stream", Takes::Value, Action::Stream, ""},

    // Steering the GPU code generation: the host side is parsed alike for all of them.
    {"-arch --gpu-architecture -code --gpu-code -gencode --generate-code", Takes::Value,
     Action::Drop, ""},
    {"-rdc --relocatable-device-code", Takes::Value, Action::Switch, "-fgpu-rdc"},
    {"-e --entries -maxrregcount --maxrregcount -ftz --ftz -prec-div --prec-div -prec-sqrt "
     "--prec-sqrt -fmad --fmad",
     Takes::Value, Action::Drop, ""},
    {"-use_fast_math --use_fast_math -use-fast-math", Takes::Nothing, Action::Drop, ""},

    // Diagnostics: nvcc's numbers mean nothing to clang, and warnings are for the real compile.
    {"-diag-suppress --diag-suppress -diag-error --diag-error -diag-warn --diag-warn "
     "-diag-once --diag-once",
     Takes::Value, Action::Drop, ""},
    {"-w --disable-warnings -Wdefault-stream-launch --Wdefault-stream-launch "
     "-Wmissing-launch-bounds --Wmissing-launch-bounds -Wext-lambda-captures-this "
     "--Wext-lambda-captures-this -Wno-deprecated-gpu-targets --Wno-deprecated-gpu-targets "
     "-err-no --display-error-number -no-err-no --no-display-error-number -inform-no "
     "-no-display-error-number -res-usage --resource-usage -Wreorder --Wreorder",
     Takes::Nothing, Action::Drop, ""},
    {"-brief-diag --brief-diagnostics", Takes::Value, Action::Drop, ""},
    {"-optf --options-file", Takes::Value, Action::File, ""},
};

constexpr llvm::StringLiteral WerrorKinds[] = {
    "all-warnings",           "cross-execution-space-call", "reorder",
    "default-stream-launch",  "missing-launch-bounds",      "ext-lambda-captures-this",
    "deprecated-declarations"};

class Translator {
public:
  llvm::Error translate(llvm::ArrayRef<std::string> Flags);
  ClangArgs Result;

private:
  struct Match {
    const Rule *Found = nullptr;
    llvm::StringRef Value;
    bool HasValue = false;
  };

  [[nodiscard]] static Match match(llvm::StringRef Flag);
  llvm::Error apply(const Rule &Rule, llvm::StringRef Value);
  llvm::Error translateHost(llvm::ArrayRef<std::string> Flags);
  llvm::Error readFile(llvm::StringRef Path);
};

/// The rule for a flag: an exact name, `name=value`, or the longest name that a value is joined to.
Translator::Match Translator::match(llvm::StringRef Flag) {
  const auto [Head, Tail] = Flag.split('=');
  const bool HasEquals = Head.size() < Flag.size();
  Match Joined;
  size_t JoinedLength = 0;
  for (const Rule &Each : Rules) {
    for (const llvm::StringRef Name : llvm::split(Each.Names, ' ')) {
      if (Flag == Name)
        return {&Each, "", false};
      if (Each.Operand == Takes::Nothing)
        continue;
      if (HasEquals && Head == Name)
        return {&Each, Tail, true};
      if (Each.Operand == Takes::Joined && !Name.starts_with("--") && Flag.starts_with(Name) &&
          Name.size() > JoinedLength) {
        Joined = {&Each, Flag.drop_front(Name.size()), true};
        JoinedLength = Name.size();
      }
    }
  }
  return Joined;
}

llvm::Error Translator::translate(llvm::ArrayRef<std::string> Flags) {
  for (size_t I = 0; I < Flags.size(); ++I) {
    const llvm::StringRef Flag = Flags[I];
    if (Flag.starts_with("@")) {
      if (llvm::Error Problem = readFile(Flag.drop_front()))
        return Problem;
      continue;
    }
    if (Flag == "--") // inputs only
      break;
    if (!Flag.starts_with("-") || Flag == "-")
      continue; // an input, or the compiler that a database names first
    if (Flag == "-Werror" || Flag == "--Werror") { // nvcc's takes a kind, clang's does not
      if (I + 1 < Flags.size() &&
          llvm::is_contained(WerrorKinds, llvm::StringRef(Flags[I + 1]).split(',').first))
        ++I;
      continue;
    }
    if (Flag.starts_with("-W") && !Flag.starts_with("-Wp,-D") && !match(Flag).Found)
      continue; // warnings; what -Wp, -Wl and the like hand on to other programs
    // Two that clang joins differently from nvcc: an argument for cc1 and a triple are pairs that
    // stay together.
    if (Flag == "-Xclang" || Flag == "-target" || Flag == "-idirafter" || Flag == "-iquote" ||
        Flag == "-isysroot" || Flag == "-imacros" || Flag == "-resource-dir" || Flag == "-mllvm") {
      Result.Flags.push_back(Flag.str());
      if (I + 1 < Flags.size())
        Result.Flags.push_back(Flags[++I]);
      continue;
    }

    Match Found = match(Flag);
    if (!Found.Found) {
      Result.Flags.push_back(Flag.str());
      continue;
    }
    if (Found.Found->Operand != Takes::Nothing && !Found.HasValue) {
      const bool Optional = Found.Found->Operand == Takes::Joined && Flag.starts_with("-O");
      if (I + 1 < Flags.size() && !(Optional && !llvm::all_of(Flags[I + 1], llvm::isDigit)))
        Found.Value = Flags[++I];
      else if (!Optional)
        return llvm::createStringError("compile flag '%s' lacks its value", Flags[I].c_str());
    }
    if (llvm::Error Problem = apply(*Found.Found, Found.Value))
      return Problem;
  }
  return llvm::Error::success();
}

llvm::Error Translator::apply(const Rule &Rule, llvm::StringRef Value) {
  switch (Rule.Does) {
  case Action::Drop:
    break;
  case Action::Pass:
    Result.Flags.push_back(Rule.Clang.str());
    if (Rule.Operand != Takes::Nothing)
      Result.Flags.push_back(Value.str());
    break;
  case Action::Attach:
    Result.Flags.push_back((Rule.Clang + Value).str());
    break;
  case Action::Switch:
    if (Value == "true")
      Result.Flags.push_back(Rule.Clang.str());
    break;
  case Action::Define:
    Result.Flags.push_back(("-D" + Rule.Clang).str());
    break;
  case Action::Host: {
    std::vector<std::string> Parts;
    llvm::SmallVector<llvm::StringRef> Pieces;
    Value.split(Pieces, ',', -1, /*KeepEmpty=*/false);
    for (const llvm::StringRef Piece : Pieces)
      for (const llvm::StringRef Word : llvm::split(Piece.trim(), ' '))
        if (!Word.empty())
          Parts.push_back(Word.str());
    return translateHost(Parts);
  }
  case Action::Language:
    Result.Language = Value == "cu" ? "cuda" : Value.str();
    break;
  case Action::Stream:
    if (Value == "per-thread")
      Result.Flags.emplace_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    break;
  case Action::File:
    return readFile(Value);
  }
  return llvm::Error::success();
}

/// The host compiler is GCC as a rule, and has options that clang rejects. Of its many -f only
/// those that change the language are taken along.
llvm::Error Translator::translateHost(llvm::ArrayRef<std::string> Flags) {
  constexpr llvm::StringLiteral LanguageOptions[] = {
      "exceptions",  "rtti",           "char8_t",       "signed-char", "unsigned-char",
      "short-enums", "short-wchar",    "ms-extensions", "openmp",      "permissive",
      "coroutines",  "operator-names", "gnu-keywords"};
  std::vector<std::string> Kept;
  for (const llvm::StringRef Flag : Flags) {
    llvm::StringRef Name = Flag;
    if (Name.consume_front("-f")) {
      Name.consume_front("no-");
      if (!llvm::is_contained(LanguageOptions, Name))
        continue;
    }
    Kept.push_back(Flag.str());
  }
  return translate(Kept);
}

llvm::Error Translator::readFile(llvm::StringRef Path) {
  const auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return llvm::createStringError(Buffer.getError(), "options file '%s'", Path.str().c_str());
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *> Words;
  llvm::cl::TokenizeGNUCommandLine((*Buffer)->getBuffer(), Saver, Words);
  return translate(std::vector<std::string>(Words.begin(), Words.end()));
}

} // namespace

llvm::Expected<ClangArgs> translateArgs(llvm::ArrayRef<std::string> Flags) {
  Translator Translation;
  if (llvm::Error Problem = Translation.translate(Flags))
    return Problem;
  return std::move(Translation.Result);
}

} // namespace graphprof::instrument
