// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names with their context values, each pair once, for many records and host spans that share them.
// Does not know either.

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
  /// One object for all equal texts. It does not move, and lives as long as this.
  const Text *of(std::string_view name, std::span<const Value> context);

private:
  std::unordered_map<std::string, Text> texts_; // by everything that distinguishes them
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_TEXTS_H
