// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/ScopeNames.h"

#include <cstdint>
#include <cstring>

#include "graphprof/site.h"
#include "graphprof/value.h"
#include "services/Services.h"

namespace graphprof {

using device::NumberKind;

namespace {

// The 64 bits of a number of `type`. The processor has the lowest byte first, as those of all
// devices.
std::uint64_t bitsAt(const void *address, const device::ParameterType &type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, address, type.bytes);
  const unsigned unused = 64 - 8 * unsigned{type.bytes};
  return type.kind == NumberKind::Signed
             ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused)
             : bits;
}

Value valueOf(NumberKind kind, std::uint64_t bits) {
  switch (kind) {
  case NumberKind::Unsigned:
    return bits;
  case NumberKind::Boolean:
    return bits != 0;
  case NumberKind::Character:
    return static_cast<char>(bits);
  case NumberKind::None:
  case NumberKind::Signed:
    break;
  }
  return static_cast<std::int64_t>(bits);
}

} // namespace

ScopeNames::ScopeNames(const device::Twin &twin)
    : types_(twin.types, twin.types + twin.parameters) {
  for (unsigned i = 0; i < twin.scopeCount; ++i) {
    const device::ScopeSite &site = twin.scopes[i];
    scopes_.push_back({site.name, site.file, site.line, {}});
    if (site.valueCount > 0)
      scopes_.back().values.assign(site.values, site.values + site.valueCount);
  }
}

std::vector<InsideOfKernel::Scope> ScopeNames::of(void *const *parameters,
                                                  Services &services) const {
  std::vector<InsideOfKernel::Scope> named;
  for (const Scope &scope : scopes_) {
    std::vector<Value> values;
    for (const device::ScopeValue &value : scope.values) {
      if (value.parameter < 0) {
        values.push_back(valueOf(value.kind, value.bits));
      } else if (const auto place = static_cast<std::size_t>(value.parameter);
                 place < types_.size() && parameters) {
        values.push_back(valueOf(types_[place].kind, bitsAt(parameters[place], types_[place])));
      }
    }
    const Site site(scope.name.c_str(), scope.file.c_str(), scope.line, "");
    named.push_back({scope.values.empty() ? scope.name : services.nameOf(site, values), scope.file,
                     scope.line});
  }
  return named;
}

} // namespace graphprof
