// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names, bodies and durations of kernels.

#include "Kernel.h"

#include "Device.h"
#include "cuda.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>

namespace cudasim {
namespace {

// The default duration: 2 to 5 us, by the kernel's name, and a little more for each block.
constexpr std::uint64_t kShortestNs = 2'000;
constexpr std::uint64_t kSpreadNs = 3'000;
constexpr std::uint64_t kBlocksPerNs = 4;

thread_local std::vector<LaunchConfiguration> configurations;

std::string demangled(const std::string &name) {
  int status = 0;
  char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (status != 0)
    return name;
  std::string result = text;
  std::free(text);
  return result;
}

// "void ns::scale<float>(float*, int)" -> "ns::scale<float>". The parameters are the last
// parenthesis group. A template's return type ends at the last space outside brackets.
std::string withoutParameters(std::string text) {
  if (!text.empty() && text.back() == ')') {
    int depth = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
      depth += text[i] == ')' ? 1 : text[i] == '(' ? -1 : 0;
      if (depth == 0) {
        text.erase(i);
        break;
      }
    }
  }
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '<' || text[i] == '(' ? 1 : text[i] == '>' || text[i] == ')' ? -1 : 0;
    if (text[i] == ' ' && depth == 0)
      begin = i + 1;
  }
  return text.substr(begin);
}

std::string bare(std::string name) {
  name.erase(std::min(name.find('<'), name.size()));
  if (auto at = name.rfind("::"); at != std::string::npos)
    name.erase(0, at + 2);
  return name;
}

std::uint64_t hash(std::string_view text) { // FNV-1a
  std::uint64_t value = 14695981039346656037u;
  for (unsigned char c : text)
    value = (value ^ c) * 1099511628211u;
  return value;
}

std::shared_ptr<CUfunc_st> makeFunction(const std::string &name, const void *host) {
  auto function = std::make_shared<CUfunc_st>();
  function->name = name;
  function->qualifiedName = withoutParameters(demangled(name));
  function->bareName = bare(function->qualifiedName);
  function->host = host;
  return function;
}

// The best match for a function in a table by name.
template <typename Map> auto findByName(const Map &map, const CUfunc_st &function) {
  auto at = map.find(function.name);
  if (at == map.end())
    at = map.find(function.qualifiedName);
  if (at == map.end())
    at = map.find(function.bareName);
  return at;
}

} // namespace

void KernelTable::addFunction(const void *host, const char *name) {
  auto function = makeFunction(name, host);
  functions_[function.get()] = function;
  byHost_[host] = std::move(function);
}

std::shared_ptr<CUfunc_st> KernelTable::ofHost(const void *host) {
  if (!host)
    return nullptr;
  if (!byHost_.count(host))
    addFunction(host, "unnamed");
  return byHost_[host];
}

std::shared_ptr<CUfunc_st> KernelTable::ofHandle(const void *handle) const {
  if (auto at = functions_.find(handle); at != functions_.end())
    return at->second.lock();
  if (auto at = kernels_.find(handle); at != kernels_.end())
    if (auto kernel = at->second.lock())
      return kernel->function;
  return nullptr;
}

std::shared_ptr<CUkern_st> KernelTable::kernelIn(CUlib_st &library, const std::string &name) {
  auto &kernel = library.kernels[name];
  if (!kernel) {
    kernel = std::make_shared<CUkern_st>();
    kernel->function = makeFunction(name, nullptr);
    kernel->function->module = &library;
    functions_[kernel->function.get()] = kernel->function;
    kernels_[kernel.get()] = kernel;
  }
  return kernel;
}

void KernelTable::unload(CUlib_st &library) {
  for (const auto &[name, kernel] : library.kernels) {
    functions_.erase(kernel->function.get());
    kernels_.erase(kernel.get());
  }
}

std::shared_ptr<CUkern_st> KernelTable::kernelOf(const std::shared_ptr<CUfunc_st> &function) {
  for (const auto &[handle, weak] : kernels_)
    if (auto kernel = weak.lock(); kernel && kernel->function == function)
      return kernel;
  auto &kernel = kernelsOfProgram_[function.get()];
  kernel = std::make_shared<CUkern_st>(CUkern_st{function});
  kernels_[kernel.get()] = kernel;
  return kernel;
}

std::shared_ptr<CUfunc_st> KernelTable::otherOf(const CUfunc_st &function, bool isOtherModule) {
  static const char otherModule = 0;
  auto &other = others_[{&function, isOtherModule}];
  if (!other) {
    other = std::make_shared<CUfunc_st>(function);
    if (isOtherModule)
      other->module = &otherModule;
    functions_[other.get()] = other;
  }
  return other;
}

void KernelTable::forgetDurations() {
  durations_.clear();
  hostDurations_.clear();
}

const KernelTable::Rule *KernelTable::ruleFor(const CUfunc_st &function) const {
  if (auto at = hostRules_.find(function.host); function.host && at != hostRules_.end())
    return &at->second;
  auto at = findByName(rules_, function);
  return at == rules_.end() ? nullptr : &at->second;
}

std::optional<std::uint64_t> KernelTable::durationFor(const CUfunc_st &function) const {
  if (auto at = hostDurations_.find(function.host); function.host && at != hostDurations_.end())
    return at->second;
  auto at = findByName(durations_, function);
  return at == durations_.end() ? std::nullopt : std::optional(at->second);
}

