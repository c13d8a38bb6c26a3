// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What was lost, as text for every output: how much, why, and what to do.

#ifndef GRAPHPROF_OUTPUT_DATA_LOSSTEXT_H
#define GRAPHPROF_OUTPUT_DATA_LOSSTEXT_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphprof/control.h"

namespace graphprof {

/// A kind of loss: its count, and its texts.
struct LossKind {
  const char *key; ///< the name of its member in Losses
  std::uint64_t Losses::*count;
  const char *one;  ///< what was lost, singular
  const char *many; ///< plural
  const char *text; ///< how, and what to do
};

/// One for each member of Losses.
[[nodiscard]] std::span<const LossKind> lossKinds();

/// "2 replays lost: ...", without a full stop.
[[nodiscard]] std::string lossSentence(const LossKind &kind, std::uint64_t count);

/// One sentence, without a full stop, for each count that is not zero.
[[nodiscard]] std::vector<std::string> lossSentences(const Losses &losses);

/// "1 replay", "2 replays".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_LOSSTEXT_H
