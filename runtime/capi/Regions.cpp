// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements the regions and the names of graphs of graphprof/capi.h: a Scope and a GraphScope with
// as many values as they are given.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include "Edge.h"
#include "Mutex.h"
#include "Thrown.h"
#include "capi/Interposed.h"
#include "capi/Status.h"
#include "cuda/Driver.h"
#include "graphprof/control.h"
#include "graphprof/graph_scope.h"
#include "graphprof/scope.h"
#include "process/Lifetime.h"
#include "process/OpenRegions.h"
#include "process/Process.h"
#include "services/Name.h"
#include "services/SiteTable.h"
#include "session/Session.h"

using graphprof::OpenRegions;

struct graphprof_capi_lane {
  OpenRegions regions;
};

namespace graphprof {

/// What the handle of a region is.
class FlatRegion {
public:
  explicit FlatRegion(OpenRegions *lane) noexcept : lane_(lane) {}

  void begin(const Site &site, StreamRef stream, std::span<const Value> values) {
    const OpenRegions::InLane inLane(lane_);
    scope_.begin(site, stream, values.data(), values.size());
  }
  void end() {
    const OpenRegions::InLane inLane(lane_);
    if (scope_.region_)
      scope_.end();
    scope_.region_ = nullptr;
  }
  void discard() {
    const OpenRegions::InLane inLane(lane_);
    scope_.discard();
  }
  [[nodiscard]] bool isOpen() const { return scope_.region_ != nullptr; }
  [[nodiscard]] bool isCaptured() const {
    return isOpen() && static_cast<const OpenRegion *>(scope_.region_)->capture;
  }

private:
  OpenRegions *const lane_;
  Scope scope_;
};

/// What the handle of a name is.
class FlatGraph {
public:
  void begin(const char *name, std::span<const Value> values) {
    scope_.begin(name, values.data(), values.size());
  }
  [[nodiscard]] bool isOpen() const { return scope_.open_ != nullptr; }

private:
  GraphScope scope_;
};

namespace {

// As of NVTX ranges (calls/nvtx/Names.h): each site takes memory for ever.
constexpr std::size_t mostFlatSites = 10'000;
constexpr const char *otherSites = "[more than 10000 sites]";

struct FlatSites {
  Mutex mutex;
  std::map<std::tuple<std::string, std::string, int, std::string>, const Site *>
      sites GUARDED_BY(mutex);
};

const Site &flatSite(const char *format, const char *file, int line, const char *function) {
  static auto *const all = new FlatSites; // leaked: used until the process ends
  const auto keyOf = [](const char *ofFormat, const char *ofFile, int ofLine, const char *of) {
    return std::make_tuple(std::string(ofFormat), std::string(ofFile), ofLine, std::string(of));
  };
  auto key = keyOf(format, file ? file : "", line, function ? function : "");
  const MutexLock lock(all->mutex);
  auto known = all->sites.find(key);
  if (known != all->sites.end())
    return *known->second;
  if (all->sites.size() >= mostFlatSites) {
    ++process().session.counters.namesCut;
    process().session.say("more than 10000 different sites of regions; further ones are shown as ",
                          otherSites);
    key = keyOf(otherSites, "", 0, "");
    known = all->sites.find(key);
    if (known != all->sites.end())
      return *known->second;
  }
  const Site &site = internSite(Site(std::get<0>(key).c_str(), std::get<1>(key).c_str(),
                                     std::get<2>(key), std::get<3>(key).c_str()));
  all->sites.emplace(std::move(key), &site);
  return site;
}

Value valueOf(const graphprof_capi_value &value) {
  const auto keyed = [&](Value made) {
    return value.key && *value.key ? std::move(made).with_key(value.key) : made;
  };
  switch (value.kind) {
  case graphprof_capi_unsigned:
    return keyed(Value(value.value.u));
  case graphprof_capi_real:
    return keyed(Value(value.value.d));
  case graphprof_capi_boolean:
    return keyed(Value(value.value.i != 0));
  case graphprof_capi_text:
    return keyed(Value(value.value.text));
  default:
    return keyed(Value(value.value.i));
  }
}

// As an annotation's, where it is a whole number.
Value quantity(const char *name, double value) {
  constexpr double most = 9e18;
  return std::floor(value) == value && value < most
             ? graphprof::key(name, static_cast<std::int64_t>(value))
             : graphprof::key(name, value);
}

// A default stream is one of the context that is current. Without any there is no work to time, and
// asking the driver would be refused, or load it into a program that does not use it.
bool hasContext() noexcept {
  static std::atomic<bool> loaded{false};
  if (!loaded.load(std::memory_order_relaxed)) {
    if (!driver::wasAsked() && !dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD))
      return false; // the handle is kept: the driver stays loaded anyway
    loaded.store(true, std::memory_order_relaxed);
  }
  return driver::functions() && driver::currentContext();
}

StreamRef streamOf(int where, void *given) {
  if (where != graphprof_capi_in_stream)
    if (const OpenRegions *const mine = OpenRegions::ofThisThreadIfAny();
        mine && !mine->capturing.empty())
      return on_capture();
  auto *const stream = static_cast<CUstream_st *>(given);
  if (where == graphprof_capi_in_capture_or_host ||
      (driver::isInEachContext(stream) && !hasContext()))
    return on_capture(); // its thread captures nothing: a host time
  return StreamRef(stream);
}

// The capture is seen, because a region asks its stream. What becomes of it is not.
void tellOfUnseenGraphs() {
  if (capi::interposed() || process().session.seen.captured.load() > 0)
    return;
  process().session.say(
      "a region is in the capture of a CUDA graph, and nothing sees the graph's launches, so it is "
      "not timed: start the program by `graphprof run -- PROGRAM` (in Python: `python3 -m "
      "graphprof PROGRAM`)");
}

bool isComplete(const graphprof_capi_region_info &info) {
  return info.site && (info.values || info.value_count == 0);
}

graphprof_capi_region *opened(const graphprof_capi_region_info &info) {
  std::vector<Value> values;
  values.reserve(info.value_count + 2);
  std::transform(info.values, info.values + info.value_count, std::back_inserter(values), valueOf);
  if (info.flops > 0)
    values.push_back(quantity("flops", info.flops));
  if (info.bytes > 0)
    values.push_back(quantity("bytes", info.bytes));
  auto region = std::make_unique<FlatRegion>(info.lane ? &info.lane->regions : nullptr);
  region->begin(*reinterpret_cast<const Site *>(info.site), streamOf(info.where, info.stream),
                values);
  if (!region->isOpen())
    return nullptr;
  if (region->isCaptured())
    tellOfUnseenGraphs();
  return reinterpret_cast<graphprof_capi_region *>(region.release());
}

// What cannot be measured is counted.
template <class Info> graphprof_capi_region *beginning(Info info) noexcept {
  if (!graphprof::active())
    return nullptr;
  const Edge edge;
  try {
    graphprof_capi_region_info complete;
    if (info(complete) && isComplete(complete))
      return opened(complete);
  } catch (...) {
    ++process().session.counters.incomplete; // no memory
    return nullptr;
  }
  ++process().session.counters.incomplete;
  return nullptr;
}

template <class Work> void withRegion(graphprof_capi_region *handle, Work work) noexcept {
  auto *const region = reinterpret_cast<FlatRegion *>(handle);
  if (!region || inForkedChild())
    return;
  const Edge edge;
  if (!survived([&] { work(*region); }))
    ++process().session.counters.eager;
  delete region;
}

} // namespace
} // namespace graphprof

