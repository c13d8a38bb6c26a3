// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Text edits, string to string. Knows nothing of C++ but line ends, the byte order mark and the
// lines that open a copy.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_PLAN_EDITS_H
#define GRAPHPROF_TOOL_INSTRUMENT_PLAN_EDITS_H

#include "facts/Facts.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace graphprof::instrument {

/// Replaces a range of the original text; an empty range inserts.
struct Edit {
  TextRange Range;
  std::string Text;
};

/// Applies edits, given in any order; an insertion goes before what is replaced at its place, and
/// behind those given before it at the same place. Edits that overlap, or that would change the
/// number of lines, are an error of the tool's own.
llvm::Expected<std::string> applyEdits(llvm::StringRef Text, const std::vector<Edit> &Edits);

/// The header of the runtime's that a file needs: which calls of it were redirected, and its
/// language.
enum class RuntimeHeader { Cuda, CudaDriver, C };

/// Puts the includes of the runtime's headers in front, and a #line that gives the file its own
/// lines back; what an earlier run put there stays. EarlyDefines are directives that CUDA's headers
/// must see and that the file itself has only further down. Nothing before this place changes.
Edit preamble(llvm::StringRef Text, llvm::StringRef Path, llvm::ArrayRef<RuntimeHeader> Headers,
              llvm::ArrayRef<std::string> EarlyDefines);

/// The text with its preamble.
std::string addPreamble(llvm::StringRef Text, llvm::StringRef Path,
                        llvm::ArrayRef<RuntimeHeader> Headers,
                        llvm::ArrayRef<std::string> EarlyDefines);

/// Where the file's own first line begins, behind what an earlier run put in front.
size_t ownText(llvm::StringRef Text);

/// Puts only the #line in front, unless the text opens with one: for a copy of a header, which is
/// included where the runtime's header has been.
Edit lineEdit(llvm::StringRef Text, llvm::StringRef Path);
std::string addLine(llvm::StringRef Text, llvm::StringRef Path);

/// "\r\n" or "\n": how the text ends its first line.
llvm::StringRef lineEnd(llvm::StringRef Text);

} // namespace graphprof::instrument

#endif
