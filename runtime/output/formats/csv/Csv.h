// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Comma-separated values: a line for each record, in the form of RFC 4180, with the columns' names
// in the first line. A field that a record lacks is empty, such as the begin and duration of one
// that was not measured. The last lines are what was lost: kind "loss", with the sentence as the
// name.

#ifndef GRAPHPROF_OUTPUT_FORMATS_CSV_CSV_H
#define GRAPHPROF_OUTPUT_FORMATS_CSV_CSV_H

#include <string>
#include <string_view>
#include <vector>

#include "output/BatchWriter.h"
#include "output/data/Batch.h"
#include "output/data/ById.h"
#include "output/io/File.h"

namespace graphprof {

class Csv : public BatchWriter {
public:
  explicit Csv(std::string path) : stream_(std::move(path), streamPatience) {}

  [[nodiscard]] std::string write(const Batch &batch) override;
  [[nodiscard]] std::string close(const Losses &losses) override;
  [[nodiscard]] std::string written() const override { return stream_.written(); }

private:
  // A region's fields, a text for each group that stands together.
  using Texts = std::vector<std::string>;
  void begin();
  void add(const Batch::Launch &launch, const Batch::Timing &timing);

  TextStream stream_;
  bool begun_ = false;
  std::string text_; // of one batch
  ById<Texts> texts_;
};

/// A field as it appears in a line, in quotes if necessary.
[[nodiscard]] std::string csvField(std::string_view text);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_CSV_CSV_H
