// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One translation unit from text to text: parse, record, plan, edit. Writes nothing; what there is
// to say is part of the outcome.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_INSTRUMENT_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_INSTRUMENT_H

#include "facts/Diagnosis.h"
#include "plan/Plan.h"
#include "record/Launches.h"
#include "run/Inputs.h"
#include "source/Includes.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <functional>
#include <string>
#include <vector>

namespace graphprof::instrument {

/// Which headers are rewritten with a source.
struct HeaderChoice {
  enum class Use {
    Rewritten,
    NoPlace,  ///< they should be, but the result goes to one file
    Unwanted, ///< none is: the user says so
  };

  /// By absolute paths; none where it is empty. Those of the system and of CUDA are never asked
  /// for.
  std::function<bool(llvm::StringRef)> Matches;
  Use For = Use::Rewritten;
  bool ByDefault = false; ///< chosen by nobody: where they cannot be rewritten they stay
};

struct Request {
  std::string ShownPath; ///< as the user gave it: what `#line` says
  std::vector<std::string> Command;
  bool Strict = false; ///< what clang rejects is an error, even if the rest could be rewritten
  bool Verify = false; ///< parse the result too: what clang rejects in it is an error
  bool Colors = false; ///< in the messages
  HeaderChoice Headers;
  /// Calls that change graphs and cannot be redirected are warned of; else they are errors.
  bool AllowUnredirected = false;
  Automatic Auto = {}; ///< what is timed without annotations
  bool Memory = true;  ///< redirect copies and allocations as well
};

/// A header that this unit would have rewritten. Other units may find more in it.
struct ChosenHeader {
  std::string Path; ///< in the include graph
  std::string Text;
  Facts Known;
  bool Failed = false; ///< the messages say why
};

struct Outcome {
  bool Done = false; ///< otherwise the diagnoses say why, and Text is empty
  std::vector<Diagnosis> Diagnoses;
  std::string Before; ///< the source
  std::string Text;   ///< the source, instrumented
  bool Changed = false;
  std::vector<Edit> Edits; ///< what makes Text of Before
  std::vector<Site> Sites;
  std::vector<GraphCall> Calls;
  Counts Did;
  unsigned Warnings = 0;
  unsigned ParseErrors = 0; ///< that did not keep the rest from being rewritten
  std::vector<ChosenHeader> Headers;
  IncludeGraph Includes;
  std::string Hidden; ///< see findHidden
  Inputs Read;        ///< the source, and all that it includes
  /// The source, or a header of the project that it includes, calls functions that change graphs,
  /// or names them where it could not be parsed: compiled as it is beside instrumented sources, it
  /// may compute something else.
  bool ChangesGraphs = false;

  [[nodiscard]] std::string messages() const;
};

/// `Files` belongs to this unit alone: its working directory is the command's.
Outcome instrument(const Request &Request, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace graphprof::instrument

#endif
