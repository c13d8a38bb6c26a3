// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/copies.h (which copies are timed, and under which name) and the copies of C
// in graphprof/detail/seam.h.

#include "graphprof/copies.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "cuda/Driver.h"
#include "graphprof/detail/seam.h"
#include "graphprof/detail/timed_copy.h"
#include "graphprof/scope.h"
#include "graphprof/step.h"
#include "process/Process.h"
#include "session/Session.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// The options of set_copies(), packed so that a copy reads them in one load. 0: not called.
constexpr unsigned isSet = 1, toHost = 2, onDevice = 4, modeShift = 3;
std::atomic<unsigned> setCopies{0};

struct OfThread {
  unsigned patches = 0;
  const void *wrapped = nullptr;
};
thread_local OfThread ofThread;

struct Memory {
  bool host;
  const char *word;
};

// A null address belongs to an array or a symbol.
Memory memoryAt(const void *address) {
  if (!address)
    return {false, "device"};
  const auto pointer = reinterpret_cast<driver::DevicePointer>(address);
  unsigned managed = 0, type = 0;
  if (!driver::functions() ||
      !ok(cu().pointerGetAttribute(&type, driver::pointerMemoryType, pointer)))
    return {true, "pageable"};
  if (ok(cu().pointerGetAttribute(&managed, driver::pointerIsManaged, pointer)) && managed != 0)
    return {false, "managed"};
  const bool host = static_cast<driver::MemoryType>(type) == driver::MemoryType::Host;
  return {host, host ? "pinned" : "device"};
}

// 0 for formats that are compressed or have several planes.
std::size_t elementBytes(const driver::Array3DDescriptor &array) {
  switch (array.format) {
  case 0x01: // CU_AD_FORMAT_UNSIGNED_INT8
  case 0x08: // CU_AD_FORMAT_SIGNED_INT8
    return array.channels;
  case 0x02: // CU_AD_FORMAT_UNSIGNED_INT16
  case 0x09: // CU_AD_FORMAT_SIGNED_INT16
  case 0x10: // CU_AD_FORMAT_HALF
    return 2UL * array.channels;
  case 0x03: // CU_AD_FORMAT_UNSIGNED_INT32
  case 0x0a: // CU_AD_FORMAT_SIGNED_INT32
  case 0x20: // CU_AD_FORMAT_FLOAT
    return 4UL * array.channels;
  default:
    return 0;
  }
}

std::size_t bytesOf(const graphprof_seam_copy &copy, driver::Stream stream) {
  if (!copy.array)
    return copy.bytes;
  driver::Array3DDescriptor array{};
  const driver::ContextOf current(stream);
  if (!driver::functions() ||
      !ok(cu().array3DGetDescriptor(&array, const_cast<void *>(copy.array))))
    return 0;
  return copy.bytes * elementBytes(array);
}

} // namespace

void v1::set_copies(const CopyOptions &options) noexcept {
  setCopies.store(isSet | (options.d2h ? toHost : 0U) | (options.d2d ? onDevice : 0U) |
                  static_cast<unsigned>(options.mode) << modeShift);
}

CopyOptions v1::copies() noexcept {
  const unsigned set = setCopies.load(std::memory_order_relaxed);
  if (set == 0)
    return process().session.config().copies;
  return {static_cast<CopyMode>(set >> modeShift), (set & toHost) != 0, (set & onDevice) != 0};
}

// Outside of steps a copy does not reach timedCopy(), so its mark would apply to a later copy.
void detail::wrapCopy(const void *source) noexcept {
  ofThread.wrapped = in_step() ? source : nullptr;
}

void detail::patchCopies(bool begins) noexcept {
  if (begins)
    ++ofThread.patches;
  else if (ofThread.patches > 0) // C code may end one patch too many
    --ofThread.patches;
}

patch_h2d::patch_h2d() noexcept { detail::patchCopies(true); }
patch_h2d::~patch_h2d() { detail::patchCopies(false); }

namespace {
// Indexed by graphprof_seam_way.
constexpr std::array sites = {Site{"h2d", "", 0, ""}, Site{"d2h", "", 0, ""},
                              Site{"d2d", "", 0, ""}};
} // namespace

bool detail::isCopySite(const Site &site) noexcept {
  return &site >= sites.data() && &site < sites.data() + sites.size();
}

detail::TimedCopy detail::timedCopy(const graphprof_seam_copy &copy, CUstream_st *stream) noexcept {
  const bool wrapped = ofThread.wrapped && ofThread.wrapped == copy.source;
  if (wrapped)
    ofThread.wrapped = nullptr;
  if (copy.way == graphprof_seam_notTimed || !in_step())
    return {};
  const CopyOptions options = copies();
  if (!wrapped && (options.mode == CopyMode::Manual ||
                   (options.mode == CopyMode::Selective && ofThread.patches == 0)))
    return {};
  graphprof_seam_way way = copy.way;
  const char *memory = nullptr;
  if (way == graphprof_seam_byPointers) {
    const Memory source = memoryAt(copy.source), target = memoryAt(copy.target);
    if (source.host && target.host)
      return {};
    way = source.host   ? graphprof_seam_toDevice
          : target.host ? graphprof_seam_toHost
                        : graphprof_seam_onDevice;
    memory = source.host ? source.word : target.word;
  }
  if ((way == graphprof_seam_toHost && !options.d2h) ||
      (way == graphprof_seam_onDevice && !options.d2d))
    return {};
  if (way == graphprof_seam_onDevice)
    memory = "device";
  else if (!memory)
    memory = memoryAt(way == graphprof_seam_toDevice ? copy.source : copy.target).word;
  return {&sites.at(way), bytesOf(copy, stream), memory};
}

} // namespace graphprof

int graphprof_seam_inStep() noexcept {
  return graphprof::active() && graphprof::current_step() >= 0 ? 1 : 0;
}

void *graphprof_seam_copyBegins(graphprof_seam_copy copy, CUstream_st *stream) noexcept {
  const graphprof::detail::TimedCopy timed = graphprof::detail::timedCopy(copy, stream);
  return timed.site ? new (std::nothrow) graphprof::Scope(*timed.site, graphprof::StreamRef(stream),
                                                          graphprof::key("bytes", timed.bytes),
                                                          graphprof::key("memory", timed.memory))
                    : nullptr;
}

void graphprof_seam_copyEnded(void *copy, int succeeded) noexcept {
  auto *const scope = static_cast<graphprof::Scope *>(copy);
  if (!succeeded)
    scope->discard();
  delete scope;
}

void graphprof_seam_setCopies(int mode, int d2h, int d2d) noexcept {
  graphprof::set_copies({static_cast<graphprof::CopyMode>(mode), d2h != 0, d2d != 0});
}

void graphprof_seam_wrapCopy(const void *source) noexcept { graphprof::detail::wrapCopy(source); }

void graphprof_seam_patchCopies(int begins) noexcept {
  graphprof::detail::patchCopies(begins != 0);
}
