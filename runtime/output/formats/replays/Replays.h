// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Prints every replay as text as soon as it is harvested:
//
//     --- graph 1, exec 1, replay 0, step 3 (cold) ---
//     layer 0: 12.345 us
//       add: 6.112 us
//       relu: not measured
//       smooth: 4.711 us (iteration 0)
//     upload: 3.210 us (outside graphs, step 3)
//
// Streaming: harvested replays are in the file even if the program crashes.

#ifndef GRAPHPROF_OUTPUT_FORMATS_REPLAYS_REPLAYS_H
#define GRAPHPROF_OUTPUT_FORMATS_REPLAYS_REPLAYS_H

#include <string>

#include "output/BatchWriter.h"
#include "output/data/ById.h"
#include "output/io/File.h"

namespace graphprof {

class Replays : public BatchWriter {
public:
  /// Writes to the file `path`, or to standard error if it is empty.
  explicit Replays(const std::string &path) : stream_(path) {}

  [[nodiscard]] std::string write(const Batch &batch) override;
  [[nodiscard]] std::string close(const Losses &losses) override;
  [[nodiscard]] std::string written() const override { return stream_.written(); }

private:
  struct Region {
    std::string heading; // "  add: "
    Clock clock;
  };
  void add(std::string &text, const Batch &batch, const Batch::Launch &launch) const;

  TextStream stream_;
  ById<Region> regions_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_REPLAYS_REPLAYS_H
