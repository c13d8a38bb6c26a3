// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Kernels: names, durations and bodies. A kernel is a registered __global__ function of the
// program, or comes from a loaded library. Tests give it body and duration (cudasim.h).

#ifndef CUDASIM_SRC_KERNEL_H
#define CUDASIM_SRC_KERNEL_H

#include "Occupancy.h"
#include "Op.h"
#include "cudasim/cudasim.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// A launchable function. Shared by nodes and launches.
struct CUfunc_st {
  std::string name;                     // as registered: mangled, or an image's name
  std::string qualifiedName;            // demangled, without parameters
  std::string bareName;                 // also without namespaces and template arguments
  const void *host = nullptr;           // the __global__ function's host address; null in libraries
  const void *module = nullptr;         // its library; null: the program's own code
  int maxDynamicSharedBytes = 48 << 10; // set by the program
};

struct CUkern_st {
  std::shared_ptr<CUfunc_st> function;
};

// A library has a kernel of every name, because the simulation does not read the image.
struct CUlib_st {
  static constexpr std::size_t kGlobalBytes = std::size_t{4} << 20;
  std::map<std::string, std::shared_ptr<CUkern_st>, std::less<>> kernels;
  std::map<std::string, std::unique_ptr<std::byte[]>, std::less<>> globals;
};

namespace cudasim {

struct KernelRun {
  std::uint64_t durationNs;
  KernelBody body; // empty: the kernel computes nothing
  Overlap overlap;
  Waves waves;
};

class KernelTable {
public:
  // Called by the program's start-up code, and later for functions that it never registered.
  void addFunction(const void *host, const char *name);
  std::shared_ptr<CUfunc_st> ofHost(const void *host);
  // The kernel of a function or kernel handle of the driver API.
  std::shared_ptr<CUfunc_st> ofHandle(const void *handle) const;
  std::shared_ptr<CUkern_st> kernelIn(CUlib_st &library, const std::string &name);
  void unload(CUlib_st &library);
  std::shared_ptr<CUkern_st> kernelOf(const std::shared_ptr<CUfunc_st> &function);
  // Another handle of the function, for KernelHandle::OtherFunction and OtherModule.
  std::shared_ptr<CUfunc_st> otherOf(const CUfunc_st &function, bool isOtherModule);
  KernelHandle handlesOfNodes = KernelHandle::Function;

  struct Rule {
    std::vector<std::size_t> paramSizes;
    KernelBody body;
    KernelDuration duration; // empty: the default
  };
  void setRule(std::string name, Rule rule) { rules_[std::move(name)] = std::move(rule); }
  void setRule(const void *host, Rule rule) { hostRules_[host] = std::move(rule); }
  void setDuration(std::string name, std::uint64_t ns) { durations_[std::move(name)] = ns; }
  void setDuration(const void *host, std::uint64_t ns) { hostDurations_[host] = ns; }
  void setOverlap(std::string name, Overlap overlap) { overlaps_[std::move(name)] = overlap; }
  void setResources(std::string name, Resources resources) {
    resources_[std::move(name)] = resources;
  }
  Resources resourcesOf(const CUfunc_st &function) const;
  void forgetDurations();

  // The sizes of a kernel's parameters, as far as a test says; null: unknown.
  const std::vector<std::size_t> *paramSizes(const CUfunc_st &function) const;
  // Copies a launch's parameters, as far as their sizes are known.
  std::shared_ptr<KernelArgs> copyArgs(const CUfunc_st &function, void **params) const;
  KernelRun plan(const KernelOp &op) const;

private:
  const Rule *ruleFor(const CUfunc_st &function) const;
  std::optional<std::uint64_t> durationFor(const CUfunc_st &function) const;

  std::unordered_map<const void *, std::shared_ptr<CUfunc_st>> byHost_;
  std::unordered_map<const void *, std::weak_ptr<CUfunc_st>> functions_; // by driver handle
  std::unordered_map<const void *, std::weak_ptr<CUkern_st>> kernels_;
  std::map<const void *, std::shared_ptr<CUkern_st>> kernelsOfProgram_; // by function
  std::map<std::pair<const void *, bool>, std::shared_ptr<CUfunc_st>> others_;
  std::map<std::string, Rule, std::less<>> rules_;
  std::map<const void *, Rule> hostRules_;
  std::map<std::string, Overlap, std::less<>> overlaps_;
  std::map<std::string, Resources, std::less<>> resources_;
  std::map<std::string, std::uint64_t, std::less<>> durations_;
  std::map<const void *, std::uint64_t> hostDurations_;
};

// The configuration of <<<...>>>, kept from the call expression to the launch, in one stack for
// each thread.
struct LaunchConfiguration {
  dim3 grid, block;
  std::size_t sharedMemBytes;
  cudaStream_t stream;
};
void pushConfiguration(LaunchConfiguration configuration);
bool popConfiguration(LaunchConfiguration *configuration);

// Attributes of a kernel, for both APIs. The numbers are those of CUfunction_attribute.
cudaError_t functionAttribute(const KernelTable &kernels, const CUfunc_st &function, int attribute,
                              int *value);
cudaError_t setFunctionAttribute(const KernelTable &kernels, CUfunc_st &function, int attribute,
                                 int value);
cudaError_t activeBlocks(const KernelTable &kernels, const CUfunc_st &function, int *blocks,
                         int blockSize, std::size_t dynamicSharedBytes, unsigned flags);

cudaError_t makeKernelOp(Device &device, std::shared_ptr<CUfunc_st> function, dim3 grid, dim3 block,
                         std::size_t sharedMemBytes, void **params, void **extra, KernelOp *op,
                         std::size_t mostSharedBytes = kMostSharedBytesPerBlock);

} // namespace cudasim

#endif // CUDASIM_SRC_KERNEL_H
