// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Messages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <tuple>

namespace graphprof::launcher {

std::string shown(llvm::StringRef Messages, bool Verbose) {
  std::string Result;
  while (!Messages.empty()) {
    llvm::StringRef Line;
    std::tie(Line, Messages) = Messages.split('\n');
    llvm::StringRef Text = Line;
    const bool Summary = Text.consume_front("graphprof-instrument: ") &&
                         !Text.starts_with("error: ") && !Text.starts_with("warning: ");
    // graphprof-cc compiles the copies with these flags itself.
    const bool Advice = Summary && Text.contains("compile the cop");
    if (Summary)
      Line = Line.split("; compile it with ").first;
    if (!Summary || (Verbose && !Advice))
      Result += Line.str() + "\n";
  }
  return Result;
}

std::string reasonIn(llvm::StringRef Messages) {
  llvm::SmallVector<llvm::StringRef> Lines;
  Messages.split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef Line : Lines)
    if (Line.contains("error: ")) {
      Line.consume_front("graphprof-instrument: ");
      Line.consume_front("error: ");
      return Line.str();
    }
  return Lines.empty()
             ? "graphprof-instrument failed and printed nothing; run it by itself on this source"
             : Lines.front().str();
}

bool lacksHeader(llvm::StringRef Messages, llvm::StringRef Name) {
  while (!Messages.empty()) {
    llvm::StringRef Line;
    std::tie(Line, Messages) = Messages.split('\n');
    if (Line.contains(Name) && (Line.contains("No such file") || Line.contains("file not found") ||
                                Line.contains("cannot open")))
      return true;
  }
  return false;
}

} // namespace graphprof::launcher
