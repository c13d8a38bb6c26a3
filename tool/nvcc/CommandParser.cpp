// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Parses a command's words into a Command: which option a word is, which word is its value, and
// what it means.

#include "Command.h"

#include "ClangOptions.h"
#include "HostOptions.h"
#include "NvccOptions.h"
#include "Quoting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

namespace graphprof::nvcc {
namespace {

namespace path = llvm::sys::path;

Language languageOfFile(llvm::StringRef File) {
  return llvm::StringSwitch<Language>(path::extension(File))
      .Cases({".cu", ".cuh"}, Language::Cuda)
      .Cases({".cpp", ".cc", ".cxx", ".c++", ".C", ".cp", ".CPP"}, Language::Cxx)
      .Cases({".cppm", ".ccm", ".cxxm", ".c++m", ".ixx", ".mpp"}, Language::Cxx) // modules
      .Case(".c", Language::C)
      .Default(Language::None);
}

Language languageOfName(llvm::StringRef Name) {
  return llvm::StringSwitch<Language>(Name)
      .Cases({"cu", "cuda"}, Language::Cuda)
      .Case("c++", Language::Cxx)
      .Case("c", Language::C)
      .Default(Language::None);
}

Phase goalOfHost(llvm::StringRef Option) {
  return llvm::StringSwitch<Phase>(Option)
      .Case("-c", Phase::Compile)
      .Case("-S", Phase::Assembly)
      .Case("-E", Phase::Preprocess)
      .Case("-fsyntax-only", Phase::SyntaxOnly)
      .Case("--cuda-device-only", Phase::DeviceOnly)
      .Default(Phase::Nothing);
}

Phase goalOfNvcc(const NvccOption &Option) {
  return llvm::StringSwitch<Phase>(Option.Long)
      .Cases({"--link", "--run"}, Phase::Link)
      .Case("--lib", Phase::Library)
      .Cases({"--compile", "--device-c", "--device-w"}, Phase::Compile)
      .Case("--cuda", Phase::Intermediate)
      .Case("--device-link", Phase::DeviceLink)
      .Cases({"--ptx", "--cubin", "--fatbin", "--optix-ir", "--ltoir"}, Phase::DeviceOnly)
      .Case("--preprocess", Phase::Preprocess)
      .Cases({"--generate-dependencies", "--generate-nonsystem-dependencies"}, Phase::Dependencies)
      .Default(Phase::Nothing);
}

class Parser {
public:
  Parser(Compiler Program, const Surroundings &Around) : Around(Around) {
    Result.Program = Program;
  }

  llvm::Expected<Command> parse(llvm::ArrayRef<std::string> Words) {
    if (llvm::Error Problem = readEnvironment("NVCC_PREPEND_FLAGS"))
      return Problem;
    if (llvm::Error Problem = read(Words, std::nullopt))
      return Problem;
    if (llvm::Error Problem = readEnvironment("NVCC_APPEND_FLAGS"))
      return Problem;
    finish();
    return std::move(Result);
  }

private:
  using Words = llvm::ArrayRef<std::string>;

  llvm::Error readEnvironment(llvm::StringRef Variable);
  llvm::Error readFile(llvm::StringRef File, bool Nvccs, Place Where);
  llvm::Error read(Words Given, std::optional<Place> All);
  llvm::Expected<bool> readNvcc(Words Given, size_t &I, std::optional<Place> All);
  llvm::Expected<bool> readHost(Words Given, size_t &I, std::optional<Place> All);
  void readOther(const std::string &Word, Place Where);
  void apply(const NvccOption &Option, const Use &Used);
  void apply(const HostOption &Option, const Use &Used);
  void depend(llvm::StringRef Word);
  void addInput(const std::string &Path, Place Where);
  /// Adds a word to the command without options files and environment.
  void keep(const std::string &Word, Place Where) {
    if (Where.From != Place::Environment)
      Result.Words.push_back(Word);
  }
  void add(Use Used) {
    for (const std::string &Word : Used.Words)
      keep(Word, Used.Where);
    Result.Options.push_back(std::move(Used));
  }
  void reach(Phase Goal) { Result.Goal = std::max(Result.Goal, Goal); }
  void finish();

