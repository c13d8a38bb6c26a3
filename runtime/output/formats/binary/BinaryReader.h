// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads a binary file back into batches, as a writer would have got them. Does not trust the file:
// a damaged one leads to a message or wrong numbers, but to no harm.

#ifndef GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYREADER_H
#define GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYREADER_H

#include <cstddef>
#include <functional>
#include <istream>
#include <string>

#include "graphprof/control.h"
#include "output/data/Batch.h"
#include "output/data/KeptSites.h"
#include "output/data/Run.h"

namespace graphprof {

/// Gets the contents of a file. Empty functions are not called.
struct BinaryListener {
  /// Called first. Without `hostSpans` the file has none, because they were not requested.
  std::function<void(const Run &, bool hostSpans)> run;
  /// The recordings, piece by piece, like batches of one Batcher.
  std::function<void(Batch batch)> batch;
};

struct BinaryResult {
  std::string failed;  ///< why reading stopped; empty: everything was read
  Losses losses{};     ///< as at the program's end
  bool ended = false;  ///< the program ended normally; otherwise the file ends where it had got to
  std::size_t cut = 0; ///< bytes of an incomplete last message, after a crash
  bool newer = false;  ///< it failed because a later version of graphprof wrote the file
};

/// Its batches refer to sites that it owns.
class BinaryReader {
public:
  [[nodiscard]] BinaryResult read(std::istream &stream, const BinaryListener &listener) {
    return read(stream, listener, sites_);
  }
  /// The same, with sites that belong to somebody else.
  [[nodiscard]] static BinaryResult read(std::istream &stream, const BinaryListener &listener,
                                         KeptSites &sites);

private:
  KeptSites sites_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYREADER_H
