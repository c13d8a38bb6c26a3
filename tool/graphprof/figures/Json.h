// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Figures as JSON.

#ifndef GRAPHPROF_TOOL_FIGURES_JSON_H
#define GRAPHPROF_TOOL_FIGURES_JSON_H

#include <string>

#include <nlohmann/json.hpp>

#include "Document.h"

namespace graphprof {

using OrderedJson = nlohmann::ordered_json;

[[nodiscard]] OrderedJson asJson(const Figure &figure);
/// A list with an object for each row, of the columns with a key.
[[nodiscard]] OrderedJson asJson(const FigureTable &table);
/// As commands print it.
[[nodiscard]] std::string jsonText(const OrderedJson &document);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_FIGURES_JSON_H
