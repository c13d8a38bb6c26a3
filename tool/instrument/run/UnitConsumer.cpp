// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/UnitConsumer.h"

#include "facts/Counted.h"
#include "plan/Needs.h"
#include "plan/Plan.h"
#include "record/Attributes.h"
#include "record/Branches.h"
#include "record/Constructs.h"
#include "record/GraphCalls.h"
#include "record/Launches.h"
#include "record/LeftOut.h"
#include "record/Reach.h"
#include "record/Skipped.h"
#include "record/ValueTypes.h"
#include "source/EarlyDefines.h"
#include "source/MacroNames.h"
#include "source/Prelude.h"
#include "source/Toolkit.h"

#include <map>

using namespace clang;

namespace graphprof::instrument {
namespace {

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &Compiler, const Request &Asked, Bodies Read,
           llvm::vfs::FileSystem &Files, const HeaderFacts &Before, Reporter &Reports,
           Outcome &Result)
      : Compiler(Compiler), Asked(Asked), Read(Read), Files(Files), Before(Before),
        Reports(Reports), Result(Result), Tokens(Compiler.getPreprocessor()) {
    Preprocessor &PP = Compiler.getPreprocessor();
    PP.addPPCallbacks(
        std::make_unique<instrument::EarlyDefines>(PP, Before, EarlyDefines, CudaDeclares));
    PP.addPPCallbacks(findHidden(PP, Before, Result.Source.Hidden));
    PP.addPPCallbacks(recordIncludes(PP, Tokens, Result.Includes));
    PP.addPPCallbacks(recordSpellings(PP, Tokens, Spelled));
    PP.addPPCallbacks(findSkipped(PP, Skipped));
  }

  /// Asked of Bodies::OfProject only. A project's header may say that it is the system's.
  bool shouldSkipFunctionBody(Decl *Function) override {
    const SourceManager &Sources = Compiler.getSourceManager();
    const SourceLocation At = Sources.getExpansionLoc(Function->getLocation());
    if (!Sources.isInSystemHeader(At))
      return false;
    const auto [Known, IsNew] = IsProjects.try_emplace(Sources.getFileID(At));
    if (IsNew)
      Known->second = matches(Sources.getFilename(At));
    return !Known->second;
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    forgiveBranches(Reports, Context);
    if (Reports.failed())
      return;
    if (Context.getLangOpts().CUDAIsDevice)
      llvm::report_fatal_error("the device's side was parsed instead of the host's");

    Toolkit Cudas(Context);
    Unit Parsed(Context.getSourceManager(), Context.getLangOpts(), Tokens,
                [&](llvm::StringRef Name) {
                  return Asked.Headers.For == HeaderChoice::Use::Rewritten &&
                         !(Asked.Headers.ByDefault && inC()) && !Cudas.holds(Name) && matches(Name);
                });
    const bool Mentioned = changesAreMentioned(Parsed, Cudas, Before.MentionChanges);
    Result.NeedsAllBodies = Mentioned && Read != Bodies::All;
    if (Result.NeedsAllBodies)
      return;
    auto Annotations = recordAnnotations(Parsed, Compiler.getPreprocessor());
    recordConstructs(Parsed, Context);
    recordSkipped(Parsed, Context, Skipped);
    recordValueTypes(Parsed, Context, /*Understood=*/Reports.parseErrors() == 0);
    recordLaunches(Parsed, Context, Asked.Auto);
    leaveOut(Parsed, Compiler.getFileManager(), Asked.Broken);
    const auto Calls = recordGraphCalls(
        Parsed, Context, Spelled, Cudas,
        {.OfMemory = Asked.Memory, .Broken = Reports.parseErrors() > 0, .Unsafe = unsafe()});
    for (const auto &File : Parsed.files())
      recordLastId(*File);

    if (Asked.DropAnnotations)
      for (const auto &File : Parsed.files())
        File->Known.dropAnnotations();

    // From here on, warnings are the tool's.
    Compiler.getDiagnostics().setIgnoreAllWarnings(false);
    Compiler.getDiagnostics().setSuppressSystemWarnings(false);
    Reports.parsed();
    for (const auto &File : Parsed.files())
      File->Known.InC = inC();
    for (const auto &File : Parsed.files().drop_front())
      planHeader(*File);
    for (const auto &File : Parsed.filesOnlyRead())
      useKernelsOf(*File, Annotations);
    reportOtherHeaders(Annotations, Calls);
    if (Mentioned)
      reportReached(reachedChanges(Parsed, Context, Cudas));
    rewriteSource(Parsed.source());
  }

private:
  [[nodiscard]] bool inC() const { return !Compiler.getLangOpts().CPlusPlus; }
  [[nodiscard]] Severity unsafe() const {
    return Asked.AllowUnredirected ? Severity::Warning : Severity::Error;
  }
  [[nodiscard]] bool matches(llvm::StringRef Name) const {
    return Asked.Headers.Matches && Asked.Headers.Matches(pathOf(Compiler.getFileManager(), Name));
  }

