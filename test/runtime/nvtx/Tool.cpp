// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An NVTX tool, as Nsight Systems is one: a library that NVTX loads (NVTX_INJECTION64_PATH) and
// tells what it is told. It writes down the calls, a line each.

#include "Tool.h"

#include <mutex>

#include <nvtx3/nvToolsExt.h>

namespace {

std::mutex mutex;
std::vector<std::string> lines;

void note(std::string line) {
  const std::lock_guard lock(mutex);
  lines.push_back(std::move(line));
}

nvtxDomainHandle_t NVTX_API domainCreated(const char *name) {
  note(std::string("domain ") + name);
  static int domain = 0;
  return reinterpret_cast<nvtxDomainHandle_t>(&domain);
}

std::string nameOf(const nvtxEventAttributes_t *attributes) { return attributes->message.ascii; }

int NVTX_API pushed(nvtxDomainHandle_t, const nvtxEventAttributes_t *attributes) {
  note("push " + nameOf(attributes));
  return 0;
}
int NVTX_API popped(nvtxDomainHandle_t) {
  note("pop");
  return 0;
}
void NVTX_API marked(nvtxDomainHandle_t, const nvtxEventAttributes_t *attributes) {
  note("mark " + nameOf(attributes));
}
nvtxRangeId_t NVTX_API started(nvtxDomainHandle_t, const nvtxEventAttributes_t *attributes) {
  note("start " + nameOf(attributes));
  return 7;
}
void NVTX_API ended(nvtxDomainHandle_t, nvtxRangeId_t range) {
  note("end " + std::to_string(range));
}

template <class Function> NvtxFunctionPointer as(Function *function) {
  return reinterpret_cast<NvtxFunctionPointer>(function);
}

} // namespace

extern "C" {

int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getTable) {
  const auto *callbacks =
      static_cast<const NvtxExportTableCallbacks *>(getTable(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size))
    return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = as(domainCreated);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = as(pushed);
  *table[NVTX_CBID_CORE2_DomainRangePop] = as(popped);
  *table[NVTX_CBID_CORE2_DomainMarkEx] = as(marked);
  *table[NVTX_CBID_CORE2_DomainRangeStartEx] = as(started);
  *table[NVTX_CBID_CORE2_DomainRangeEnd] = as(ended);
  return 1;
}

void graphprofTestNvtxCalls(std::vector<std::string> *taken) {
  const std::lock_guard lock(mutex);
  *taken = std::move(lines);
  lines.clear();
}

} // extern "C"
