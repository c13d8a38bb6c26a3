// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One source from text to text: parse, record, plan, edit. Reports on the way; writes nothing.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_INSTRUMENT_H
#define GRAPHPROF_TOOL_INSTRUMENT_INSTRUMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <string>
#include <vector>

namespace graphprof::instrument {

struct Request {
  std::string ShownPath; ///< as the user gave it: what `#line` says
  std::vector<std::string> Command;
  bool Strict = false; ///< what clang rejects is an error, even if the rest could be rewritten
};

struct Outcome {
  bool Done = false; ///< otherwise the reason has been reported and Text says nothing
  std::string Text;
  bool Changed = false;
  unsigned Regions = 0;
  unsigned Calls = 0;
  unsigned Ignored = 0;
  unsigned Warnings = 0;
};

Outcome instrument(const Request &Request, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace graphprof::instrument

#endif