using namespace graphprof;

graphprof_capi_site *graphprof_capi_site_of(const char *format, const char *file, int line,
                                            const char *function) {
  if (!format) {
    capi::missing("format");
    return nullptr;
  }
  const Edge edge;
  const Site *site = nullptr;
  capi::guarded([&] { site = &flatSite(format, file, line, function); });
  return reinterpret_cast<graphprof_capi_site *>(const_cast<Site *>(site));
}

int graphprof_capi_check_format(const char *format, const graphprof_capi_value *values,
                                size_t count) {
  if (!format || (!values && count > 0))
    return capi::missing(format ? "values" : "format");
  const Edge edge;
  return capi::guarded([&] {
    std::vector<Value> all;
    std::transform(values, values + count, std::back_inserter(all), valueOf);
    bool fits = true;
    static_cast<void>(formatName(format, all, &fits));
    if (fits)
      return;
    const auto positional = std::count_if(all.begin(), all.end(),
                                          [](const Value &value) { return value.key().empty(); });
    throw capi::Failure{graphprof_capi_bad_argument,
                        "the name \"" + std::string(format) + "\" does not fit its " +
                            std::to_string(positional) + (positional == 1 ? " value" : " values") +
                            ": give one for each {}, of a type that it allows, and write {{ and "
                            "}} for braces"};
  });
}

graphprof_capi_region *graphprof_capi_region_begin(const graphprof_capi_region_info *given) {
  return beginning([&](graphprof_capi_region_info &info) { return capi::read(given, info); });
}

graphprof_capi_region *graphprof_capi_region_open(const graphprof_capi_site *site, int where,
                                                  void *stream, const graphprof_capi_value *values,
                                                  size_t count, graphprof_capi_lane *lane) {
  return beginning([&](graphprof_capi_region_info &info) {
    info = {sizeof info, site, where, stream, values, count, 0, 0, lane};
    return true;
  });
}

void graphprof_capi_region_end(graphprof_capi_region *region) {
  withRegion(region, [](FlatRegion &open) { open.end(); });
}

void graphprof_capi_region_discard(graphprof_capi_region *region) {
  withRegion(region, [](FlatRegion &open) { open.discard(); });
}

graphprof_capi_graph_name *graphprof_capi_graph_name_begin(const char *name,
                                                           const graphprof_capi_value *values,
                                                           size_t count) {
  if (!active() || !name || (!values && count > 0))
    return nullptr;
  const Edge edge;
  std::unique_ptr<FlatGraph> graph;
  const bool named = survived([&] {
    std::vector<Value> all;
    all.reserve(count);
    std::transform(values, values + count, std::back_inserter(all), valueOf);
    graph = std::make_unique<FlatGraph>();
    graph->begin(name, all);
  });
  if (!named) // no memory: the graph has its number only
    ++process().session.counters.namesCut;
  return named && graph->isOpen() ? reinterpret_cast<graphprof_capi_graph_name *>(graph.release())
                                  : nullptr;
}

void graphprof_capi_graph_name_end(graphprof_capi_graph_name *name) {
  delete reinterpret_cast<FlatGraph *>(name);
}

graphprof_capi_lane *graphprof_capi_lane_create(void) {
  return new (std::nothrow) graphprof_capi_lane;
}

void graphprof_capi_lane_release(graphprof_capi_lane *lane) {
  if (!lane || inForkedChild())
    return;
  const Edge edge;
  delete lane;
}
