// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/FileResult.h"

#include "llvm/ADT/STLExtras.h"

namespace graphprof::instrument {

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
