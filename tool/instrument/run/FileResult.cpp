// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/FileResult.h"

#include "llvm/ADT/STLExtras.h"

namespace graphprof::instrument {

void FileResult::fail(std::string Why) {
  Status = FileStatus::Failed;
  Diagnoses.push_back(Diagnosis::ofTool(Severity::Error, std::move(Why)));
}

void FileResult::putInFront(Edit Lines) {
  After.insert(Lines.Range.Begin, Lines.Text);
  if (!Lines.Text.empty())
    Made.Edits.push_back(std::move(Lines));
}

Places::Places(llvm::StringRef Text) : Lines{0} {
  for (unsigned I = 0; I < Text.size(); ++I)
    if (Text[I] == '\n')
      Lines.push_back(I + 1);
  Ours = llvm::count(Text.take_front(ownText(Text)), '\n');
}

Places::Place Places::operator()(unsigned Offset) const {
  const auto Next = llvm::upper_bound(Lines, Offset);
  const auto Number = static_cast<unsigned>(Next - Lines.begin());
  return {Number > Ours ? Number - Ours : 1, Offset - *std::prev(Next) + 1};
}

} // namespace graphprof::instrument
