// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// For readers of files that name the regions inside kernels in each run anew: gives a region the
// number that it has in the other runs of its kernel node.

#ifndef GRAPHPROF_OUTPUT_DATA_READKERNELS_H
#define GRAPHPROF_OUTPUT_DATA_READKERNELS_H

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "output/data/KernelRun.h"

namespace graphprof {

class ReadKernels {
public:
  /// The kernel at its node, with the regions that are known of it.
  [[nodiscard]] InsideOfKernel find(std::uint64_t graph, std::uint32_t node, std::string_view path,
                                    std::string_view name) const {
    const auto known = kernels_.find({graph, node, std::string(path), std::string(name)});
    if (known != kernels_.end())
      return *known->second;
    return {std::string(name), std::string(path), node, {}, {}};
  }
  /// The number of the region "file:line" with this name, which is added if it is new.
  [[nodiscard]] static std::uint32_t scopeOf(InsideOfKernel &kernel, std::string_view name,
                                             std::string_view source) {
    const std::size_t colon = source.rfind(':');
    InsideOfKernel::Scope scope{std::string(name), std::string(source.substr(0, colon)), 0};
    if (colon != std::string_view::npos)
      (void)std::from_chars(source.data() + colon + 1, source.data() + source.size(), scope.line);
    const auto known =
        std::ranges::find_if(kernel.scopes, [&scope](const InsideOfKernel::Scope &one) {
          return one.name == scope.name && one.file == scope.file && one.line == scope.line;
        });
    const auto number = static_cast<std::uint32_t>(known - kernel.scopes.begin());
    if (known == kernel.scopes.end())
      kernel.scopes.push_back(std::move(scope));
    return number;
  }
  /// What find() gave, with the regions of one more run: what all runs share.
  [[nodiscard]] std::shared_ptr<const InsideOfKernel> keep(std::uint64_t graph,
                                                           InsideOfKernel kernel) {
    std::shared_ptr<const InsideOfKernel> &known =
        kernels_[{graph, kernel.node, kernel.path, kernel.kernel}];
    if (!known || known->scopes.size() != kernel.scopes.size() || known->launch != kernel.launch)
      known = std::make_shared<const InsideOfKernel>(std::move(kernel));
    return known;
  }

private:
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::string, std::string>,
           std::shared_ptr<const InsideOfKernel>>
      kernels_; // by graph, node, path and name
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_READKERNELS_H
