// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Text edits, from string to string. Of C++ it knows line ends, the byte order mark, and the lines
// in front of a copy.

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
  bool OwnLines = false; ///< it adds lines, and a #line behind them restores the numbers
};

/// Applies edits, in any order. At the same offset, insertions keep their order and go before a
/// replacement. Edits that overlap, or that change the number of lines, are an internal error.
llvm::Expected<std::string> applyEdits(llvm::StringRef Text, const std::vector<Edit> &Edits);

/// The same without these checks.
std::string rewritten(llvm::StringRef Text, const std::vector<Edit> &Edits);

/// A file's name as `#line` and `#include` spell it.
std::string quoted(llvm::StringRef Path);

/// The runtime's header that a file needs. It depends on the redirected calls and on the language.
enum class RuntimeHeader { Cuda, CudaDriver, C, Named, Twin };

/// Puts the includes of the runtime's headers in front, and a #line that restores the file's line
/// numbers. What an earlier run put there stays. EarlyDefines are directives that CUDA's headers
/// must see and that the file has further down. The text before the inserted lines does not change.
Edit preamble(llvm::StringRef Text, llvm::StringRef Path, llvm::ArrayRef<RuntimeHeader> Headers,
              llvm::ArrayRef<std::string> EarlyDefines);

/// The text with its preamble.
std::string addPreamble(llvm::StringRef Text, llvm::StringRef Path,
                        llvm::ArrayRef<RuntimeHeader> Headers,
                        llvm::ArrayRef<std::string> EarlyDefines);

/// Where the file's own first line begins, after the lines of an earlier run.
size_t ownText(llvm::StringRef Text);

/// Puts only a #line in front, unless the text begins with one. For copies of headers, which are
/// included after the runtime's header.
Edit lineEdit(llvm::StringRef Text, llvm::StringRef Path);
std::string addLine(llvm::StringRef Text, llvm::StringRef Path);

/// The end of the text's first line: "\r\n" or "\n".
llvm::StringRef lineEnd(llvm::StringRef Text);

} // namespace graphprof::instrument

#endif
