// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof-cc: runs a compile command on instrumented copies of its sources. If graphprof-cc
// fails, the original sources are compiled, unless --strict is given or the program might then
// compute something else.

#include "CompileJob.h"
#include "ErrorPlaces.h"
#include "LauncherOptions.h"
#include "Messages.h"
#include "Process.h"
#include "Report.h"

#include "graphprof/version.h"
#include "instrument/facts/GraphFunctions.h"
#include "nvcc/Quoting.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>
#include <utility>

using namespace graphprof::launcher;

namespace {

constexpr int BadUsage = 2;
constexpr int CannotRun = 127; // as in a shell

/// Set for the programs that graphprof-cc runs, so that a nested graphprof-cc leaves the command
/// alone.
constexpr const char *Active = "GRAPHPROF_CC_ACTIVE";

llvm::raw_ostream &complain() { return llvm::WithColor::error(llvm::errs(), "graphprof-cc"); }

[[noreturn]] void fail(llvm::Error Problem, int Status) {
  complain() << llvm::toString(std::move(Problem)) << "\n";
  exit(Status);
}

/// Runs the command unchanged.
[[noreturn]] void passThrough(const LauncherOptions &Asked) {
  fail(become(Asked.Command), CannotRun);
}

/// The message if the original sources must not be compiled. Missing times are acceptable; wrong
/// results are not.
constexpr llvm::StringLiteral MayChangeResults =
    "it changes, updates or destroys CUDA graphs: compiled without graphprof, beside instrumented "
    "sources, results may change; fix the error, or accept the risk with --allow-unredirected";

std::string textOf(const std::string &File) {
  const auto Buffer = llvm::MemoryBuffer::getFile(File);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

/// Whether one of the files mentions a function that changes graphs. For failures on which the tool
/// gave no report.
bool mentionsChange(llvm::ArrayRef<std::string> Files) {
  return llvm::any_of(Files, [](const std::string &Each) {
    return llvm::sys::fs::is_regular_file(Each) &&
           !graphprof::instrument::mentionedChange(textOf(Each)).empty();
  });
}

/// Runs the command unchanged, because graphprof-cc failed. If the compiler fails too, its messages
/// are enough: nothing was compiled.
[[noreturn]] void giveUp(const LauncherOptions &Asked, const std::string &What,
                         const std::string &Reason, bool ChangesGraphs) {
  const bool Refused = ChangesGraphs && !Asked.AllowUnredirected;
  if (Asked.Strict || Refused) {
    complain() << What << "not instrumented: " << Reason << "\n";
    if (Refused)
      complain() << What << MayChangeResults << "\n";
    exit(1);
  }
  auto Ended = graphprof::launcher::run(Asked.Command);
  if (!Ended)
    fail(Ended.takeError(), CannotRun);
  if (Ended->good())
    llvm::WithColor::warning(llvm::errs(), "graphprof-cc")
        << What << "compiled as it is, without graphprof: " << Reason << "\n";
  exitAs(*Ended);
}

void say(const LauncherOptions &Asked, const std::string &Text) {
  if (Asked.Verbose)
    llvm::errs() << "graphprof-cc: " << Text << "\n";
}

void say(const LauncherOptions &Asked, llvm::ArrayRef<std::string> Command) {
  say(Asked, llvm::join(Command, " "));
}

/// All words that may be files, with those of nvcc's variables. For commands that could not be
/// parsed.
std::vector<std::string> wordsOf(const LauncherOptions &Asked) {
  std::vector<std::string> Words = llvm::ArrayRef(Asked.Command).drop_front();
  for (const char *Each : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
    if (const auto Value = llvm::sys::Process::GetEnv(Each))
      llvm::append_range(Words, graphprof::nvcc::splitShell(*Value));
  return Words;
}

/// Instruments and compiles. The result is how the compiler ended.
class Build {
public:
  Build(const LauncherOptions &Asked, const CompileJob &Job, std::string Self)
      : Asked(Asked), Job(Job), Self(std::move(Self)) {}

  Ending run();

private:
  [[noreturn]] void giveUp(const std::string &Reason) const {
    giveUp(Reason, mentionsChange(Job.sources()));
  }
  [[noreturn]] void giveUp(const std::string &Reason, bool ChangesGraphs) const {
    clean();
    ::giveUp(Asked, Job.names() + ": ", Reason, ChangesGraphs);
  }
  void clean() const {
    if (!Asked.Keep)
      Job.removeFolder();
  }
  Ending compileUnparsed();
  void proveHeaders(const Report &Done, Ending &Result) const;
  void fixDependencies(const Report &Done, Ending &Result) const;
  Report instrument();
  Ending compileOriginal(const Report &Done);
  [[nodiscard]] bool compiles(const Report &Done) const;
  [[nodiscard]] std::optional<Report> instrumentAgain(const LauncherOptions &With) const;
  [[nodiscard]] bool annotationsAreWrong(const Report &Done) const;

  /// Compiles the copies, of which `Done` tells. Without what does not compile, if need be.
  Ending compileCopies(Report &Done);
  bool compileWithoutBroken(Report &Done, Ending &Result);
  Ending tryCopies(const std::vector<std::string> &Command, const Report &Done, bool Held);
  void showHeld();

  std::string ToolMessages; ///< not yet shown: the compiler may say the same
  std::string CopyMessages; ///< likewise, of the copies' compiler
  std::string LeftOut;      ///< the sources that are compiled as they are, and why

  const LauncherOptions &Asked;
  const CompileJob &Job;
  std::string Self;
};

Report Build::instrument() {
  const std::vector<std::string> Command = Job.toolCommand(Asked);
  say(Asked, Command);
  auto Ended = graphprof::launcher::run(Command, Job.messagesFile());
  if (!Ended)
    giveUp(llvm::toString(Ended.takeError()));
  const std::string Messages = textOf(Job.messagesFile());
  if (Ended->Signal == SIGINT || Ended->Signal == SIGTERM || Ended->Signal == SIGHUP) {
    clean();
    exitAs(*Ended); // someone interrupts the build
  }
  auto Done = readReport(Job.reportFile());
  if (!Done) {
    llvm::consumeError(Done.takeError());
    if (Asked.Verbose || Asked.Strict)
      llvm::errs() << shown(Messages, Asked.Verbose);
    giveUp(Ended->Signal != 0
               ? "graphprof-instrument was ended by signal " + std::to_string(Ended->Signal)
               : reasonIn(Messages));
  }
  for (const ReportedFile &Each : Done->Files)
    if (!Each.ToolkitHeaders.empty())
      say(Asked, Each.Source + ": toolkit headers " + Each.ToolkitHeaders +
                     (Each.WhyParsed.empty() ? "" : ": " + Each.WhyParsed));
  if (Ended->good()) {
    ToolMessages = shown(Messages, Asked.Verbose);
    return std::move(*Done);
  }
  // Some of the sources or headers failed. The others are instrumented.
  if (Asked.Verbose || Asked.Strict || Done->annotationErrors())
    llvm::errs() << shown(Messages, Asked.Verbose);
  if (Done->annotationErrors()) {
    clean();
    complain() << Job.names() << ": not compiled: an annotation is wrong (errors above)\n";
    exit(1);
  }
  std::string Failed;
  bool ChangesGraphs = false;
  for (const ReportedFile &Each : Done->Files)
    if (Each.Failed) {
      Failed += (Failed.empty() ? "" : ", ") + Each.Source;
      ChangesGraphs |= Each.ChangesGraphs;
    }
  if (Failed.empty() || Asked.Strict || (ChangesGraphs && !Asked.AllowUnredirected))
    giveUp(reasonIn(Messages), ChangesGraphs);
  LeftOut = Failed + ": compiled as it is, without graphprof: " + reasonIn(Messages);
  return std::move(*Done);
}

/// Called if the copies do not compile. If the original does not compile either, its messages are
/// the same, and are not shown again.
Ending Build::compileOriginal(const Report &Done) {
  auto Ended = graphprof::launcher::run(Asked.Command, Job.messagesFile());
  if (!Ended)
    fail(Ended.takeError(), CannotRun);
  if (!Ended->good())
    return *Ended;
  if (Done.changesGraphs() && !Asked.AllowUnredirected) {
    Job.removeObjects();
    complain()
        << Job.names()
        << ": the instrumented copy does not compile (errors above); add --keep to look at it\n";
    complain() << Job.names() << ": " << MayChangeResults << "\n";
    return {.Status = 1};
  }
  llvm::errs() << textOf(Job.messagesFile());
  llvm::WithColor::warning(llvm::errs(), "graphprof-cc")
      << Job.names()
      << ": compiled as it is, without graphprof: the instrumented copy does not compile (errors "
         "above); add --keep to look at it\n";
  return *Ended;
}

/// Whether the copies compile. What else the command does is left out.
bool Build::compiles(const Report &Done) const {
  auto Command = Job.compileCommand(Done, Asked.Include, /*OnlyCompile=*/!Job.linksNothing());
  if (!Command) {
    llvm::consumeError(Command.takeError());
    return true; // not known to fail
  }
  const auto &Copies = *Command;
  if (!Copies)
    return true; // the originals
  auto Ended = graphprof::launcher::run(*Copies, Job.messagesFile());
  if (!Ended) {
    llvm::consumeError(Ended.takeError());
    return true;
  }
  return Ended->good();
}

/// Instruments with other options. None: that failed, and nothing is said.
std::optional<Report> Build::instrumentAgain(const LauncherOptions &With) const {
  auto Ended = graphprof::launcher::run(Job.toolCommand(With), Job.messagesFile());
  const bool Worked = Ended && Ended->good();
  llvm::consumeError(Ended.takeError());
  if (!Worked)
    return std::nullopt;
  auto Done = readReport(Job.reportFile());
  if (Done)
    return std::move(*Done);
  llvm::consumeError(Done.takeError());
  return std::nullopt;
}

/// Called if the copies do not compile: whether copies without annotations do.
bool Build::annotationsAreWrong(const Report &Done) const {
  if (!Done.hasGuards())
    return false;
  LauncherOptions Without = Asked;
  Without.ForTool.emplace_back("--drop-annotations");
  const std::optional<Report> Now = instrumentAgain(Without);
  return Now && compiles(*Now);
}

void Build::showHeld() {
  llvm::errs() << std::exchange(ToolMessages, {}) << std::exchange(CopyMessages, {});
}

/// Runs the command of the copies.
Ending Build::tryCopies(const std::vector<std::string> &Command, const Report &Done, bool Held) {
  say(Asked, Command);
  const auto Variables = Job.compileVariables(Done);
  for (const auto &[Name, Value] : Variables)
    setenv(Name.c_str(), Value.c_str(), /*overwrite=*/1);
  auto Ended = graphprof::launcher::run(Command, Held ? Job.compilersMessagesFile() : "");
  for (const auto &[Name, Value] : Variables)
    unsetenv(Name.c_str());
  if (!Ended) {
    showHeld();
    clean();
    fail(Ended.takeError(), CannotRun);
  }
  if (Held)
    CopyMessages = textOf(Job.compilersMessagesFile());
  return *Ended;
}

/// Called if the copies do not compile, and the original does: leaves out what graphprof adds at
/// the errors, then at all places that the messages name, and then everywhere. Twice, because
/// streams go before guards. Returns false if that does not help.
bool Build::compileWithoutBroken(Report &Done, Ending &Result) {
  const std::string First = CopyMessages, FirstOfTool = ToolMessages;
  std::string Said = FirstOfTool;
  LauncherOptions Without = Asked;
  for (const Places Where :
       {Places::Errors, Places::Errors, Places::Named, Places::Whole, Places::Whole}) {
    const std::vector<ErrorPlace> Broken = errorPlaces(CopyMessages, Where);
    if (Broken.empty() && Where != Places::Errors)
      break;
    for (const ErrorPlace &Each : Broken)
      Without.ForTool.push_back("--without=" + Each.File + ":" + Each.Line + ":" + Each.Message);
    std::optional<Report> Now = instrumentAgain(Without);
    if (!Now)
      break;
    auto Command = Job.compileCommand(*Now, Asked.Include);
    if (!Command) {
      llvm::consumeError(Command.takeError());
      break;
    }
    ToolMessages = shown(textOf(Job.messagesFile()), Asked.Verbose);
    if (std::exchange(Said, ToolMessages) == ToolMessages)
      continue; // nothing more is left out, which it would say
    const std::optional<std::vector<std::string>> &Changed = *Command;
    Result = tryCopies(Changed ? *Changed : Asked.Command, *Now, /*Held=*/true);
    if (Result.good()) {
      Done = std::move(*Now);
      return true;
    }
  }
  CopyMessages = First;
  ToolMessages = FirstOfTool;
  return false;
}

/// Compiles the copies, or what of them compiles. The program's own errors are shown once, as the
/// compiler shows them for the original. So what was said about the copies waits, unless that would
/// take a terminal's colors away without need.
Ending Build::compileCopies(Report &Done) {
  auto Command = Job.compileCommand(Done, Asked.Include);
  if (!Command) {
    showHeld();
    giveUp(llvm::toString(Command.takeError()), Done.changesGraphs());
  }
  const auto &Copies = *Command;
  const bool Held =
      Copies && (Done.parseErrors() || Done.hasTwins() || ::isatty(STDERR_FILENO) == 0);
  if (!Held)
    showHeld();
  Ending Result = tryCopies(Copies ? *Copies : Asked.Command, Done, Held);
  if (Result.good()) {
    showHeld();
    if (Copies)
      proveHeaders(Done, Result);
    return Result;
  }
  if (!Copies)
    return Result;
  if (Result.Status == 0 || Asked.Strict || (!Job.linksNothing() && compiles(Done))) {
    showHeld();
    return Result;
  }
  if (Held || Done.hasGuards()) {
    auto Alone = graphprof::launcher::run(Asked.Command, Job.messagesFile());
    if (!Alone)
      fail(Alone.takeError(), CannotRun);
    if (const std::string Own = textOf(Job.messagesFile());
        !Alone->good() && !rejectsOnlyAnnotations(Own)) {
      if (lacksHeader(Own, "graphprof/"))
        showHeld();
      else if (Held)
        llvm::errs() << Own;
      return *Alone;
    }
    if (!Held) // they were shown, and now they are read
      Result = tryCopies(*Copies, Done, /*Held=*/true);
    const bool LacksCuda = lacksHeader(CopyMessages, "cuda_runtime_api.h"); // which copies include
    const bool Compiled = !LacksCuda && Done.hasGuards() && compileWithoutBroken(Done, Result);
    if (!Held && !Compiled)
      CopyMessages.clear();
    showHeld();
    if (Compiled) {
      proveHeaders(Done, Result);
      return Result;
    }
    if (LacksCuda)
      return compileOriginal(Done);
  }
  if (!annotationsAreWrong(Done))
    return compileOriginal(Done);
  Job.removeObjects();
  complain() << Job.names()
             << ": not compiled: an annotation is wrong (errors above); without annotations the "
                "source compiles\n";
  return Result;
}

/// Annotations and calls in a header must not get lost without a word.
void Build::proveHeaders(const Report &Done, Ending &Result) const {
  const std::string Why = Job.unprovenHeader(Done);
  if (Why.empty())
    return;
  Job.removeObjects();
  complain() << Job.names() << ": not compiled: " << Why << "\n";
  Result.Status = 1;
}

/// If that fails, the build system would watch deleted files, or not see a new graphprof.
void Build::fixDependencies(const Report &Done, Ending &Result) const {
  if (!Result.good())
    return;
  if (llvm::Error Problem = Job.fixDependencies(Done, {Asked.Instrument, Self})) {
    complain() << llvm::toString(std::move(Problem)) << "\n";
    Result.Status = 1;
  }
}

/// Runs the command as it is, because there is nothing to instrument.
Ending Build::compileUnparsed() {
  auto Ended = graphprof::launcher::run(Asked.Command);
  if (!Ended)
    fail(Ended.takeError(), CannotRun);
  fixDependencies(Report(), *Ended);
  return *Ended;
}

Ending Build::run() {
  if (Asked.Instrument.empty())
    giveUp("graphprof-instrument was not found beside graphprof-cc; set GRAPHPROF_INSTRUMENT to "
           "its path");
  setenv(Active, "1", /*overwrite=*/1);
  if (const std::string Why = Job.whyParse(Asked); Why.empty()) {
    say(Asked, Job.names() + ": nothing to instrument, so it is not parsed");
    return compileUnparsed();
  } else {
    say(Asked, Job.names() + ": parsed, because " + Why);
  }
  auto Made = Job.makeFolder();
  if (!Made)
    fail(Made.takeError(), 1); // the folder is not graphprof-cc's to remove
  if (!*Made)
    giveUp("cannot make a folder for the copies beside the object; check that its directory can be "
           "written");

  Report Done = instrument();
  Ending Result = compileCopies(Done);
  if (Result.good() && !LeftOut.empty())
    llvm::WithColor::warning(llvm::errs(), "graphprof-cc") << LeftOut << "\n";
  fixDependencies(Done, Result);
  clean();
  return Result;
}

} // namespace

int main(int Count, const char **Given) {
  const std::vector<std::string> Words(Given + 1, Given + Count);
  const std::string Found =
      llvm::sys::fs::getMainExecutable(Given[0], reinterpret_cast<void *>(&main));
  auto Asked = readOptions(Words, Found);
  if (!Asked)
    fail(Asked.takeError(), BadUsage);
  if (Asked->Help) {
    llvm::outs() << helpText();
    return 0;
  }
  if (Asked->Version) {
    llvm::outs() << "graphprof-cc " GRAPHPROF_VERSION_STRING "\n";
    return 0;
  }
  if (Asked->Command.empty())
    fail(llvm::createStringError("no compiler given; see graphprof-cc --help"), BadUsage);
  if (llvm::sys::Process::GetEnv(Active))
    passThrough(*Asked);

  auto Job = CompileJob::make(*Asked);
  if (!Job)
    giveUp(*Asked, "", llvm::toString(Job.takeError()), mentionsChange(wordsOf(*Asked)));
  if (const std::optional<CompileJob> ToDo = std::move(*Job))
    exitAs(Build(*Asked, *ToDo, Found).run());
  passThrough(*Asked);
}
