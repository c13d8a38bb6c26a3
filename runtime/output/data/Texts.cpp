// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Texts.h"

#include <bit>
#include <cstdint>

namespace graphprof {

namespace {

void append(std::string &key, std::uint64_t number) {
  key.append(reinterpret_cast<const char *>(&number), sizeof number);
}

void append(std::string &key, std::string_view text) {
  append(key, text.size());
  key += text;
}

std::uint64_t bits(const Value &value) {
  switch (value.kind()) {
  case Value::Kind::Real:
    return std::bit_cast<std::uint64_t>(value.as_real());
  case Value::Kind::Address:
    return reinterpret_cast<std::uintptr_t>(value.as_address());
  case Value::Kind::Boolean:
    return value.as_boolean() ? 1 : 0;
  case Value::Kind::Character:
  case Value::Kind::Signed:
    return static_cast<std::uint64_t>(value.as_signed());
  case Value::Kind::Unsigned:
    return value.as_unsigned();
  case Value::Kind::Text:
    return 0;
  }
  return 0;
}

std::string identityOf(std::string_view name, std::span<const Value> context) {
  std::string key;
  append(key, name);
  for (const Value &value : context) {
    key += static_cast<char>(value.kind());
    append(key, value.key());
    append(key, bits(value));
    if (value.kind() == Value::Kind::Text)
      append(key, value.as_text());
  }
  return key;
}

} // namespace

const Texts::Text *Texts::of(std::string_view name, std::span<const Value> context) {
  const auto [known, isNew] = texts_.try_emplace(identityOf(name, context));
  if (isNew)
    known->second = {std::string(name), std::vector<Value>(context.begin(), context.end())};
  return &known->second;
}

} // namespace graphprof
