// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/KernelTwins.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "clock/StampLayout.h"
#include "clock/WarpRing.h"
#include "cuda/Driver.h"
#include "cuda/Occupancy.h"
#include "graph/timing/Edges.h"
#include "graph/timing/ScopeNames.h"
#include "kernels/Twins.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// A kernel's twin, in the current context. The shared object that has it may be unloaded.
struct FoundTwin {
  driver::Function kernel;
  driver::Module module;     // of the kernel; null: the driver does not tell
  driver::Function function; // the twin; null: CUDA does not load it
  unsigned parameters;
  std::string name; // the kernel's, as written
  ScopeNames scopes;
};

driver::Function functionOf(const driver::KernelNodeParams &params) {
  driver::Function function = params.function;
  if (!function && params.kernel && !ok(cu().kernelGetFunction(&function, params.kernel)))
    return nullptr;
  return function;
}

std::string nameOf(driver::Function function, driver::Kernel kernel) {
  const char *name = nullptr;
  if ((function && ok(cu().functionGetName(&name, function)) && name) ||
      (kernel && ok(cu().kernelGetName(&name, kernel)) && name))
    return name;
  return {};
}

driver::Module moduleOf(driver::Function function) {
  driver::Module module = nullptr;
  return function && ok(cu().functionGetModule(&module, function)) ? module : nullptr;
}

// What a kernel node says about twins.
struct Match {
  bool hasName = false;            // of a kernel with a twin
  const FoundTwin *twin = nullptr; // null: none, or it is not sure that it is that kernel's
};

// CUDA does not promise which handle a node's parameters name a kernel with. So a kernel is known
// by its function, by its kernel handle, or by its name in its module.
class TwinIndex {
public:
  TwinIndex() {
    const driver::RelaxedCapture relaxed; // the first look at a function may load its code
    if (relaxed)
      forEachKernelTwin([this](const device::Twin &twin) { add(twin); });
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] Match of(const driver::KernelNodeParams &params) const {
    if (const auto known = byKernel_.find(params.kernel); params.kernel && known != byKernel_.end())
      return {true, &all_[known->second]};
    const driver::Function function = functionOf(params);
    if (const auto known = byFunction_.find(function); function && known != byFunction_.end())
      return {true, &all_[known->second]};
    const auto [first, last] = byName_.equal_range(nameOf(function, params.kernel));
    const driver::Module module = moduleOf(function);
    for (auto each = first; module && each != last; ++each)
      if (all_[each->second].module == module)
        return {true, &all_[each->second]};
    return {first != last, nullptr};
  }

private:
  void add(const device::Twin &twin) {
    void *kernel = nullptr, *function = nullptr, *handle = nullptr;
    if (twin.bytes < sizeof(device::Twin) || !twin.resolve(twin.kernel, &kernel))
      return;
    if (!twin.resolve(twin.twin, &function))
      function = nullptr;
    const std::size_t at = all_.size();
    const auto own = static_cast<driver::Function>(kernel);
    all_.push_back({own, moduleOf(own), static_cast<driver::Function>(function), twin.parameters,
                    twin.name, ScopeNames(twin)});
    byFunction_.insert_or_assign(own, at);
    if (twin.resolveKernel && twin.resolveKernel(twin.kernel, &handle))
      byKernel_.insert_or_assign(static_cast<driver::Kernel>(handle), at);
    if (std::string name = nameOf(own, nullptr); !name.empty())
      byName_.emplace(std::move(name), at);
  }

  std::vector<FoundTwin> all_;
  // Places in it.
  std::unordered_map<driver::Function, std::size_t> byFunction_;
  std::unordered_map<driver::Kernel, std::size_t> byKernel_;
  std::unordered_multimap<std::string, std::size_t> byName_;
};

// Calls `use(place, params, twin)` for each kernel node that has the name of a kernel with a twin.
// `twin`: null if it is not known to be that kernel.
template <class Use> void forKernelsWithTwins(const Shape &shape, const TwinIndex &index, Use use) {
  for (std::size_t place = 0; !index.empty() && place < shape.created().size(); ++place)
    if (driver::KernelNodeParams params{};
        shape.typeOf(place) == driver::NodeType::Kernel &&
        ok(cu().graphKernelNodeGetParams(shape.created()[place], &params)))
      if (const Match match = index.of(params); match.hasName)
        use(place, params, match.twin);
}

