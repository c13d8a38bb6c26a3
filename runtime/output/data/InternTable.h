// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds regions and acts that are already known, by site, name and values. A lookup copies nothing.
// Does not know records or host spans.

#ifndef GRAPHPROF_OUTPUT_DATA_INTERNTABLE_H
#define GRAPHPROF_OUTPUT_DATA_INTERNTABLE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graphprof/site.h"
#include "graphprof/value.h"

namespace graphprof {

/// What distinguishes one from another. All members equal means the same.
struct Identity {
  const Site *site;
  std::string_view name;
  std::span<const Value> context;
  std::uint64_t kind;  ///< anything else, as a number
  std::uint64_t place; ///< likewise
};
[[nodiscard]] std::size_t hashOf(const Identity &identity);
[[nodiscard]] bool same(const Identity &one, const Identity &other);

/// An `Of` for each known one. One thread at a time.
template <class Of> class InternTable {
public:
  /// Null if it is new. Valid until clear().
  [[nodiscard]] const Of *find(const Identity &identity) const {
    const auto known = known_.find(identity);
    return known == known_.end() ? nullptr : &known->second;
  }
  const Of &add(const Identity &identity, Of of) {
    Kept kept{identity.site, std::string(identity.name),
              std::vector<Value>(identity.context.begin(), identity.context.end()), identity.kind,
              identity.place};
    return known_.emplace(std::move(kept), std::move(of)).first->second;
  }
  [[nodiscard]] std::size_t size() const { return known_.size(); }
  void clear() { known_.clear(); }

private:
  struct Kept {
    const Site *site;
    std::string name;
    std::vector<Value> context;
    std::uint64_t kind, place;
    [[nodiscard]] Identity identity() const { return {site, name, context, kind, place}; }
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Identity &one) const { return hashOf(one); }
    std::size_t operator()(const Kept &one) const { return hashOf(one.identity()); }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const Kept &one, const Kept &other) const {
      return same(one.identity(), other.identity());
    }
    bool operator()(const Identity &one, const Kept &other) const {
      return same(one, other.identity());
    }
    bool operator()(const Kept &one, const Identity &other) const {
      return same(one.identity(), other);
    }
  };

  std::unordered_map<Kept, Of, Hash, Same> known_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_INTERNTABLE_H