  void report(Severity Level, SourceLocation At, llvm::StringRef Message) {
    DiagnosticsEngine &Engine = Compiler.getDiagnostics();
    const unsigned Id = Engine.getCustomDiagID(
        Level == Severity::Error ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning, "%0");
    Engine.Report(At, Id) << Message;
  }

  /// Keeps the ids of an earlier run's guards.
  static void recordLastId(Unit::File &File) {
    if (!File.Source.text().contains("GRAPHPROF_"))
      return;
    const auto Tokens = File.Source.spelled();
    for (size_t I = 0; I + 2 < Tokens.size(); ++I) {
      unsigned Id = 0;
      if (Tokens[I].text(File.Source.sources()).starts_with("GRAPHPROF_") &&
          Tokens[I + 1].kind() == tok::l_paren &&
          !Tokens[I + 2].text(File.Source.sources()).getAsInteger(10, Id))
        File.Known.LastId = std::max(File.Known.LastId, Id);
    }
  }

  /// Annotations on kernels work without rewriting their header, if they can be used.
  void useKernelsOf(const Unit::File &File, std::vector<SourceLocation> &WithoutEffect) {
    for (const Finding &Each : File.Known.Findings)
      report(Severity::Warning, File.Source.locationOf(Each.At), Each.Message);
    for (const auto &[At, Kernel] : File.Kernels) {
      const auto Note = llvm::find_if(File.Known.Annotations,
                                      [At = At](const Annotation &A) { return A.At == At; });
      llvm::erase(WithoutEffect, File.Source.locationOf(Note->Text.Begin));
    }
  }

  /// A header with annotations or calls that is not rewritten.
  struct OtherHeader {
    SourceLocation First;
    unsigned Annotations = 0;
    unsigned Calls = 0;
    unsigned Changes = 0; ///< among the calls
  };

  /// One finding for each header, at its first annotation or call. Calls that change graphs make it
  /// an error, and the source fails: its copy would behave differently.
  void reportOtherHeaders(llvm::ArrayRef<SourceLocation> Annotations,
                          llvm::ArrayRef<CallElsewhere> Calls) {
    const SourceManager &Sources = Compiler.getSourceManager();
    std::map<FileID, OtherHeader> Headers;
    const auto Note = [&](SourceLocation Location) -> OtherHeader & {
      OtherHeader &Found = Headers[Sources.getFileID(Location)];
      Found.First = Found.First.isValid() ? std::min(Found.First, Location) : Location;
      return Found;
    };
    for (const SourceLocation Location : Annotations)
      ++Note(Location).Annotations;
    for (const CallElsewhere &Call : Calls) {
      OtherHeader &Found = Note(Call.At);
      ++Found.Calls;
      Found.Changes += Call.Changes;
    }
    for (const auto &[File, Found] : Headers)
      reportOtherHeader(Found);
  }

  void reportOtherHeader(const OtherHeader &Found) {
    const bool Matches = matches(Compiler.getSourceManager().getFilename(Found.First));
    const bool NoPlace = Matches && Asked.Headers.For == HeaderChoice::Use::NoPlace && !inC();
    const std::string Mend =
        inC()     ? "move them to a source: headers stay in C"
        : NoPlace ? "use --out-dir, since -o is for one file"
        : Matches ? "leave out --no-headers"
        : Asked.Headers.ByDefault
            ? "choose it with --header-filter, or name the project's directory "
              "with --project"
            : "choose it with --header-filter";
    std::string Message = "this header is not rewritten, so " +
                          counted(Found.Annotations, "annotation") + " and " +
                          counted(Found.Calls, "CUDA graph call") + " in it have no effect; ";
    if (Found.Changes > 0)
      Message += "graphprof then does not see how " + counted(Found.Changes, "call") +
                 " among them change" + (Found.Changes == 1 ? "s" : "") +
                 " graphs, and results may change: ";
    Message += Mend;
    if (Found.Changes > 0)
      Message += ", or accept it with --allow-unredirected";
    const Severity Level = Found.Changes > 0 || NoPlace ? unsafe() : Severity::Warning;
    Refused |= Level == Severity::Error;
    Result.Source.ChangesGraphs |= Found.Changes > 0;
    report(Level, Found.First, Message);
  }

  /// Warns of calls in foreign headers. Only their owner can change them.
  void reportReached(llvm::ArrayRef<SourceLocation> Calls) {
    const SourceManager &Sources = Compiler.getSourceManager();
    llvm::DenseSet<FileID> Reported;
    for (const SourceLocation Each : Calls)
      if (Reported.insert(Sources.getFileID(Each)).second)
        report(Severity::Warning, Each,
               "the source calls this function of a system or toolkit header, which is not "
               "rewritten; if it changes a graph of instrumented code, graphprof does not see "
               "that, and results may change: include a library's header by -I, not -isystem (in "
               "CMake, SYSTEM OFF), and choose it with --header-filter");
  }

  /// A file's own text. The parser may have seen it with joined launch brackets.
  [[nodiscard]] std::string ownText(const Unit::File &File) const {
    const llvm::StringRef Seen = File.Source.text();
    if (const auto Entry = Compiler.getSourceManager().getFileEntryRefForID(File.Source.file()))
      if (const auto Own = Files.getBufferForFile(Entry->getName());
          Own && (*Own)->getBufferSize() == Seen.size())
        return (*Own)->getBuffer().str();
    return Seen.str();
  }

