// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/GraphNodes.h"

#include <functional>

namespace graphprof {

namespace {

// A hash of everything that a picture shows.
class LooksHash {
public:
  void add(std::string_view text) {
    add(text.size());
    bytes_ += text;
  }
  void add(std::uint64_t number) {
    bytes_.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
  [[nodiscard]] std::uint64_t hash() const { return std::hash<std::string>()(bytes_); }

private:
  std::string bytes_;
};

} // namespace

std::uint64_t looksOf(const GraphNodes &graph) {
  LooksHash looks;
  for (const GraphNodes::Node &node : graph.nodes) {
    looks.add(node.name);
    looks.add(node.region);
    looks.add(node.timed);
    looks.add(node.inside);
    looks.add(node.after.size());
    for (const std::uint32_t before : node.after)
      looks.add(before);
    looks.add(node.early.size());
    for (const std::uint32_t before : node.early)
      looks.add(before);
    looks.add(node.blocks);
    looks.add(node.threads);
    looks.add(node.cudaNode);
  }
  for (const GraphNodes::Region &region : graph.regions) {
    looks.add(region.name);
    looks.add(reinterpret_cast<std::uintptr_t>(region.site));
    looks.add(static_cast<std::uint64_t>(region.depth));
  }
  return looks.hash();
}

} // namespace graphprof