// With those in child graphs.
std::size_t kernelsWithTwins(const Shape &shape, const TwinIndex &index, bool onlyInChildren) {
  std::size_t count = 0;
  if (!onlyInChildren)
    forKernelsWithTwins(shape, index, [&count](auto &&...) { ++count; });
  for (std::size_t place = 0; !index.empty() && place < shape.created().size(); ++place)
    if (driver::Graph child = nullptr;
        shape.typeOf(place) == driver::NodeType::Graph &&
        ok(cu().graphChildGraphNodeGetGraph(shape.created()[place], &child)))
      count += kernelsWithTwins(Shape(child), index, false);
  return count;
}

bool hasProgrammaticEdges(const Shape &shape, std::size_t place) {
  const auto isPartial = [](const driver::EdgeData &edge) { return !driver::isWhole(edge); };
  if (std::ranges::any_of(shape.edgesTo(place), isPartial))
    return true;
  for (const std::size_t after : shape.placesAfter(place)) {
    const auto before = shape.placesBefore(after);
    const auto edges = shape.edgesTo(after);
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] == place && isPartial(edges[i]))
        return true;
  }
  return false;
}

// What the program has allowed the kernel.
bool giveLimits(driver::Function kernel, driver::Function twin) {
  using enum driver::FunctionAttribute;
  return std::ranges::all_of(
      std::initializer_list{DynamicSharedBytes, SharedCarveout, NonPortableClusters},
      [&](driver::FunctionAttribute attribute) {
        int own = 0, other = 0;
        return !ok(cu().functionGetAttribute(&own, attribute, kernel)) ||
               (ok(cu().functionGetAttribute(&other, attribute, twin)) && other == own) ||
               ok(cu().functionSetAttribute(twin, attribute, own));
      });
}

WarpPlan planOf(const driver::KernelNodeParams &params, unsigned parameters, const Device &device,
                const KernelRecording &wanted) {
  const std::uint64_t blocks = std::uint64_t{params.gridX} * params.gridY * params.gridZ;
  const unsigned warpsOfBlock = (params.blockX * params.blockY * params.blockZ + 31) / 32;
  const std::uint64_t recorded = std::max<std::uint64_t>(
      1, wanted.blocks > 0
             ? wanted.blocks
             : 2 * static_cast<std::uint64_t>(std::max(1, device.properties().numSms)));
  WarpPlan plan;
  plan.everyBlock = static_cast<unsigned>((blocks + recorded - 1) / recorded);
  plan.warpsPerBlock = std::min(wanted.warps, warpsOfBlock);
  plan.warps =
      static_cast<unsigned>((blocks + plan.everyBlock - 1) / plan.everyBlock) * plan.warpsPerBlock;
  plan.parameters = parameters;
  return plan;
}

// Why the node does not run its twin; empty: it may. `isAlone`: nothing else of the graph runs at
// the same time.
std::string_view whyNot(const Shape &shape, std::size_t place,
                        const driver::KernelNodeParams &params, const FoundTwin *found,
                        const Device &device, driver::Occupancy &occupancy, bool isAlone) {
  if (!found)
    return "another module than that with its timed twin has a kernel of its name, and the driver "
           "does not tell which of the two it is";
  const FoundTwin &twin = *found;
  if (!twin.function)
    return "CUDA cannot load its timed twin";
  if (params.context && params.context != device.context())
    return "it runs in a green context";
  if (params.extra || (twin.parameters > 0 && !params.parameters))
    return "the driver does not tell its parameters one by one";
  if (hasProgrammaticEdges(shape, place))
    return "it has programmatic edges";
  if (const driver::Function own = functionOf(params); !giveLimits(own, twin.function))
    return "its timed twin cannot have as much shared memory as it has";
  if (!occupancy.fitsInPlace(shape.created()[place], twin.function, stampThreads,
                             device.stamps().registers))
    return "its timed twin needs more registers or shared memory, and would not fit on the device "
           "as it does";
  // Kernels of two branches may wait for each other, and fit on the device together.
  if (!isAlone && !driver::Occupancy::needsNoMore(shape.created()[place], twin.function))
    return "its timed twin needs more registers or shared memory, which another branch of its "
           "graph may need";
  return {};
}

} // namespace

