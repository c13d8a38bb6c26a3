// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The keys of an annotation that say how much work a region did: `flops =` and `bytes =`.

#ifndef GRAPHPROF_OUTPUT_DATA_RESERVED_H
#define GRAPHPROF_OUTPUT_DATA_RESERVED_H

#include <cmath>
#include <cstddef>
#include <string_view>

#include "graphprof/value.h"

namespace graphprof {

inline bool isReserved(const Value &value) {
  return value.key() == "flops" || value.key() == "bytes";
}

/// The number with this key, or 0.
inline double reserved(const Value *context, std::size_t size, std::string_view key) {
  for (std::size_t i = 0; i < size; ++i)
    if (context[i].key() == key)
      switch (context[i].kind()) {
      case Value::Kind::Real:
        return std::isfinite(context[i].as_real()) ? context[i].as_real() : 0;
      case Value::Kind::Signed:
        return static_cast<double>(context[i].as_signed());
      case Value::Kind::Unsigned:
        return static_cast<double>(context[i].as_unsigned());
      default:
        break;
      }
  return 0;
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_RESERVED_H