  const Surroundings &Around;
  Command Result;
  std::vector<std::string> OpenFiles;
  std::string LanguageName; ///< the language of the last -x
  std::vector<std::string> InputLanguages;
};

Place placeOf(size_t First, size_t Count, std::optional<Place> All) {
  return All ? *All : Place{static_cast<unsigned>(First), static_cast<unsigned>(Count)};
}

llvm::Error lacksValue(llvm::StringRef Name) {
  return llvm::createStringError("compile flag '%s' lacks its value; write '%s <value>'",
                                 Name.str().c_str(), Name.str().c_str());
}

llvm::Error Parser::readEnvironment(llvm::StringRef Variable) {
  if (Result.Program == Compiler::Host)
    return llvm::Error::success();
  const auto Value =
      Around.Environment ? (*Around.Environment)(Variable) : llvm::sys::Process::GetEnv(Variable);
  if (!Value || Value->empty())
    return llvm::Error::success();
  Result.Expanded = true;
  return read(splitEnvironment(*Value), Place{0, 0, Place::Environment});
}

llvm::Error Parser::readFile(llvm::StringRef File, bool Nvccs, Place Where) {
  if (llvm::is_contained(OpenFiles, File))
    return llvm::createStringError("options file '%s' includes itself", File.str().c_str());
  const auto Here = llvm::vfs::getRealFileSystem();
  const auto Buffer = (Around.Files ? Around.Files : Here.get())->getBufferForFile(File);
  if (!Buffer)
    return llvm::createStringError(Buffer.getError(), "options file '%s': %s", File.str().c_str(),
                                   Buffer.getError().message().c_str());
  Result.Expanded = true;
  if (Where.From == Place::CommandLine)
    Where.From = Place::OptionsFile;
  const llvm::StringRef Text = (*Buffer)->getBuffer();
  OpenFiles.push_back(File.str());
  llvm::Error Problem = read(Nvccs ? splitOptionsFile(Text) : splitShell(Text), Where);
  OpenFiles.pop_back();
  return Problem;
}

llvm::Error Parser::read(Words Given, std::optional<Place> All) {
  for (size_t I = 0; I < Given.size(); ++I) {
    const std::string &Word = Given[I];
    const Place Where = placeOf(I, 1, All);
    if (llvm::StringRef File = Word; File.consume_front("@") && !File.empty()) {
      if (llvm::Error Problem = readFile(File, /*Nvccs=*/false, Where))
        return Problem;
      continue;
    }
    if (Word == "--" && Result.Program != Compiler::Nvcc) {
      keep(Word, Where);
      while (++I < Given.size())
        addInput(Given[I], placeOf(I, 1, All));
      break;
    }
    if (Word.empty() || Word[0] != '-' || Word == "-") {
      addInput(Word, Where);
      continue;
    }
    if (Result.Program != Compiler::Host) {
      auto Done = readNvcc(Given, I, All);
      if (!Done)
        return Done.takeError();
      if (*Done)
        continue;
    }
    if (Result.Program != Compiler::Nvcc) {
      auto Done = readHost(Given, I, All);
      if (!Done)
        return Done.takeError();
      if (*Done)
        continue;
    }
    readOther(Word, Where);
  }
  return llvm::Error::success();
}

/// Whether the word can be the value of an nvcc option that host compilers also accept without a
/// value.
bool isValueFor(const NvccOption &Option, llvm::StringRef Word) {
  if (Option.Short == "-Werror")
    return llvm::is_contained(nvccWarningKinds(), Word.split(',').first);
  if (Option.Short == "-O")
    return !Word.empty() && llvm::all_of(Word, llvm::isDigit);
  return true;
}

/// Whether every item of the list defines a macro. If not, it is one definition whose value has a
/// comma, as host compilers read it.
bool defineSeveral(llvm::ArrayRef<std::string> Macros) {
  return llvm::all_of(Macros, [](llvm::StringRef Macro) {
    const llvm::StringRef Name = Macro.split('=').first;
    return !Name.empty() && !llvm::isDigit(Name[0]) &&
           llvm::all_of(Name, [](char C) { return llvm::isAlnum(C) || C == '_'; });
  });
}

llvm::Expected<bool> Parser::readNvcc(Words Given, size_t &I, std::optional<Place> All) {
  const NvccMatch Match = matchNvccOption(Given[I]);
  if (!Match.Option)
    return false;
  const NvccOption &Option = *Match.Option;
  const bool Either = Result.Program == Compiler::Either;
  if (Either && Match.HasValue && !isValueFor(Option, Match.Value))
    return false;

  Use Used;
  Used.Nvcc = &Option;
  Used.Name = Match.Name.str();
  Used.Words = {Given[I]};
  size_t Count = 1;
  if (Match.HasValue) {
    Used.Value = Match.Value.str();
  } else if (Option.Operand != Takes::Nothing) {
    const bool Last = I + 1 == Given.size() || (Option.Operand == Takes::Maybe &&
                                                llvm::StringRef(Given[I + 1]).starts_with("-"));
    if (Either && (Last || !isValueFor(Option, Given[I + 1])) && !isValueFor(Option, "")) {
      // -O and -Werror of a host compiler
    } else if (!Last) {
      Used.Value = Given[I + 1];
      Used.Words.push_back(Given[I + 1]);
      Count = 2;
    } else if (Option.Operand != Takes::Maybe) {
      return lacksValue(Used.Name);
    }
  }
  if (Used.Value && isList(Option.Operand)) {
    const bool Strings = Option.Operand == Takes::Strings || Option.Operand == Takes::JoinedStrings;
    Used.Values = Strings ? splitStrings(*Used.Value) : splitPaths(*Used.Value);
    if (Either && Strings && Option.Means == Role::Define && !defineSeveral(Used.Values))
      Used.Values = {*Used.Value};
  } else if (Used.Value) {
    Used.Values = {*Used.Value};
  }
  Used.Where = placeOf(I, Count, All);
  I += Count - 1;

  if (Option.Means == Role::OptionsFile) {
    const Place Where = Used.Where;
    const std::vector<std::string> Files = Used.Values;
    Result.Options.push_back(std::move(Used));
    for (const std::string &File : Files)
      if (llvm::Error Problem = readFile(File, /*Nvccs=*/true, Where))
        return Problem;
    return true;
  }
  apply(Option, Used);
  add(std::move(Used));
  return true;
}

llvm::Expected<bool> Parser::readHost(Words Given, size_t &I, std::optional<Place> All) {
  const HostMatch Match = matchHostOption(Given[I]);
  Use Used;
  Used.Host = Match.Option;
  size_t Count = 1;
  if (!Match.Option) {
    // Another name of one of those options (`--output`), or one with a value (`-rpath`).
    const ClangMatch Clangs = matchClangOption(Given.drop_front(I));
    if (!Clangs.Known)
      return false;
    Count = Clangs.Words;
    if (Count > Given.size() - I)
      return lacksValue(Given[I]);
    Used.Host = hostOption(Clangs.Name);
    if (!Used.Host && Count == 1)
      return false;
    Used.Name = Used.Host ? Clangs.Name : Given[I];
    Used.Values = Clangs.Values;
    if (!Used.Values.empty())
      Used.Value = Used.Values.front();
  } else {
    Used.Name = Match.Option->Name.str();
    if (Match.HasValue) {
      Used.Value = Match.Value.str();
    } else if (Match.Option->Operand != Takes::Nothing) {
      if (I + 1 == Given.size())
        return lacksValue(Used.Name);
      Used.Value = Given[I + 1];
      Count = 2;
    }
    if (Used.Value)
      Used.Values = {*Used.Value};
  }
  Used.Words.assign(Given.begin() + I, Given.begin() + I + Count);
  Used.Where = placeOf(I, Count, All);
  I += Count - 1;
  if (Used.Host)
    apply(*Used.Host, Used);
  add(std::move(Used));
  return true;
}

/// Options that are single words: other options of the host compilers, and those that nvcc does not
/// know.
void Parser::readOther(const std::string &Word, Place Where) {
  // -Wp options: for the preprocessor.
  if (llvm::StringRef File = Word;
      File.consume_front("-Wp,-MD,") || File.consume_front("-Wp,-MMD,")) {
    depend(llvm::StringRef(Word).starts_with("-Wp,-MD,") ? "-MD" : "-MMD");
    Result.Dependencies.File = File.split(',').first.str();
  }
  Use Used;
  Used.Name = Word;
  Used.Words = {Word};
  Used.Where = Where;
  add(std::move(Used));
}

/// -M and related options, which nvcc and the host compilers share.
void Parser::depend(llvm::StringRef Word) {
  DependencySettings &Settings = Result.Dependencies;
  if (Word == "-MP")
    Settings.EmptyTargets = true;
  if (Word == "-M" || Word == "-MD")
    Settings.Wanted = Settings.SystemHeaders = true;
  if (Word == "-MM" || Word == "-MMD")
    Settings.Wanted = true;
  if (Word == "-M" || Word == "-MM")
    reach(Phase::Dependencies);
}

void Parser::apply(const NvccOption &Option, const Use &Used) {
  const std::string Value = Used.Value.value_or("");
  switch (Option.Means) {
  case Role::Goal:
    reach(goalOfNvcc(Option));
    break;
  case Role::Language:
    LanguageName = Value;
    break;
  case Role::Output:
    Result.Output = Value;
    break;
  case Role::OutputFolder:
    Result.OutputDirectory = Value;
    break;
  case Role::Include:
    for (const std::string &Path : Used.Values)
      Result.IncludePaths.push_back(
          {Path, Option.Short == "-isystem" ? IncludePath::System : IncludePath::Normal,
           Used.Where});
    break;
  case Role::Dependencies:
    if (Option.Short == "-MF")
      Result.Dependencies.File = Value;
    else if (Option.Short == "-MT") // nvcc takes the last
      Result.Dependencies.Targets = {Value};
    else
      depend(Option.Short);
    break;
  case Role::Forward:
    Result.ForwardsUnknown |= Option.Short != "-forward-unknown-to-host-linker";
    break;
  case Role::DryRun:
    Result.DryRun = true;
    break;
  case Role::Keep:
    Result.Keeps = true;
    break;
  case Role::OptionsFile:
  case Role::HostOptions:
  case Role::Define:
  case Role::Library:
  case Role::Nothing:
    break;
  }
}

void Parser::apply(const HostOption &Option, const Use &Used) {
  const std::string Value = Used.Value.value_or("");
  switch (Option.Means) {
  case Role::Language:
    LanguageName = Value == "none" ? "" : Value;
    break;
  case Role::Output:
    Result.Output = Value;
    break;
  case Role::Include:
    Result.IncludePaths.push_back({Value,
                                   Option.Name == "-iquote"      ? IncludePath::Quote
                                   : Option.Name == "-isystem"   ? IncludePath::System
                                   : Option.Name == "-idirafter" ? IncludePath::After
                                                                 : IncludePath::Normal,
                                   Used.Where});
    break;
  case Role::Dependencies:
    if (Option.Name == "-MF")
      Result.Dependencies.File = Value;
    else if (Used.Value)
      Result.Dependencies.Targets.push_back(Value);
    else
      depend(Option.Name);
    break;
  case Role::Goal:
    reach(goalOfHost(Option.Name));
    break;
  case Role::DryRun:
    Result.DryRun = true;
    break;
  case Role::Keep:
    Result.Keeps = true;
    break;
  default: // nvcc's own options, and those that say nothing about the command
    break;
  }
}

void Parser::addInput(const std::string &Path, Place Where) {
  keep(Path, Where);
  Result.Inputs.push_back({Path, Language::None, Where});
  InputLanguages.push_back(LanguageName);
}

/// Applies what depends on the whole command. nvcc's last -x applies to all inputs, also to those
/// before it; a host compiler's applies to the inputs behind it. -forward-unknown-* may come last,
/// too.
void Parser::finish() {
  for (size_t I = 0; I < Result.Inputs.size(); ++I) {
    const std::string &Name = Result.Program == Compiler::Host ? InputLanguages[I] : LanguageName;
    Input &Each = Result.Inputs[I];
    Each.Kind = Name.empty() ? languageOfFile(Each.Path) : languageOfName(Name);
  }
  for (const Use &Each : Result.Options) {
    if (Each.Nvcc && Each.Nvcc->Means == Role::HostOptions)
      for (const std::string &Value : Each.Values)
        llvm::append_range(Result.HostWords, splitShell(Value));
    else if (!Each.Nvcc && !Each.Host && Result.ForwardsUnknown)
      llvm::append_range(Result.HostWords, Each.Words);
  }
}

} // namespace

llvm::Expected<Command> parseCommand(Compiler Program, llvm::ArrayRef<std::string> Words,
                                     const Surroundings &Around) {
  return Parser(Program, Around).parse(Words);
}

llvm::Expected<Command> parseNvccCommand(llvm::ArrayRef<std::string> Words,
                                         const Surroundings &Around) {
  return parseCommand(Compiler::Nvcc, Words, Around);
}

} // namespace graphprof::nvcc