Rebuild::KernelTwins KernelTwins::byPlace() const {
  Rebuild::KernelTwins places;
  for (const KernelTwin &twin : all)
    places.emplace(twin.place, Rebuild::Twin{twin.function, twin.plan.parameters});
  return places;
}

std::vector<WarpPlan> KernelTwins::plans() const {
  std::vector<WarpPlan> plans;
  plans.reserve(all.size());
  for (const KernelTwin &twin : all)
    plans.push_back(twin.plan);
  return plans;
}

std::vector<std::size_t> KernelTwins::places() const {
  std::vector<std::size_t> places;
  places.reserve(all.size());
  for (const KernelTwin &twin : all)
    places.push_back(twin.place);
  return places;
}

bool timesInsideKernels(const Services &services) {
  return services.config().kernels.on && anyKernelTwin();
}

// InsideOfKernel::launch
static std::string launchOf(const driver::KernelNodeParams &params) {
  std::string text = fmt::format("({}, {}, {})x({}, {}, {})", params.gridX, params.gridY,
                                 params.gridZ, params.blockX, params.blockY, params.blockZ);
  if (params.sharedBytes > 0)
    text += fmt::format(", {} B", params.sharedBytes);
  return text;
}

KernelTwins kernelTwinsIn(const Shape &shape, Device &device, Services &services) {
  const TwinIndex index;
  driver::Occupancy occupancy(device.properties());
  const KernelRecording &wanted = services.config().kernels;
  const bool isAlone = hasOneBranch(shape);
  KernelTwins twins;
  forKernelsWithTwins(
      shape, index,
      [&](std::size_t place, const driver::KernelNodeParams &params, const FoundTwin *twin) {
        if (const auto why = whyNot(shape, place, params, twin, device, occupancy, isAlone);
            !why.empty())
          return loseInside(1, why, services);
        auto inside = std::make_shared<InsideOfKernel>();
        inside->kernel = twin->name;
        inside->launch = launchOf(params);
        inside->node = static_cast<std::uint32_t>(place);
        inside->scopes = twin->scopes.of(params.parameters, services);
        twins.all.push_back({place, twin->function,
                             planOf(params, twin->parameters, device, wanted), std::move(inside)});
      });
  std::size_t beyond = 0;
  while (!twins.empty() &&
         (twins.entriesPerWarp = WarpRing::entriesFor(twins.plans(), wanted.entries)) == 0) {
    twins.all.pop_back();
    ++beyond;
  }
  loseInside(beyond,
             "its graph holds more of them than have room for their times; lower GRAPHPROF_KERNELS",
             services);
  loseInside(kernelsWithTwins(shape, index, true), "it is in a child graph", services);
  return twins;
}

void loseInside(std::size_t kernels, std::string_view why, Services &services) noexcept {
  services.lose(&Counters::plainKernels, kernels,
                "nothing is recorded inside a kernel, which runs as it is: ", why);
}

bool holdsKernelTwin(const Shape &shape) { return kernelsWithTwins(shape, TwinIndex(), false) > 0; }

void loseUnaskedTwins(const Shape &shape, Services &services) {
  const KernelRecording &wanted = services.config().kernels;
  if (!wanted.on && !wanted.isSet && anyKernelTwin())
    loseKernelTwins(shape,
                    "GRAPHPROF_KERNELS is not set; on runs timed twins, which may round "
                    "otherwise, and off says nothing",
                    services);
}

void loseKernelTwins(const Shape &shape, std::string_view why, Services &services) {
  loseInside(kernelsWithTwins(shape, TwinIndex(), false), why, services);
}

} // namespace graphprof
