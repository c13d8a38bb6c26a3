// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Instruments one translation unit, from text to text: parse, record, plan, edit. Writes no files;
// messages are part of the outcome.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_INSTRUMENT_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_INSTRUMENT_H

#include "facts/Diagnosis.h"
#include "plan/Plan.h"
#include "record/Launches.h"
#include "record/LeftOut.h"
#include "run/Inputs.h"
#include "source/HeaderCache.h"
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
    NoPlace,  ///< they should be rewritten, but there is only one output file
    Unwanted, ///< the user wants none rewritten
  };

  /// Whether to rewrite a header, by its absolute path. Empty: none. It is not called for headers
  /// of the system or of CUDA.
  std::function<bool(llvm::StringRef)> Matches;
  Use For = Use::Rewritten;
  bool ByDefault =
      false; ///< not chosen by the user: headers that cannot be rewritten stay as they are
};

struct Request {
  std::string ShownPath; ///< as given by the user, for `#line`
  std::vector<std::string> Command;
  bool Strict = false; ///< clang's errors are errors, even if the rest could be rewritten
  bool Verify = false; ///< also parse the result, and fail if clang rejects it
  bool Colors = false; ///< in the messages
  HeaderChoice Headers;
  /// Calls that change graphs and cannot be redirected are warnings instead of errors.
  bool AllowUnredirected = false;
  Automatic Auto = {};          ///< what is timed without annotations
  bool DropAnnotations = false; ///< all but `ignore`: what is left of the source without them
  // NOLINTNEXTLINE(readability-redundant-member-init): it may be left out
  std::vector<BrokenPlace> Broken = {}; ///< where something is left out, for graphprof-cc
  bool Memory = true;                   ///< redirect copies and allocations as well
  HeaderCacheSettings Kept = {};        ///< where the parse of the toolkit's headers is kept
};

/// A header that this unit wants rewritten. Other units may find more in it.
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
  std::vector<Edit> Edits; ///< the edits that turn Before into Text
  std::vector<Site> Sites;
  std::vector<GraphCall> Calls;
  Counts Did;
  unsigned Warnings = 0;
  unsigned ParseErrors = 0;    ///< clang's errors that did not prevent rewriting
  bool Rejected = false;       ///< clang found errors
  bool NeedsAllBodies = false; ///< too little was parsed, so nothing was done
  HeaderUse Headed;            ///< whether the headers in front of the source came precompiled
  std::vector<ChosenHeader> Headers;
  IncludeGraph Includes;
  std::string Hidden; ///< see findHidden
  Inputs Read;        ///< the source, and all that it includes
  /// The source, or a project header that it includes, calls functions that change graphs, or names
  /// them if it could not be parsed. If it is compiled unchanged beside instrumented sources, the
  /// program may compute something else.
  bool ChangesGraphs = false;
  /// An annotation in the source, or in a header that is rewritten with it, is wrong: the user's to
  /// correct, unlike all that graphprof cannot do.
  bool AnnotationErrors = false;

  [[nodiscard]] std::string messages() const;
};

/// `Files` is used by this unit alone. Its working directory is the compile command's.
Outcome instrument(const Request &Request, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace graphprof::instrument

#endif
