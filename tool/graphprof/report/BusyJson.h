// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The columns of a busy time in a command's JSON.

#ifndef GRAPHPROF_TOOL_REPORT_BUSYJSON_H
#define GRAPHPROF_TOOL_REPORT_BUSYJSON_H

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "output/data/RecordColumns.h"
#include "output/io/Words.h"

namespace graphprof {

/// Adds each as a member: null if it is not known.
inline void addBusy(nlohmann::ordered_json &to, const Batch::Busy &busy) {
  const auto add = [&](std::string_view name, const auto &value) {
    if constexpr (requires { word(value); })
      to[name] = word(value);
    else
      to[name] = value;
  };
  forEachColumnOf<Batch::Busy>([&](const auto &column) {
    const std::optional value = column.value(busy);
    if (value)
      add(column.name.view(), *value);
    else
      to[column.name.view()] = nullptr;
  });
}

} // namespace graphprof

#endif // GRAPHPROF_TOOL_REPORT_BUSYJSON_H
