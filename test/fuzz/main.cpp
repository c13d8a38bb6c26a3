// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// fuzz-tool: makes a source for each seed, and checks the tool's rules on it. Worker processes do
// the work, so that a crash of the tool costs one case and is reported like any other failure.

#include "Minimize.h"
#include "Mutations.h"
#include "Rules.h"
#include "Runs.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

using namespace graphprof::fuzz;
namespace cl = llvm::cl;

namespace {

cl::opt<std::uint64_t> Seed("seed", cl::desc("The first seed"), cl::init(1));
cl::opt<std::uint64_t> Count("count", cl::desc("How many sources"), cl::init(1000));
cl::opt<unsigned> Jobs("j", cl::desc("How many at a time"), cl::init(1));
cl::opt<unsigned> MaxFailures("max-failures", cl::desc("Stop after so many"), cl::init(20));
cl::opt<std::string> Reproduce("reproduce", cl::desc("Check this source instead"));
cl::opt<bool> Run("run",
                  cl::desc("Make functions instead, and compare what they do when they run"));
cl::opt<Subject::Auto> Unannotated(
    "auto", cl::desc("What is timed besides what is annotated"), cl::init(Subject::Auto::None),
    cl::values(clEnumValN(Subject::Auto::None, "none", "nothing"),
               clEnumValN(Subject::Auto::Launches, "launches", "kernel launches"),
               clEnumValN(Subject::Auto::Functions, "functions", "functions that launch")));
cl::opt<bool> Print("print", cl::desc("Only print the source of the first seed"));
cl::opt<bool> Whole("whole", cl::desc("Do not make failing sources small"));
cl::opt<std::string> Root("root", cl::desc("A checkout of graphprof"),
                          cl::init(GRAPHPROF_SOURCE_DIR));

/// The workers' shared state, in shared memory.
struct Board {
  std::atomic<std::uint64_t> Next{0};
  std::atomic<std::uint64_t> Sources{0}, Mutations{0}, Rewritten{0}, Refused{0}, Unchanged{0},
      Broken{0};
  std::atomic<std::uint64_t> Unparsable{0}; ///< clang crashes without us
  std::atomic<std::uint64_t> Regions{0}, Calls{0}, Failures{0};
  std::atomic<std::uint64_t> Current[64]; ///< by worker
};

constexpr unsigned SecondsPerCase = 20;
constexpr unsigned CasesPerProcess = 2000; // clang keeps some memory for each case

/// Runs work in its own process. Returns its status in the format of waitpid.
template <class Work> int apart(Work Do) {
  llvm::outs().flush();
  const pid_t Child = fork();
  if (Child == 0) {
    Do();
    llvm::outs().flush();
    _exit(0);
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  return Status;
}

std::string crash(int Status) {
  if (WIFEXITED(Status))
    return WEXITSTATUS(Status) == 0 ? "" : "exits with " + std::to_string(WEXITSTATUS(Status));
  return WTERMSIG(Status) == SIGALRM ? "takes too long"
                                     : std::string("crashes: ") + strsignal(WTERMSIG(Status));
}

void print(std::uint64_t Of, llvm::StringRef Rule, llvm::StringRef Text, llvm::StringRef Detail) {
  llvm::outs() << "==== seed " << Of << ": " << Rule << "\n" << Text << "\n---- " << Detail << "\n";
  llvm::outs().flush();
}

void report(const Rules &Check, std::uint64_t Of, std::string Text, const std::string &Rule) {
  if (!Whole)
    Text = minimize(std::move(Text), [&](const std::string &Less) {
      return Check.check(Less, Unannotated).Broken == Rule;
    });
  print(Of, Rule, Text, Check.check(Text, Unannotated).Detail);
}

void work(const Rules &Check, Board &Shared, unsigned Worker) {
  for (unsigned Done = 0; Done < CasesPerProcess; ++Done) {
    const std::uint64_t I = Shared.Next++;
    if (I >= Count || Shared.Failures >= MaxFailures)
      return;
    const std::uint64_t Mine = Seed + I;
    Shared.Current[Worker] = Mine;
    const Case Made = makeCase(Mine);
    alarm(SecondsPerCase);
    const Verdict Found = Check.check(Made.Text, Unannotated);
    alarm(0);
    ++Shared.Sources;
    Shared.Mutations += Made.Mutations;
    Shared.Regions += Found.Result.Regions;
    Shared.Calls += Found.Result.Calls;
    ++(!Found.Result.Done     ? Shared.Refused
       : Found.Result.Changed ? Shared.Rewritten
                              : Shared.Unchanged);
    Shared.Broken += Found.Result.ParseErrors > 0;
    if (!Found.Broken.empty()) {
      ++Shared.Failures;
      report(Check, Mine, Made.Text, Found.Broken);
    }
  }
}

/// Runs a worker until all cases are done, or too many have failed. Restarts it after a crash.
void keepWorking(const Rules &Check, Board &Shared, unsigned Worker) {
  while (Shared.Next < Count && Shared.Failures < MaxFailures) {
    const std::string Crash = crash(apart([&] { work(Check, Shared, Worker); }));
    if (Crash.empty())
      continue;
    const std::uint64_t Mine = Shared.Current[Worker];
    std::string Text = makeCase(Mine).Text;
    if (!crash(apart([&] {
           alarm(SecondsPerCase);
           Check.parse(Text);
         })).empty()) {
      ++Shared.Unparsable;
      continue;
    }
    ++Shared.Failures;
    if (!Whole)
      Text = minimize(
          std::move(Text),
          [&](const std::string &Less) {
            return crash(apart([&] {
                     alarm(SecondsPerCase);
                     (void)Check.check(Less, Unannotated);
                   })) == Crash;
          },
          Crash.starts_with("takes") ? 30 : 600);
    print(Mine, Crash, Text, "");
  }
}

int reproduce(const Rules &Check) {
  const auto Buffer = llvm::MemoryBuffer::getFile(Reproduce);
  if (!Buffer) {
    llvm::errs() << Reproduce << ": " << Buffer.getError().message() << "\n";
    return 2;
  }
  const Verdict Found = Check.check((*Buffer)->getBuffer(), Unannotated);
  llvm::outs() << Found.Result.Messages;
  if (Found.Broken.empty()) {
    llvm::outs() << Found.Result.Text << "fuzz-tool: all rules hold\n";
    return 0;
  }
  llvm::outs() << Found.Detail << "\nfuzz-tool: " << Found.Broken << "\n";
  return 1;
}

} // namespace

int main(int ArgumentCount, char **Arguments) {
  cl::ParseCommandLineOptions(ArgumentCount, Arguments, "fuzzes graphprof-instrument\n");
  if (Print) {
    llvm::outs() << makeCase(Seed).Text;
    return 0;
  }
  const Rules Check{Root};
  if (!Reproduce.empty())
    return reproduce(Check);

  if (Run) {
    const RunCounts Total = runPrograms(Check.tool(), Root, Seed, Count);
    llvm::outs() << "fuzz-tool: ran " << Total.Functions << " functions with " << Total.Regions
                 << " regions, compared " << Total.Lines << " calls; " << Total.Failures
                 << " failures\n";
    return Total.Failures == 0 && Total.Regions > 0 ? 0 : 1;
  }

  void *Memory =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (Memory == MAP_FAILED)
    llvm::report_fatal_error("no shared memory");
  Board &Shared = *new (Memory) Board;
  std::vector<pid_t> Workers;
  for (unsigned Worker = 0; Worker < std::clamp(Jobs.getValue(), 1u, 64u); ++Worker) {
    const pid_t Child = fork();
    if (Child == 0) {
      keepWorking(Check, Shared, Worker);
      _exit(0);
    }
    Workers.push_back(Child);
  }
  for (const pid_t Each : Workers)
    waitpid(Each, nullptr, 0);

  llvm::outs() << "fuzz-tool: " << Shared.Sources << " sources, " << Shared.Mutations
               << " mutations: " << Shared.Rewritten << " rewritten (" << Shared.Regions
               << " regions, " << Shared.Calls << " calls), " << Shared.Unchanged << " unchanged, "
               << Shared.Refused << " refused; " << Shared.Broken << " with errors of clang's, "
               << Shared.Unparsable << " that crash clang itself; " << Shared.Failures
               << " failures\n";
  return Shared.Failures == 0 && Shared.Sources + Shared.Unparsable == Count ? 0 : 1;
}
