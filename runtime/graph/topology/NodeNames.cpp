// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/NodeNames.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

#include <cxxabi.h>
#include <fmt/format.h>

#include "Mutex.h"
#include "cuda/Driver.h"
#include "services/Name.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

constexpr std::size_t maxSites = 10'000; // the bound of the table

std::string_view fallback(Kind kind) {
  switch (kind) {
  case Kind::Kernel:
    return "kernel";
  case Kind::Memcpy:
    return "Memcpy";
  case Kind::Memset:
    return "Memset";
  case Kind::Host:
    return "host function";
  case Kind::Graph:
    return "graph";
  case Kind::Region:
    break;
  }
  return "region";
}

std::string kernelOf(driver::Node node) {
  driver::KernelNodeParams params{};
  return ok(cu().graphKernelNodeGetParams(node, &params)) ? nameOfKernel(params)
                                                          : std::string(fallback(Kind::Kernel));
}

// Where memory is: Kineto's letter and word for it.
struct MemoryPlace {
  char letter;
  std::string_view word;
};

MemoryPlace placeOf(driver::MemoryType type, driver::DevicePointer address) {
  if (type == driver::MemoryType::Array)
    return {'A', "Array"};
  const bool host = type == driver::MemoryType::Host;
  unsigned managed = 0, found = 0;
  if (ok(cu().pointerGetAttribute(&managed, driver::pointerIsManaged, address)) && managed != 0)
    return {host ? 'H' : 'D', "Managed"};
  if (!ok(cu().pointerGetAttribute(&found, driver::pointerMemoryType, address)))
    return type == driver::MemoryType::Device ? MemoryPlace{'D', "Device"}
                                              : MemoryPlace{'H', "Pageable"};
  return static_cast<driver::MemoryType>(found) == driver::MemoryType::Host
             ? MemoryPlace{'H', "Pinned"}
             : MemoryPlace{'D', "Device"};
}

MemoryPlace placeOf(const driver::CopyEnd &end) {
  return placeOf(end.type, end.type == driver::MemoryType::Host
                               ? reinterpret_cast<driver::DevicePointer>(end.host)
                               : end.device);
}

std::vector<Value> bytes(std::size_t count) { return {key("bytes", count)}; }

NodeWork copyOf(driver::Node node) {
  driver::CopyNodeParams params{};
  if (!ok(cu().graphMemcpyNodeGetParams(node, &params)))
    return {Kind::Memcpy, std::string(fallback(Kind::Memcpy)), {}};
  const MemoryPlace from = placeOf(params.source), to = placeOf(params.target);
  return {Kind::Memcpy,
          fmt::format("Memcpy {}to{} ({} -> {})", from.letter, to.letter, from.word, to.word),
          bytes(params.widthInBytes * std::max<std::size_t>(params.height, 1) *
                std::max<std::size_t>(params.depth, 1))};
}

NodeWork memsetOf(driver::Node node) {
  driver::MemsetNodeParams params{};
  if (!ok(cu().graphMemsetNodeGetParams(node, &params)))
    return {Kind::Memset, std::string(fallback(Kind::Memset)), {}};
  const MemoryPlace at = placeOf(driver::MemoryType::Device, params.target);
  return {Kind::Memset, fmt::format("Memset ({})", at.word),
          bytes(params.width * params.elementSize * std::max<std::size_t>(params.height, 1))};
}

// Removes a bracket at the end of `text`: a function's parameters.
void takeOffParameters(std::string &text) {
  if (text.empty() || text.back() != ')')
    return;
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    depth += text[i] == ')' ? 1 : text[i] == '(' ? -1 : 0;
    if (depth == 0)
      return text.erase(i), void();
  }
}

// A template's return type ends at the last space outside brackets.
void takeOffType(std::string &text) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char at = text[i];
    depth += at == '<' || at == '(' || at == '{' ? 1 : at == '>' || at == ')' || at == '}' ? -1 : 0;
    if (at == ' ' && depth == 0)
      begin = i + 1;
  }
  text.erase(0, begin);
}

NodeWork described(driver::Node node, driver::NodeType type) {
  switch (type) {
  case driver::NodeType::Kernel:
    return {Kind::Kernel, kernelOf(node), {}};
  case driver::NodeType::Memcpy:
    return copyOf(node);
  case driver::NodeType::Memset:
    return memsetOf(node);
  case driver::NodeType::Host:
    return {Kind::Host, std::string(fallback(Kind::Host)), {}};
  default:
    return {Kind::Graph, std::string(fallback(Kind::Graph)), {}};
  }
}

} // namespace

std::string nameOfKernel(const driver::KernelNodeParams &params) {
  const char *symbol = nullptr;
  const bool named = params.function ? ok(cu().functionGetName(&symbol, params.function))
                                     : ok(cu().kernelGetName(&symbol, params.kernel));
  return named && symbol ? kernelName(symbol) : std::string(fallback(Kind::Kernel));
}

std::string kernelName(std::string_view symbol) {
  std::string name(symbol);
  if (!symbol.starts_with("_Z")) // otherwise "f" would be demangled, too, to "float"
    return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !text)
    return name;
  name = text.get();
  takeOffParameters(name);
  takeOffType(name);
  return name.empty() ? std::string(symbol) : name;
}

NodeWork workOf(driver::Node node, driver::NodeType type, Services &services) {
  NodeWork work = described(node, type);
  services.shorten(work.name);
  return work;
}

const Site &siteOf(Kind kind, const std::string &name) {
  struct Named {
    std::string name, format;
    Site site;
    explicit Named(std::string_view given)
        : name(given), format(asFormat(given)), site(format.c_str(), "", 0, name.c_str()) {}
  };
  // Leaked: records may be shown while static objects are destroyed.
  static auto *const mutex = new Mutex;
  static auto *const sites PT_GUARDED_BY(*mutex) =
      new std::map<std::pair<Kind, std::string>, std::unique_ptr<Named>>;
  const MutexLock lock(*mutex);
  const auto found = sites->find({kind, name});
  if (found != sites->end())
    return found->second->site;
  const bool full = sites->size() >= maxSites;
  const std::string taken(full ? fallback(kind) : std::string_view(name));
  auto &site = (*sites)[{kind, taken}];
  if (!site)
    site = std::make_unique<Named>(taken);
  return site->site;
}

} // namespace graphprof
