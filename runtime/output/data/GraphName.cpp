// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/GraphName.h"

#include <utility>

#include <fmt/format.h>

namespace graphprof {

namespace {

std::string textOf(const Value &value) {
  switch (value.kind()) {
  case Value::Kind::Signed:
    return fmt::format("{}", value.as_signed());
  case Value::Kind::Unsigned:
    return fmt::format("{}", value.as_unsigned());
  case Value::Kind::Real:
    return fmt::format("{}", value.as_real());
  case Value::Kind::Boolean:
    return value.as_boolean() ? "true" : "false";
  case Value::Kind::Character:
    return {value.as_character()};
  case Value::Kind::Text:
    return value.as_text();
  case Value::Kind::Address:
    return fmt::format("{}", value.as_address());
  }
  return {};
}

} // namespace

std::shared_ptr<const GraphName> graphNameOf(std::string name, std::vector<Value> values) {
  std::string text = name;
  for (const Value &value : values)
    if (!value.key().empty())
      text.append(" ").append(value.key()).append("=").append(textOf(value));
  return std::make_shared<const GraphName>(
      GraphName{std::move(name), std::move(values), std::move(text)});
}

std::string shownGraph(const GraphName *name, std::uint64_t number) {
  return name ? name->text : fmt::format("graph {}", number);
}

} // namespace graphprof
