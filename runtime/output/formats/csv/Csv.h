// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Comma-separated values: a line a record, in the form of RFC 4180, headed by the columns' names.
// What a record does not have is an empty field: no begin and no duration where it was not
// measured. What was lost stands in the last lines: kind "loss", the sentence as the name.

#ifndef GRAPHPROF_OUTPUT_FORMATS_CSV_CSV_H
#define GRAPHPROF_OUTPUT_FORMATS_CSV_CSV_H

#include <string>

#include "output/BatchWriter.h"
#include "output/data/ById.h"
#include "output/io/File.h"

namespace graphprof {

class Csv : public BatchWriter {
public:
  explicit Csv(std::string path) : stream_(std::move(path), streamPatience) {}

  [[nodiscard]] std::string write(const Batch &batch) override;
  [[nodiscard]] std::string close(const Losses &losses) override;

private:
  struct Texts {
    std::string first, last; // fields before and behind those that change
  };
  void begin();
  void add(const Batch::Launch &launch, const Batch::Timing &timing);

  TextStream stream_;
  bool begun_ = false;
  std::string text_; // of one batch
  ById<Texts> texts_;
};

/// A field as it stands in a line: in quotes where it must be.
[[nodiscard]] std::string csvField(std::string_view text);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_CSV_CSV_H
