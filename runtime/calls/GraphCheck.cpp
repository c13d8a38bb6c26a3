// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "calls/GraphCheck.h"

#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "Mutex.h"
#include "calls/CallPlace.h"
#include "calls/Guarded.h"
#include "calls/HostFunctionCheck.h"
#include "cuda/Driver.h"
#include "graph/topology/NodeNames.h"
#include "graph/topology/Nodes.h"

namespace graphprof::internal {
namespace {

// A pointer in a node.
struct Use {
  std::uintptr_t address = 0;
  std::string node;        // "kernel scale, parameter 1"
  std::uint64_t block = 0; // its number, when the exec was made
};
struct Block {
  std::size_t bytes = 0;
  std::uint64_t number = 0; // no other block of the process has it
  bool inPool = false;
};
// A block that a graph uses.
struct Freed {
  std::string where;
  bool inPool = false;
};
// What an exec uses that is gone.
struct Gone {
  std::string node;
  std::uintptr_t address = 0;
  Freed freed;
};
struct ExecUses {
  std::vector<Use> uses;
  std::uint64_t freesSeen = 0;
};

class Memory {
public:
  void allocated(std::uintptr_t address, std::size_t bytes, bool inPool) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    blocks_[address] = {bytes, ++blockCount_, inPool};
  }
  // Before the call: another thread may get the address as soon as it is free.
  void freeing(std::uintptr_t address) EXCLUDES(mutex_) {
    const std::string where = isUsed(address) ? callersOf() : std::string();
    const MutexLock lock(mutex_);
    const auto block = blocks_.find(address);
    if (block == blocks_.end())
      return;
    if (!where.empty()) {
      freed_.insert_or_assign(block->second.number, Freed{where, block->second.inPool});
      ++frees_;
    }
    blocks_.erase(block);
  }
  void made(driver::Exec exec, std::vector<Use> uses) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    std::erase_if(uses, [&](Use &use) {
      mutex_.assertHeld();
      const Block *const block = around(use.address);
      if (block)
        use.block = block->number;
      return !block; // no pointer, or to memory that the program got in another way
    });
    for (const Use &use : uses)
      used_.insert(use.block);
    execs_[exec] = {std::move(uses), frees_};
  }
  void forget(driver::Exec exec) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    execs_.erase(exec);
    if (!execs_.empty())
      return;
    used_.clear();
    freed_.clear();
  }
  std::vector<Gone> gone(driver::Exec exec) EXCLUDES(mutex_) {
    std::vector<Gone> result;
    const MutexLock lock(mutex_);
    const auto known = execs_.find(exec);
    if (known == execs_.end() || known->second.freesSeen == frees_)
      return result;
    for (const Use &use : known->second.uses) {
      const auto freed = freed_.find(use.block);
      if (freed == freed_.end() || around(use.address))
        continue;
      result.push_back({use.node, use.address, freed->second});
    }
    if (result.empty()) // asked again where something is gone, so that each launch counts
      known->second.freesSeen = frees_;
    return result;
  }

private:
  bool isUsed(std::uintptr_t address) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto block = blocks_.find(address);
    return block != blocks_.end() && used_.contains(block->second.number);
  }
  const Block *around(std::uintptr_t address) REQUIRES(mutex_) {
    auto next = blocks_.upper_bound(address);
    if (next == blocks_.begin())
      return nullptr;
    const auto &[begin, block] = *--next;
    return address - begin < block.bytes ? &block : nullptr;
  }

  Mutex mutex_; // nothing is called while it is held
  std::map<std::uintptr_t, Block> blocks_ GUARDED_BY(mutex_);
  std::unordered_set<std::uint64_t> used_ GUARDED_BY(mutex_);         // by a graph, by number
  std::unordered_map<std::uint64_t, Freed> freed_ GUARDED_BY(mutex_); // by number
  std::unordered_map<driver::Exec, ExecUses> execs_ GUARDED_BY(mutex_);
  std::uint64_t blockCount_ GUARDED_BY(mutex_) = 0, frees_ GUARDED_BY(mutex_) = 0;
};

Memory &memory() {
  static auto &all = *new Memory(); // is used to the process's end
  return all;
}

// The driver may know of memory there that graphprof does not, such as what the program got while
// graphprof was switched off. What is free in a pool is still the driver's.
bool isKnownToDriver(std::uintptr_t address) {
  int type = 0;
  return driver::ok(driver::cu().pointerGetAttribute(&type, driver::pointerMemoryType, address));
}

