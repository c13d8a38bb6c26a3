// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Facts.h"

#include <algorithm>
#include <map>

namespace graphprof::instrument {

void Facts::merge(Facts Other) {
  // An annotation and its construct go together. Where two units found the same one, the first unit
  // is believed.
  std::map<unsigned, size_t> Places;
  for (size_t I = 0; I < Annotations.size(); ++I)
    Places.emplace(Annotations[I].At, I);
  for (size_t I = 0; I < Other.Annotations.size(); ++I)
    if (!Places.contains(Other.Annotations[I].At)) {
      const auto Before =
          std::upper_bound(Annotations.begin(), Annotations.end(), Other.Annotations[I],
                           [](const Annotation &A, const Annotation &B) { return A.At < B.At; });
      Constructs.insert(Constructs.begin() + (Before - Annotations.begin()),
                        std::move(Other.Constructs[I]));
      Annotations.insert(Before, std::move(Other.Annotations[I]));
    }

  Calls.insert(Calls.end(), Other.Calls.begin(), Other.Calls.end());
  std::sort(Calls.begin(), Calls.end(),
            [](const GraphCall &A, const GraphCall &B) { return A.Text.End < B.Text.End; });
  Calls.erase(
      std::unique(Calls.begin(), Calls.end(),
                  [](const GraphCall &A, const GraphCall &B) { return A.Text.End == B.Text.End; }),
      Calls.end());

  Jumps.insert(Jumps.end(), Other.Jumps.begin(), Other.Jumps.end());
  Findings.insert(Findings.end(), Other.Findings.begin(), Other.Findings.end());
  LastId = std::max(LastId, Other.LastId);
}

} // namespace graphprof::instrument
