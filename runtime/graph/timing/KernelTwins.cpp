// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/KernelTwins.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "clock/StampLayout.h"
#include "clock/WarpRing.h"
#include "cuda/Driver.h"
#include "cuda/Occupancy.h"
#include "kernels/Twins.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// A kernel's twin, in the current context. The shared object that has it may be unloaded.
struct FoundTwin {
  driver::Function function;
  unsigned parameters;
  std::shared_ptr<const InsideOfKernel> inside;
};

driver::Function functionOf(const driver::KernelNodeParams &params) {
  driver::Function function = params.function;
  if (!function && params.kernel && !ok(cu().kernelGetFunction(&function, params.kernel)))
    return nullptr;
  return function;
}

// By the functions of kernels in the current context.
class TwinIndex {
public:
  TwinIndex() {
    const driver::RelaxedCapture relaxed; // the first look at a function may load its code
    if (relaxed)
      forEachKernelTwin([this](const device::Twin &twin) { add(twin); });
  }
  [[nodiscard]] bool empty() const { return found_.empty(); }
  /// Null if it has none.
  [[nodiscard]] const FoundTwin *of(const driver::KernelNodeParams &params) const {
    const driver::Function function = functionOf(params);
    const auto found = function ? found_.find(function) : found_.end();
    return found == found_.end() ? nullptr : &found->second;
  }

private:
  void add(const device::Twin &twin) {
    void *kernel = nullptr, *function = nullptr;
    if (twin.bytes < sizeof(device::Twin) || !twin.resolve(twin.kernel, &kernel) ||
        !twin.resolve(twin.twin, &function))
      return;
    auto inside = std::make_shared<InsideOfKernel>();
    inside->kernel = twin.name;
    for (unsigned i = 0; i < twin.scopeCount; ++i)
      inside->scopes.push_back({twin.scopes[i].name, twin.scopes[i].file, twin.scopes[i].line});
    found_.insert_or_assign(
        static_cast<driver::Function>(kernel),
        FoundTwin{static_cast<driver::Function>(function), twin.parameters, std::move(inside)});
  }

  std::unordered_map<driver::Function, FoundTwin> found_;
};

// Calls `use(place, params, twin)` for each kernel node with a twin.
template <class Use> void forKernelsWithTwins(const Shape &shape, const TwinIndex &index, Use use) {
  for (std::size_t place = 0; !index.empty() && place < shape.created().size(); ++place)
    if (driver::KernelNodeParams params{};
        shape.typeOf(place) == driver::NodeType::Kernel &&
        ok(cu().graphKernelNodeGetParams(shape.created()[place], &params)))
      if (const FoundTwin *const twin = index.of(params))
        use(place, params, *twin);
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

void lose(std::size_t count, std::string_view why, Services &services) {
  services.lose(&Counters::plainKernels, count,
                "nothing is recorded inside a kernel, which runs as it is: ", why);
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

// Why the node does not run its twin; empty: it may.
std::string_view whyNot(const Shape &shape, std::size_t place,
                        const driver::KernelNodeParams &params, const FoundTwin &twin,
                        const Device &device, driver::Occupancy &occupancy) {
  if (params.context && params.context != device.context())
    return "it runs in a green context";
  if (params.extra || (twin.parameters > 0 && !params.parameters))
    return "the driver does not tell its parameters one by one";
  if (hasProgrammaticEdges(shape, place))
    return "it has programmatic edges";
  if (const driver::Function own = functionOf(params); !giveLimits(own, twin.function))
    return "its timed twin cannot have as much shared memory as it has";
  if (!occupancy.fitsInPlace(shape.created()[place], twin.function, stampThreads,
                             device.stampRegisters()))
    return "its timed twin needs more registers or shared memory, and would not fit on the device "
           "as it does";
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

KernelTwins kernelTwinsIn(const Shape &shape, Device &device, Services &services) {
  const TwinIndex index;
  driver::Occupancy occupancy(device.properties());
  const KernelRecording &wanted = services.config().kernels;
  KernelTwins twins;
  forKernelsWithTwins(
      shape, index,
      [&](std::size_t place, const driver::KernelNodeParams &params, const FoundTwin &twin) {
        if (const auto why = whyNot(shape, place, params, twin, device, occupancy); !why.empty())
          return lose(1, why, services);
        auto inside = std::make_shared<InsideOfKernel>(*twin.inside);
        inside->node = static_cast<std::uint32_t>(place);
        twins.all.push_back({place, twin.function, planOf(params, twin.parameters, device, wanted),
                             std::move(inside)});
      });
  std::size_t beyond = 0;
  while (!twins.empty() &&
         (twins.entriesPerWarp = WarpRing::entriesFor(twins.plans(), wanted.entries)) == 0) {
    twins.all.pop_back();
    ++beyond;
  }
  lose(beyond,
       "its graph holds more of them than have room for their times; lower GRAPHPROF_KERNELS",
       services);
  lose(kernelsWithTwins(shape, index, true), "it is in a child graph", services);
  return twins;
}

bool holdsKernelTwin(const Shape &shape) { return kernelsWithTwins(shape, TwinIndex(), false) > 0; }

void loseKernelTwins(const Shape &shape, std::string_view why, Services &services) {
  lose(kernelsWithTwins(shape, TwinIndex(), false), why, services);
}

} // namespace graphprof