std::uintptr_t addressOf(const driver::CopyEnd &end) {
  const bool isHost = end.type == driver::MemoryType::Host;
  if (end.type == driver::MemoryType::Array)
    return 0;
  return isHost ? reinterpret_cast<std::uintptr_t>(end.host)
                : static_cast<std::uintptr_t>(end.device);
}

// Only whole parameters: what is inside a structure may be padding, in which old pointers lie.
void addKernel(driver::Node node, std::vector<Use> &uses) {
  const auto &cu = driver::cu();
  driver::KernelNodeParams params{};
  if (!cu.functionGetParamInfo || !cu.kernelGetParamInfo ||
      !driver::ok(cu.graphKernelNodeGetParams(node, &params)) || !params.parameters)
    return;
  // A library's kernel is not turned into a function: that may load it, which waits for the device.
  const auto getSize = [&](std::size_t i, std::size_t &size) {
    std::size_t offset = 0;
    return driver::ok(params.function ? cu.functionGetParamInfo(params.function, i, &offset, &size)
                                      : cu.kernelGetParamInfo(params.kernel, i, &offset, &size));
  };
  std::size_t size = 0;
  for (std::size_t i = 0; getSize(i, size); ++i) {
    Use use;
    if (size != sizeof use.address)
      continue;
    std::memcpy(&use.address, params.parameters[i], sizeof use.address);
    use.node = fmt::format("kernel {}, parameter {}", nameOfKernel(params), i + 1);
    uses.push_back(std::move(use));
  }
}

void addNode(driver::Node node, std::vector<Use> &uses);

void addGraph(driver::Graph graph, std::vector<Use> &uses) {
  if (const auto nodes = nodesOf(graph))
    for (const driver::Node node : *nodes)
      addNode(node, uses);
}

void addNode(driver::Node node, std::vector<Use> &uses) {
  driver::NodeType type{};
  if (!driver::ok(driver::cu().graphNodeGetType(node, &type)))
    return;
  switch (type) {
  case driver::NodeType::Kernel:
    addKernel(node, uses);
    break;
  case driver::NodeType::Memcpy:
    if (driver::CopyNodeParams copy{};
        driver::ok(driver::cu().graphMemcpyNodeGetParams(node, &copy))) {
      uses.push_back({addressOf(copy.source), "a copy, source"});
      uses.push_back({addressOf(copy.target), "a copy, target"});
    }
    break;
  case driver::NodeType::Memset:
    if (driver::MemsetNodeParams memset{};
        driver::ok(driver::cu().graphMemsetNodeGetParams(node, &memset)))
      uses.push_back({static_cast<std::uintptr_t>(memset.target), "a memset"});
    break;
  case driver::NodeType::Host:
    if (driver::HostNodeParams host{}; driver::ok(driver::cu().graphHostNodeGetParams(node, &host)))
      noteHostFunction(reinterpret_cast<const void *>(host.function));
    break;
  case driver::NodeType::Graph:
    if (driver::Graph child = nullptr;
        driver::ok(driver::cu().graphChildGraphNodeGetGraph(node, &child)))
      addGraph(child, uses);
    break;
  default:
    break;
  }
}

} // namespace

void checkAllocated(std::uintptr_t address, std::size_t bytes, bool inPool) noexcept {
  if (findingsWanted() && bytes > 0)
    ifTracking([&] { memory().allocated(address, bytes, inPool); });
}

void checkFreeing(std::uintptr_t address) noexcept {
  if (findingsWanted())
    ifTracking([&] { memory().freeing(address); });
}

void checkInstantiated(driver::Exec exec, driver::Graph graph) noexcept {
  if (!findingsWanted())
    return;
  ifTracking([&] {
    const driver::RelaxedCapture relaxed; // another thread may capture
    std::vector<Use> uses;
    addGraph(graph, uses);
    memory().made(exec, std::move(uses));
  });
}

void checkChanged(driver::Exec exec) noexcept {
  if (findingsWanted())
    ifTracking([&] { memory().forget(exec); });
}

void checkLaunch(driver::Exec exec) noexcept {
  ifTracking([&] {
    for (const Gone &each : memory().gone(exec))
      if (each.freed.inPool || !isKnownToDriver(each.address))
        found(fmt::format("a graph is launched whose memory was freed: {}. Keep the memory as long "
                          "as the graph is launched, or capture again; freed {}; launched {}",
                          each.node, each.freed.where, callersOf()));
  });
}

} // namespace graphprof::internal
