// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Scan.h"

#include "instrument/facts/GraphFunctions.h"
#include "nvcc/NvccOptions.h"
#include "nvcc/Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <vector>

namespace graphprof::launcher {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
using instrument::graphFunctions;
using instrument::listedFunction;
using instrument::listedMemoryFunction;
using instrument::memoryFunctions;
using llvm::StringRef;

/// Where compilers look without being told. What is in their own directories, such as the C++
/// standard library, is not looked for: it does not know CUDA.
constexpr llvm::StringLiteral Defaults[] = {"/usr/local/include", "/usr/include"};

bool isOfWord(char C) { return llvm::isAlnum(C) || C == '_'; }

/// Whether this holds CUDA's own headers, which name everything. A project's stand-in for one of
/// them lies among headers of its own, which have to be read.
bool isToolkit(StringRef Directory) {
  return Directory != "/usr/include" && fs::exists(Directory + "/cuda_runtime_api.h") &&
         (fs::exists(Directory + "/crt/host_runtime.h") ||
          fs::exists(Directory + "/cudasim/cudasim.h"));
}

/// The line around a place, with those that a backslash joins in front of it.
StringRef lineBefore(StringRef Text, size_t At) {
  size_t Begin = Text.rfind('\n', At);
  while (Begin != StringRef::npos && Begin > 0 && Text[Begin - 1] == '\\')
    Begin = Text.rfind('\n', Begin - 1);
  return Text.slice(Begin == StringRef::npos ? 0 : Begin + 1, At);
}

class Scan {
public:
  explicit Scan(const ScanOf &What);
  std::string run();

private:
  /// Each of these returns why everything must be parsed, or an empty string.
  std::string options() const;
  std::string text(StringRef Text, StringRef Name);
  std::string includes(StringRef Text, StringRef Name);
  std::string include(StringRef Rest, StringRef Name);

  /// Whether there is such a file.
  bool add(StringRef Path);
  bool find(StringRef Written, StringRef Includer);
  [[nodiscard]] bool beginsAName(StringRef Word) const;

