// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One translation unit from text to text: parse, record, plan, edit. Writes nothing; what there is
// to say is part of the outcome.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_INSTRUMENT_H
#define GRAPHPROF_TOOL_INSTRUMENT_INSTRUMENT_H

#include "Facts.h"
#include "Includes.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace graphprof::instrument {

/// What was said of headers. Many units include one header; each of its problems is told once.
class Told {
public:
  /// Whether nobody has said this before.
  bool first(const std::string &What) {
    const std::lock_guard Lock(Guard);
    return Said.insert(What).second;
  }

private:
  std::mutex Guard;
  llvm::StringSet<> Said;
};

struct Request {
  std::string ShownPath; ///< as the user gave it: what `#line` says
  std::vector<std::string> Command;
  bool Strict = false; ///< what clang rejects is an error, even if the rest could be rewritten
  bool Colors = false; ///< in the messages
  /// Which headers are rewritten, by their absolute paths; none where it is empty.
  std::function<bool(llvm::StringRef)> Chosen;
  Told *Headers = nullptr; ///< shared by all units of a run; may be null
};

/// A header that this unit would have rewritten. Other units may find more in it.
struct ChosenHeader {
  std::string Path; ///< in the include graph
  std::string Text;
  Facts Known;
  bool Failed = false; ///< the messages say why
};

struct Outcome {
  bool Done = false; ///< otherwise the messages say why, and Text is empty
  std::string Messages;
  std::string Text; ///< the source, instrumented
  bool Changed = false;
  Counts Did;
  unsigned Warnings = 0;
  unsigned ParseErrors = 0; ///< that did not keep the rest from being rewritten
  std::vector<ChosenHeader> Headers;
  IncludeGraph Includes;
};

/// `Files` belongs to this unit alone: its working directory is the command's.
Outcome instrument(const Request &Request, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace graphprof::instrument

#endif
