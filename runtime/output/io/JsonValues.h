// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads the values of a region back from the JSON that jsonContext() made of them (Json.h).

#ifndef GRAPHPROF_OUTPUT_IO_JSONVALUES_H
#define GRAPHPROF_OUTPUT_IO_JSONVALUES_H

#include <string_view>
#include <vector>

#include "graphprof/value.h"
#include "output/data/KeptSites.h"

namespace graphprof {

/// Numbers, bools and texts; anything else is left out. `keys` owns the keys.
[[nodiscard]] std::vector<Value> valuesOfJson(std::string_view json, KeptSites &keys);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_JSONVALUES_H
