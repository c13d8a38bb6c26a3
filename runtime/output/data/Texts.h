// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names with the context values that they were made of, each pair once: what is kept of many
// records and host spans that say the same. Knows neither.

#ifndef GRAPHPROF_OUTPUT_DATA_TEXTS_H
#define GRAPHPROF_OUTPUT_DATA_TEXTS_H

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graphprof/value.h"

namespace graphprof {

/// One thread at a time.
class Texts {
public:
  struct Text {
    std::string name;
    std::vector<Value> context;
  };
  /// The same one for all that say the same. It stays where it is, as long as this.
  const Text *of(std::string_view name, std::span<const Value> context);

private:
  std::unordered_map<std::string, Text> texts_; // by everything that tells them apart
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_TEXTS_H
