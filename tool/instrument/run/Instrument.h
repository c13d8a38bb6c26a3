// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Instruments one translation unit, from text to text: parse, record, plan, edit. Writes no files;
// messages are part of the outcome.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_INSTRUMENT_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_INSTRUMENT_H

#include "record/Launches.h"
#include "record/LeftOut.h"
#include "run/FileResult.h"
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
  Plan Made;           ///< by what this unit knows
  bool Failed = false; ///< the messages say why
};

/// What is known of a unit. If its source is not instrumented, the diagnoses say why.
struct Outcome {
  FileResult Source;           ///< without its paths
  bool Rejected = false;       ///< clang found errors
  bool NeedsAllBodies = false; ///< too little was parsed, so nothing was done
  std::vector<ChosenHeader> Headers;
  IncludeGraph Includes;
  Inputs Read; ///< the source, and all that it includes

  [[nodiscard]] std::string messages() const;
};

/// `Files` is used by this unit alone. Its working directory is the compile command's.
Outcome instrument(const Request &Request, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace graphprof::instrument

#endif
