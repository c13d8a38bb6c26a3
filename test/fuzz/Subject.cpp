// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Subject.h"

#include "run/Instrument.h"
#include "source/Prelude.h"

#include "llvm/Support/MemoryBuffer.h"

namespace graphprof::fuzz {

Subject::Subject(const HeaderFiles &Project) {
  Files.addAll(Project);
  // Needed to parse an instrumented text again.
  const auto Brought = instrument::fileSystemWithPrelude();
  for (const char *Name : {"/graphprof/cuda.h", "/graphprof/detail/named.h"}) {
    const std::string Path = instrument::FallbackIncludePath.str() + Name;
    if (const auto Buffer = Brought->getBufferForFile(Path))
      Files.addFile(Path, (*Buffer)->getBuffer());
  }
}

Instrumented Subject::instrument(llvm::StringRef Text, Auto Unannotated) const {
  instrument::Request Wanted;
  Wanted.Auto.Launches = Unannotated == Auto::Launches;
  Wanted.Auto.Functions = Unannotated == Auto::Functions;
  Wanted.ShownPath = CasePath.str();
  Wanted.AllowUnredirected = true; // so that the text around such calls is tested, too
  Wanted.Command = {"clang++",
                    "-x",
                    "cuda",
                    "-fsyntax-only",
                    "-w",
                    "-std=c++20",
                    "-ferror-limit=0",
                    "--cuda-host-only",
                    "-nocudainc",
                    "-nocudalib",
                    "--cuda-path=/nonexistent",
                    "-nostdinc",
                    "-Xclang",
                    "-target-sdk-version=12.9",
                    "-isystem/tool",
                    "-isystem/std",
                    "-include",
                    "cuda_runtime.h",
                    "-idirafter",
                    instrument::FallbackIncludePath.str(),
                    "--",
                    CasePath.str()};
  instrument::Outcome Result = instrument::instrument(Wanted, Files.with(Text));
  instrument::FileResult &Source = Result.Source;
  const instrument::Counts Did = Source.Made.Did;
  return {.Done = Source.Status == instrument::FileStatus::Instrumented,
          .Changed = Source.changed(),
          .Text = std::move(Source.After),
          .Messages = Result.messages(),
          .ParseErrors = Source.ParseErrors,
          .Regions = Did.Regions + Did.Launches + Did.Functions,
          .Calls = Did.Calls};
}

} // namespace graphprof::fuzz
