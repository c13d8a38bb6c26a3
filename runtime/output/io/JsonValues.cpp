// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/JsonValues.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace graphprof {

std::vector<Value> valuesOfJson(std::string_view json, KeptSites &keys) {
  std::vector<Value> values;
  const auto object = nlohmann::ordered_json::parse(json, nullptr, false);
  if (!object.is_object())
    return values;
  for (const auto &[key, value] : object.items()) {
    // A value without a key has its position.
    const bool position =
        std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
    const char *const kept = position ? "" : keys.keep(key);
    if (value.is_boolean())
      values.push_back(Value(value.get<bool>()).with_key(kept));
    else if (value.is_number_unsigned())
      values.push_back(Value(value.get<std::uint64_t>()).with_key(kept));
    else if (value.is_number_integer())
      values.push_back(Value(value.get<std::int64_t>()).with_key(kept));
    else if (value.is_number())
      values.push_back(Value(value.get<double>()).with_key(kept));
    else if (value.is_string())
      values.push_back(Value(value.get<std::string>()).with_key(kept));
  }
  return values;
}

} // namespace graphprof
