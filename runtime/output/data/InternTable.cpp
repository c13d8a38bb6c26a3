// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/InternTable.h"

#include <algorithm>
#include <functional>

namespace graphprof {

namespace {

void mix(std::size_t &hash, std::size_t more) {
  constexpr std::size_t golden = 0x9e3779b97f4a7c15;
  hash = (hash ^ more) * golden;
  hash ^= hash >> 32;
}

bool isText(const Value &value) { return value.kind() == Value::Kind::Text; }

bool sameValue(const Value &one, const Value &other) {
  return one.kind() == other.kind() && one.as_unsigned() == other.as_unsigned() &&
         one.key() == other.key() && (!isText(one) || one.as_text() == other.as_text());
}

} // namespace

std::size_t hashOf(const Identity &identity) {
  std::size_t hash = std::hash<const void *>()(identity.site);
  mix(hash, identity.place);
  mix(hash, identity.kind);
  mix(hash, std::hash<std::string_view>()(identity.name));
  for (const Value &value : identity.context)
    mix(hash, isText(value) ? std::hash<std::string_view>()(value.as_text()) : value.as_unsigned());
  return hash;
}

bool same(const Identity &one, const Identity &other) {
  return one.site == other.site && one.place == other.place && one.kind == other.kind &&
         one.name == other.name &&
         std::equal(one.context.begin(), one.context.end(), other.context.begin(),
                    other.context.end(), sameValue);
}

} // namespace graphprof
