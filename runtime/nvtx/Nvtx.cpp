// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "nvtx/Nvtx.h"

#include <nvtx3/nvToolsExt.h>

namespace graphprof::nvtx {

namespace {

// Null if no tool listens.
nvtxDomainHandle_t domain() noexcept {
  static const nvtxDomainHandle_t made = nvtxDomainCreateA("graphprof");
  return made;
}

nvtxEventAttributes_t named(const char *name) noexcept {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  return attributes;
}

} // namespace

bool listens() noexcept { return domain() != nullptr; }

void push(const char *name) noexcept {
  const nvtxEventAttributes_t attributes = named(name);
  nvtxDomainRangePushEx(domain(), &attributes);
}

void pop() noexcept { nvtxDomainRangePop(domain()); }

void mark(const char *name) noexcept {
  const nvtxEventAttributes_t attributes = named(name);
  nvtxDomainMarkEx(domain(), &attributes);
}

std::uint64_t start(const char *name) noexcept {
  const nvtxEventAttributes_t attributes = named(name);
  return nvtxDomainRangeStartEx(domain(), &attributes);
}

void end(std::uint64_t range) noexcept { nvtxDomainRangeEnd(domain(), range); }

} // namespace graphprof::nvtx