  /// Reports what is found in a file. With an error, the file stays as it is.
  [[nodiscard]] Plan planned(const Unit::File &File, llvm::StringRef Text) {
    Plan Made = makePlan(File.Known, Text);
    for (const Finding &Each : Made.Findings) {
      report(Each.Level, File.Source.locationOf(Each.At), Each.Message);
      // All errors in a file are about an annotation, or about a call that changes graphs.
      Result.Source.AnnotationErrors |= Each.Level == Severity::Error && !Each.ChangesGraphs;
    }
    Result.Source.ChangesGraphs |= File.Known.changesGraphs();
    return Made;
  }

  /// Passes on a header's facts. The caller merges those of all units.
  void planHeader(Unit::File &File) {
    if (!File.Known.needsWork())
      return;
    ChosenHeader Header;
    const auto Entry = Compiler.getSourceManager().getFileEntryRefForID(File.Source.file());
    Header.Path = pathOf(Compiler.getFileManager(), Entry->getName());
    Header.Text = ownText(File);
    Header.Made = planned(File, Header.Text);
    Header.Failed = Header.Made.failed();
    OfHeaders += Header.Made.Instances;
    if (!Header.Failed)
      note(Header.Made);
    Header.Known = std::move(File.Known);
    Result.Headers.push_back(std::move(Header));
  }

  /// Notes what the unit needs from the runtime. A header's calls count, because they are compiled
  /// with the unit.
  void note(const Plan &Made) {
    Needed.add(Made);
    CallsCuda |= Made.Did.Calls > 0;
  }

  /// Why the unit cannot include graphprof's headers; empty if it can.
  [[nodiscard]] std::string obstacle() const {
    const LangOptions &Language = Compiler.getLangOpts();
    if (Language.CPlusPlus && !Language.CPlusPlus17)
      return "what is inserted needs C++17, and this source is compiled as older C++; add "
             "-std=c++17";
    if (const clang::Module *Named = Compiler.getASTContext().getCurrentNamedModule())
      return "this is a unit of the C++ module '" + Named->getTopLevelModuleName().str() +
             "', in front of which nothing can be included; move the calls and annotations to a "
             "source that is none";
    if (CallsCuda && !CudaDeclares)
      return "it declares CUDA's functions itself, and what is inserted includes CUDA's own "
             "declarations; include <cuda_runtime_api.h> or <cuda.h> instead";
    return {};
  }

  void rewriteSource(const Unit::File &File) {
    FileResult &Source = Result.Source;
    Source.Before = ownText(File);
    Plan Made = planned(File, Source.Before);
    note(Made);
    const std::string Obstacle = Needed.any() ? obstacle() : "";
    if (!Obstacle.empty())
      report(Severity::Error, {}, Asked.ShownPath + ": " + Obstacle);
    if (Made.failed() || Refused || !Obstacle.empty())
      return;
    if (const auto End = static_cast<unsigned>(Source.Before.size()); !OfHeaders.empty())
      Made.Edits.push_back({{End, End}, OfHeaders, /*OwnLines=*/true});
    auto Edited = applyEdits(Source.Before, Made.Edits);
    if (!Edited) {
      report(Severity::Error, {}, llvm::toString(Edited.takeError()));
      return;
    }
    llvm::append_range(EarlyDefines, Made.Names);
    Source.Status = FileStatus::Instrumented;
    Source.After = std::move(*Edited);
    Source.Made = std::move(Made);
    if (Needed.any())
      Source.putInFront(preamble(Source.Before, Asked.ShownPath,
                                 Needed.headers(File.Known.InC, !Source.Made.Names.empty()),
                                 EarlyDefines));
  }

  CompilerInstance &Compiler;
  const Request &Asked;
  const Bodies Read;
  llvm::vfs::FileSystem &Files;
  const HeaderFacts &Before; ///< of the headers that came precompiled
  Reporter &Reports;
  Outcome &Result;
  UnitTokens Tokens;
  llvm::DenseMap<FileID, bool> IsProjects; ///< of the headers that say that they are the system's
  std::vector<std::string> EarlyDefines;
  std::string OfHeaders;               ///< see Plan::Instances
  std::vector<SourceLocation> Skipped; ///< annotations that an #if leaves out
  bool CudaDeclares = false;           ///< the unit has CUDA's own declarations
  bool CallsCuda = false;              ///< some calls are redirected
  Spellings Spelled;
  Needs Needed;
  bool Refused = false; ///< because of calls in a header
};

} // namespace

std::unique_ptr<ASTConsumer> consumeUnit(CompilerInstance &Compiler, const Request &Asked,
                                         Bodies Read, llvm::vfs::FileSystem &Files,
                                         const HeaderFacts &Before, Reporter &Reports,
                                         Outcome &Result) {
  return std::make_unique<Consumer>(Compiler, Asked, Read, Files, Before, Reports, Result);
}

} // namespace graphprof::instrument
