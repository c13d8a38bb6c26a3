// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The names of regions inside a kernel. Values in a name are constants, or what a node of a graph
// gives a parameter of the kernel. So a kernel's nodes may have regions of different names.

#ifndef GRAPHPROF_GRAPH_TIMING_SCOPENAMES_H
#define GRAPHPROF_GRAPH_TIMING_SCOPENAMES_H

#include <string>
#include <vector>

#include "graphprof/device/recording.h"
#include "output/data/KernelRun.h"

namespace graphprof {

class Services;

class ScopeNames {
public:
  /// Copies what `twin` says: the shared object that has it may be unloaded.
  explicit ScopeNames(const device::Twin &twin);

  /// Of a node that gives the kernel these parameters, each by its address; null if it has none.
  [[nodiscard]] std::vector<InsideOfKernel::Scope> of(void *const *parameters,
                                                      Services &services) const;

private:
  struct Scope {
    std::string name, file;
    int line;
    std::vector<device::ScopeValue> values; // if there are any, the name is a format
  };
  std::vector<Scope> scopes_;
  std::vector<device::ParameterType> types_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_SCOPENAMES_H
