// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// In the simulation alone: spin(ns) takes ns.

#include "cudasim/cudasim.h"

namespace {
[[maybe_unused]] const bool registered = [] {
  cudasim::registerKernel("spin", {sizeof(unsigned long long)}, nullptr, [](void **params) {
    return std::uint64_t{*static_cast<unsigned long long *>(params[0])};
  });
  return true;
}();
} // namespace