  const ScanOf &What;
  std::vector<std::string> Directories;
  std::vector<std::string> Files; ///< to be read, from `Next` on
  size_t Next = 0;
  llvm::StringSet<> Seen;
  llvm::StringSet<> Toolkits;
  bool Pastes = false;    ///< some text has ##
  std::string PastedName; ///< why, if so, a listed name may be pasted together
};

Scan::Scan(const ScanOf &What) : What(What) {
  for (const nvcc::IncludePath &Each : What.Parsed.IncludePaths)
    Directories.push_back(Each.Path);
  for (const char *Variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
    if (const auto Value = llvm::sys::Process::GetEnv(Variable)) {
      llvm::SmallVector<StringRef> Paths;
      StringRef(*Value).split(Paths, ':');
      for (const StringRef Each : Paths)
        Directories.push_back(Each.empty() ? "." : Each.str());
    }
  if (const auto Compiler = llvm::sys::findProgramByName(What.Compiler)) {
    const std::string Program = nvcc::realPath(*Compiler);
    const StringRef Root = path::parent_path(path::parent_path(Program));
    Directories.push_back((Root + "/include").str());
    // The last two are aarch64's: servers, Jetson.
    for (const StringRef Target : {"x86_64-linux", "sbsa-linux", "aarch64-linux"})
      Directories.push_back((Root + "/targets/" + Target + "/include").str());
  }
  for (const StringRef Each : Defaults)
    Directories.push_back(Each.str());
  for (const std::string &Each : Directories)
    if (isToolkit(Each))
      Toolkits.insert(Each);
}

/// What leads to text that this scan would not see.
std::string Scan::options() const {
  constexpr llvm::StringLiteral Unread[] = {
      "-imacros",     "-iprefix",       "-iwithprefix", "-isysroot",   "--sysroot",
      "-include-pch", "--use-pch",      "-use-pch",     "--pch",       "-pch",
      "-Xclang",      "-Xpreprocessor", "-Wp,",         "-fmodule",    "-fmodules",
      "-ivfsoverlay", "--config",       "-specs",       "-iframework", "--create-pch"};
  const auto IsUnread = [&](StringRef Word) {
    return llvm::any_of(Unread, [&](StringRef Each) { return Word.starts_with(Each); });
  };
  for (const nvcc::Use &Each : What.Parsed.Options)
    if (IsUnread(Each.Name))
      return "the command has " + Each.Name;
  for (const StringRef Word : What.Parsed.HostWords)
    if (IsUnread(Word) || Word.starts_with("-I") || Word.starts_with("-i") ||
        Word.starts_with("-D") || Word.starts_with("@"))
      return ("the command gives the host compiler " + Word).str();
  return {};
}

bool Scan::add(StringRef Path) {
  if (!fs::is_regular_file(Path))
    return false;
  std::string Whole = nvcc::absolute(Path);
  if (Seen.insert(Whole).second)
    Files.push_back(std::move(Whole));
  return true;
}

/// Adds each file that the words may mean, whatever the order in which a compiler looks.
bool Scan::find(StringRef Written, StringRef Includer) {
  if (path::is_absolute(Written))
    return add(Written);
  bool Found = false;
  if (!Includer.empty())
    Found = add((path::parent_path(Includer) + "/" + Written).str());
  for (const std::string &Each : Directories) {
    const std::string Path = (Each + "/" + Written).str();
    Found |= Toolkits.contains(Each) ? fs::exists(Path) : add(Path);
  }
  return Found;
}

bool Scan::beginsAName(StringRef Word) const {
  const auto IsBegun = [&](llvm::ArrayRef<llvm::StringLiteral> List) {
    const auto *const Least = llvm::lower_bound(List, Word);
    return Least != List.end() && Least->starts_with(Word);
  };
  return IsBegun(graphFunctions()) || (What.Memory && IsBegun(memoryFunctions()));
}

std::string Scan::text(StringRef Text, StringRef Name) {
  for (const StringRef Each : {"graphprof", "GRAPHPROF"})
    if (Text.contains(Each))
      return (Name + " mentions " + Each).str();
  Pastes = Pastes || Text.contains("##");
  for (size_t At = Text.find("cu"); At != StringRef::npos; At = Text.find("cu", At + 1)) {
    if (At > 0 && isOfWord(Text[At - 1]))
      continue;
    const StringRef Word = Text.drop_front(At).take_while(isOfWord);
    if (!listedFunction(Word).empty() || (What.Memory && !listedMemoryFunction(Word).empty()))
      return (Name + " names " + Word).str();
    // Half a name: in a macro, at ##, or as a macro's argument.
    if (!PastedName.empty() || !beginsAName(Word))
      continue;
    const StringRef Line = lineBefore(Text, At), Before = Line.rtrim();
    const StringRef After = Text.drop_front(At + Word.size()).ltrim();
    const bool IsArgument = (Before.ends_with("(") || Before.ends_with(",")) &&
                            (After.starts_with(",") || After.starts_with(")"));
    if (Line.ltrim().starts_with("#") || Before.ends_with("#") || After.starts_with("#") ||
        IsArgument)
      PastedName = (Name + " has '" + Word + "', and ## may make it a function's name").str();
  }
  return {};
}

std::string Scan::include(StringRef Rest, StringRef Name) {
  const bool Quoted = Rest.consume_front("\"");
  if (!Quoted && !Rest.consume_front("<"))
    return (Name + " includes what a macro names").str();
  const StringRef Written = Rest.take_until([&](char C) { return C == (Quoted ? '"' : '>'); });
  if (!find(Written, Quoted ? Name : StringRef()) && Quoted)
    return (Name + " includes " + Written + ", which was not found").str();
  return {};
}

std::string Scan::includes(StringRef Text, StringRef Name) {
  for (size_t At = Text.find('#'); At != StringRef::npos; At = Text.find('#', At + 1)) {
    StringRef Rest = Text.drop_front(At + 1).ltrim(" \t");
    if (!lineBefore(Text, At).trim().empty() ||
        !(Rest.consume_front("include_next") || Rest.consume_front("include") ||
          Rest.consume_front("import")))
      continue;
    if (std::string Why = include(Rest.ltrim(" \t"), Name); !Why.empty())
      return Why;
  }
  return {};
}

std::string Scan::run() {
  if (std::string Why = options(); !Why.empty())
    return Why;
  for (const nvcc::Use &Each : What.Parsed.Options) {
    const bool Forces = Each.Nvcc ? Each.Nvcc->Long == "--pre-include" : Each.Name == "-include";
    const bool Defines = Each.Nvcc ? Each.Nvcc->Long == "--define-macro" : Each.Name == "-D";
    for (const std::string &Value : Each.Values) {
      if (Forces && !add(Value) && !find(Value, ""))
        return "the command includes " + Value + ", which was not found";
      // As a line of its own: what it defines may be half a name.
      if (Defines)
        if (std::string Why = text("#" + Value, "the command"); !Why.empty())
          return Why;
    }
  }
  for (const nvcc::Input &Each : What.Sources)
    if (!add(Each.Path))
      return Each.Path + " was not found";
  while (Next < Files.size()) {
    const std::string Name = Files[Next++];
    const auto Buffer = llvm::MemoryBuffer::getFile(Name);
    if (!Buffer)
      return Name + " cannot be read";
    const StringRef Text = (*Buffer)->getBuffer();
    std::string Why = text(Text, Name);
    if (Why.empty())
      Why = includes(Text, Name);
    if (!Why.empty())
      return Why;
  }
  return Pastes ? PastedName : std::string();
}

} // namespace

std::string whyParse(const ScanOf &What) { return Scan(What).run(); }

} // namespace graphprof::launcher
