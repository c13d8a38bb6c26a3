// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Runs.h"

#include "Programs.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace graphprof::fuzz {
namespace {

constexpr unsigned FunctionsPerProgram = 150;
constexpr unsigned SecondsPerStep = 300;

void report(std::uint64_t Seed, llvm::StringRef Problem, llvm::StringRef Text) {
  llvm::outs() << "==== function of seed " << Seed << ": " << Problem << "\n" << Text << "\n";
}

/// A directory that is removed with this object.
class Workplace {
public:
  explicit Workplace(llvm::StringRef Root) : Root(Root.str()) {
    if (llvm::sys::fs::createUniqueDirectory("graphprof-fuzz", Directory))
      llvm::report_fatal_error("no temporary directory can be made");
  }
  ~Workplace() { (void)llvm::sys::fs::remove_directories(Directory); }
  Workplace(const Workplace &) = delete;
  Workplace &operator=(const Workplace &) = delete;

  [[nodiscard]] std::string path(llvm::StringRef Name) const {
    return (Directory + "/" + Name).str();
  }

  /// Writes, compiles, links and runs a program. Returns its output, or prints the reason and
  /// returns nothing.
  std::optional<std::string> run(llvm::StringRef Name, llvm::StringRef Text, bool Checks) const {
    write((Name + ".cpp").str(), Text);
    write("harness.cpp", Harness);
    const std::string Program = path(Name), Output = path((Name + ".txt").str());
    const std::string Own = "-I" + Root + "/include",
                      Cuda = "-isystem" + Root + "/test/cudasim/include";
    const std::string Source = path((Name + ".cpp").str()), Main = path("harness.cpp");
    if (!execute({"clang++-22", "-std=c++20", "-O0", "-w", Own, Cuda, Source, Main, "-o", Program},
                 Output) ||
        !execute({Program, Checks ? "checks" : Program}, Output, Checks ? 2 : 1)) {
      llvm::outs() << text(Output);
      return std::nullopt;
    }
    return text(Output);
  }

private:
  void write(const std::string &Name, llvm::StringRef Text) const {
    std::error_code Problem;
    llvm::raw_fd_ostream File(path(Name), Problem);
    File << Text;
  }
  static std::string text(const std::string &File) {
    const auto Buffer = llvm::MemoryBuffer::getFile(File);
    return Buffer ? (*Buffer)->getBuffer().str() : "";
  }
  static bool execute(std::vector<llvm::StringRef> Words, const std::string &Output,
                      size_t Count = 100) {
    Words.resize(std::min(Words.size(), Count));
    const auto Program = llvm::sys::findProgramByName(Words.front());
    if (!Program)
      llvm::report_fatal_error("clang++-22 is not on the path");
    const std::optional<llvm::StringRef> Redirects[] = {"", Output, Output};
    return llvm::sys::ExecuteAndWait(*Program, Words, std::nullopt, Redirects, SecondsPerStep) == 0;
  }

  std::string Root;
  llvm::SmallString<128> Directory;
};

/// Runs a program with the functions of Count seeds.
void runProgram(const Subject &Tool, const Workplace &Place, std::uint64_t Seed, unsigned Count,
                RunCounts &Total) {
  std::vector<std::string> Functions;
  std::vector<std::uint64_t> Seeds;
  for (unsigned I = 0; I < Count; ++I) {
    Random Pick(Seed + I), Again(Seed + I);
    std::string Made = makeFunction(Pick, "f" + std::to_string(Functions.size()));
    ++Total.Functions;
    const Instrumented Alone = Tool.instrument(makeProgram({makeFunction(Again, "f0")}));
    if (Alone.Done) {
      Functions.push_back(std::move(Made));
      Seeds.push_back(Seed + I);
      continue;
    }
    ++Total.Failures;
    report(Seed + I, "refused, and there is no reason to", Made + "\n" + Alone.Messages);
  }
  const std::string Before = makeProgram(Functions);
  const Instrumented After = Tool.instrument(Before);
  Total.Regions += After.Regions;
  const auto Said = Place.run("before", Before, /*Checks=*/false);
  const auto SaidAfter =
      After.Done && Said ? Place.run("after", After.Text, /*Checks=*/true) : std::nullopt;
  if (!Said || !SaidAfter) {
    ++Total.Failures;
    return report(Seed,
                  Said ? "the instrumented program cannot be run" : "the program cannot be run",
                  After.Messages);
  }

  llvm::SmallVector<llvm::StringRef> Lines, LinesAfter;
  llvm::StringRef(*Said).split(Lines, '\n');
  llvm::StringRef(*SaidAfter).split(LinesAfter, '\n');
  Total.Lines += Lines.size();
  for (size_t I = 0; I < std::max(Lines.size(), LinesAfter.size()); ++I) {
    const llvm::StringRef Old = I < Lines.size() ? Lines[I] : "";
    const llvm::StringRef New = I < LinesAfter.size() ? LinesAfter[I] : "";
    if (Old == New)
      continue;
    ++Total.Failures;
    size_t Function = 0;
    llvm::StringRef Number = Old.drop_front(Old.empty() ? 0 : 1);
    if (Number.consumeInteger(10, Function) || Function >= Functions.size())
      Function = 0;
    return report(Seeds[Function], "the instrumented program differs",
                  (Functions[Function] + "\n---- before: " + Old + "\n---- after:  " + New).str());
  }
}

} // namespace

RunCounts runPrograms(const Subject &Tool, llvm::StringRef Root, std::uint64_t Seed,
                      std::uint64_t Count) {
  RunCounts Total;
  const Workplace Place(Root);
  for (std::uint64_t Done = 0; Done < Count; Done += FunctionsPerProgram)
    runProgram(Tool, Place, Seed + Done,
               static_cast<unsigned>(std::min<std::uint64_t>(FunctionsPerProgram, Count - Done)),
               Total);
  return Total;
}

} // namespace graphprof::fuzz