const std::vector<std::size_t> *KernelTable::paramSizes(const CUfunc_st &function) const {
  const Rule *rule = ruleFor(function);
  return rule ? &rule->paramSizes : nullptr;
}

std::shared_ptr<KernelArgs> KernelTable::copyArgs(const CUfunc_st &function, void **params) const {
  const Rule *rule = ruleFor(function);
  if (!rule || !params || rule->paramSizes.empty())
    return nullptr;
  constexpr std::size_t kAlign = alignof(std::max_align_t);
  auto aligned = [](std::size_t n) { return (n + kAlign - 1) / kAlign * kAlign; };
  auto args = std::make_shared<KernelArgs>();
  std::size_t total = 0;
  for (std::size_t size : rule->paramSizes)
    total += aligned(size);
  args->bytes.resize(total);
  std::byte *at = args->bytes.data();
  for (std::size_t i = 0; i < rule->paramSizes.size(); ++i) {
    std::memcpy(at, params[i], rule->paramSizes[i]);
    args->pointers.push_back(at);
    at += aligned(rule->paramSizes[i]);
  }
  return args;
}

KernelRun KernelTable::plan(const KernelOp &op) const {
  const Rule *rule = ruleFor(*op.function);
  const Resources resources = resourcesOf(*op.function);
  const BlockNeeds block{op.block.x * op.block.y * op.block.z, resources.registersPerThread,
                         resources.staticSharedBytes + op.sharedMemBytes};
  KernelRun run{0,
                rule ? rule->body : KernelBody{},
                {},
                wavesOf(block, std::uint64_t{op.grid.x} * op.grid.y * op.grid.z)};
  if (auto at = findByName(overlaps_, *op.function); at != overlaps_.end())
    run.overlap = at->second;
  // If the body was registered after the launch's parameters were given, there are no parameters
  // for it.
  if (rule && !rule->paramSizes.empty() && !op.args)
    run.body = nullptr;
  if (auto set = durationFor(*op.function))
    run.durationNs = *set;
  else if (rule && rule->duration && (op.args || rule->paramSizes.empty()))
    run.durationNs = rule->duration(op.args ? op.args->pointers.data() : nullptr);
  else
    run.durationNs = kShortestNs + hash(op.function->name) % kSpreadNs +
                     std::uint64_t{op.grid.x} * op.grid.y * op.grid.z / kBlocksPerNs;
  return run;
}

Resources KernelTable::resourcesOf(const CUfunc_st &function) const {
  const auto at = findByName(resources_, function);
  return at == resources_.end() ? Resources{} : at->second;
}

cudaError_t functionAttribute(const KernelTable &kernels, const CUfunc_st &function, int attribute,
                              int *value) {
  constexpr int kComputeCapability = 90;
  if (!value)
    return cudaErrorInvalidValue;
  const Resources resources = kernels.resourcesOf(function);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = kMostThreadsPerBlock;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = static_cast<int>(resources.staticSharedBytes);
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = static_cast<int>(resources.registersPerThread);
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = kComputeCapability;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = function.maxDynamicSharedBytes;
    return cudaSuccess;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    *value = 0;
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t setFunctionAttribute(const KernelTable &kernels, CUfunc_st &function, int attribute,
                                 int value) {
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return cudaSuccess; // has no effect here
  const std::size_t bytes = kernels.resourcesOf(function).staticSharedBytes +
                            static_cast<std::size_t>(std::max(value, 0));
  if (value < 0 || bytes > kMostSharedBytesPerBlock)
    return cudaErrorInvalidValue;
  function.maxDynamicSharedBytes = value;
  return cudaSuccess;
}

cudaError_t activeBlocks(const KernelTable &kernels, const CUfunc_st &function, int *blocks,
                         int blockSize, std::size_t dynamicSharedBytes, unsigned flags) {
  if (!blocks || blockSize <= 0 || (flags & ~unsigned{CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE}))
    return cudaErrorInvalidValue;
  const Resources resources = kernels.resourcesOf(function);
  *blocks = static_cast<int>(
      residentBlocks({static_cast<unsigned>(blockSize), resources.registersPerThread,
                      resources.staticSharedBytes + dynamicSharedBytes}));
  return cudaSuccess;
}

void pushConfiguration(LaunchConfiguration configuration) {
  configurations.push_back(configuration);
}

bool popConfiguration(LaunchConfiguration *configuration) {
  if (configurations.empty())
    return false;
  *configuration = configurations.back();
  configurations.pop_back();
  return true;
}

cudaError_t makeKernelOp(Device &device, std::shared_ptr<CUfunc_st> function, dim3 grid, dim3 block,
                         std::size_t sharedMemBytes, void **params, void **extra, KernelOp *op,
                         std::size_t mostSharedBytes) {
  constexpr unsigned kMaxGridYZ = 65535;
  if (!function)
    return cudaErrorInvalidDeviceFunction;
  if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z || grid.y > kMaxGridYZ ||
      grid.z > kMaxGridYZ || std::uint64_t{block.x} * block.y * block.z > kMostThreadsPerBlock)
    return cudaErrorInvalidConfiguration;
  if (sharedMemBytes > mostSharedBytes || extra)
    return cudaErrorInvalidValue;
  op->args = device.kernels.copyArgs(*function, params);
  op->function = std::move(function);
  op->grid = grid;
  op->block = block;
  op->sharedMemBytes = static_cast<unsigned>(sharedMemBytes);
  return cudaSuccess;
}

} // namespace cudasim
