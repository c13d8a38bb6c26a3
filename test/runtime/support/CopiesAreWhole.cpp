// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "support/CopiesAreWhole.h"

#include <atomic>

#include <gtest/gtest.h>

#include "graph/registry/CopyWatcher.h"
#include "support/SameGraph.h"

namespace graphprof::test {
namespace {

std::atomic<std::uint64_t> compared{0};

void compare(driver::Graph original, const RebuiltGraph &copy) {
  ++compared;
  const auto twinOf = [&copy](CUgraphNode node) {
    const driver::Node twin = copy.twins.of(node);
    const auto inner = copy.innerTwins.find(node);
    return twin || inner == copy.innerTwins.end() ? twin : inner->second;
  };
  for (const std::string &line : differences(original, copy.graph, twinOf))
    ADD_FAILURE() << "graphprof's copy of a graph differs: " << line;
}

[[maybe_unused]] const bool watches = [] {
  copyWatcher = compare;
  return true;
}();

} // namespace

CopiesUnwatched::CopiesUnwatched() { copyWatcher = nullptr; }
CopiesUnwatched::~CopiesUnwatched() { copyWatcher = compare; }

std::uint64_t comparedCopies() { return compared; }

} // namespace graphprof::test
