// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/Device.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <sys/mman.h>

#include "cuda/DeviceImages.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

constexpr std::size_t smallestPinnedWords = 1024;

template <class Item> void makeRoom(std::vector<Item> &items, std::size_t count) {
  if (items.capacity() < count)
    items.reserve(std::max(count, 2 * items.capacity()));
}

// How many control blocks are taken, by where they are. Contexts may share them: a green context
// has the memory of its device's primary context.
struct ControlBlocks {
  Mutex mutex;
  std::map<driver::DevicePointer, std::uint32_t> taken GUARDED_BY(mutex);

  static ControlBlocks &instance() {
    static ControlBlocks *const blocks = new ControlBlocks; // leaked: devices are, too
    return *blocks;
  }
};

// One that no context has; nullopt if there is none.
std::optional<std::uint32_t> newControl(driver::DevicePointer controls) {
  ControlBlocks &blocks = ControlBlocks::instance();
  const MutexLock lock(blocks.mutex);
  std::uint32_t &taken = blocks.taken[controls];
  return taken < stampControls ? std::optional(taken++) : std::nullopt;
}

// Other memory is there now: a reset freed the former one.
void forgetControls(driver::DevicePointer controls) {
  ControlBlocks &blocks = ControlBlocks::instance();
  const MutexLock lock(blocks.mutex);
  blocks.taken.erase(controls);
}

// One library for the process, because libraries do not belong to a context. `anew`: the present
// one does not work.
driver::Library stampLibrary(bool anew) {
  static Mutex mutex;
  static driver::Library library GUARDED_BY(mutex) = nullptr;
  const MutexLock lock(mutex);
  if (anew || !library) {
    library = nullptr;
    cu().libraryLoadData(&library, stampImage(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  }
  return library;
}

// Memory of the process, registered with CUDA. The harvest thread may still read it after the
// program has reset the device, which frees CUDA's own allocations. Never freed, because that can
// synchronize.
Pinned pinned(std::size_t words) {
  const std::size_t bytes = words * sizeof(std::uint64_t);
  void *host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (host == MAP_FAILED)
    return {};
  const driver::RelaxedCapture relaxed; // otherwise the call invalidates a global-mode capture
  Pinned memory;
  if (!relaxed || !ok(cu().memHostRegister(
                      host, bytes, driver::hostRegisterPortable | driver::hostRegisterDeviceMap))) {
    munmap(host, bytes);
    return {};
  }
  if (!ok(cu().memHostGetDevicePointer(&memory.device, host, 0)))
    return {}; // it stays mapped, because CUDA holds it now
  memory.host = static_cast<std::uint64_t *>(host);
  memory.words = words;
  return memory;
}

} // namespace

namespace {

// Whether `context`, which is current, is the device's primary context, or a green one. Makes no
// primary context, and asks about no stream that a capture of another thread forbids.
bool endsWithPrimaryOf(int ordinal, driver::Context context) {
  driver::GreenContext green = nullptr;
  if (cu().streamGetGreenCtx && ok(cu().streamGetGreenCtx(driver::perThreadStream(), &green)) &&
      green)
    return true;
  unsigned flags = 0;
  int isActive = 0;
  if (!ok(cu().devicePrimaryCtxGetState(ordinal, &flags, &isActive)) || !isActive)
    return false;
  driver::Context primary = nullptr;
  if (!ok(cu().devicePrimaryCtxRetain(&primary, ordinal)))
    return false;
  cu().devicePrimaryCtxRelease(ordinal);
  return primary == context;
}

} // namespace

Device::Device(driver::Context context, unsigned long long contextId)
    : context_(context), contextId_(contextId) {
  if (!ok(cu().ctxGetDevice(&ordinal_)))
    return;
  properties_ = driver::deviceProperties(ordinal_);
  endsWithPrimary_ = endsWithPrimaryOf(ordinal_, context);
}

struct Device::Known {
  Mutex mutex;
  std::map<unsigned long long, std::unique_ptr<Device>> byContextId GUARDED_BY(mutex);

  static Known &instance() {
    static Known *const known = new Known; // leaked: devices outlive static destructors
    return *known;
  }
  // The device of context `id`, which is current.
  Device &of(unsigned long long id, driver::Context context) REQUIRES(mutex) {
    if (const auto found = byContextId.find(id); found != byContextId.end())
      return *found->second;
    std::unique_ptr<Device> made(new Device(context, id));
    return *byContextId.emplace(id, std::move(made)).first->second;
  }
};

std::vector<driver::DeviceProperties> Device::known() {
  Known &known = Known::instance();
  const MutexLock lock(known.mutex);
  std::map<int, const Device *> byOrdinal;
  for (const auto &[id, device] : known.byContextId)
    if (device->ordinal_ >= 0)
      byOrdinal.emplace(device->ordinal_, device.get());
  std::vector<driver::DeviceProperties> properties;
  properties.reserve(byOrdinal.size());
  for (const auto &[ordinal, device] : byOrdinal)
    properties.push_back(device->properties_);
  return properties;
}

bool Device::endsWith(const Ending &ending) const {
  if (ending.context)
    return context() == ending.context;
  return context() && endsWithPrimary_ && (ending.ordinal < 0 || ordinal_ == ending.ordinal);
}

std::vector<Device *> Device::thatEnd(const Ending &ending) {
  Known &known = Known::instance();
  const MutexLock lock(known.mutex);
  std::vector<Device *> found;
  for (const auto &[id, device] : known.byContextId)
    if (device->endsWith(ending))
      found.push_back(device.get());
  return found;
}

void Device::end(const Ending &ending) noexcept {
  Known &known = Known::instance();
  const MutexLock lock(known.mutex);
  for (const auto &[id, device] : known.byContextId)
    if (device->endsWith(ending))
      device->hasEnded_.store(true, std::memory_order_release);
}

Device *Device::current() { return of(driver::currentContext()); }

Device *Device::of(driver::Context context) {
  unsigned long long id = 0;
  if (!context || !ok(cu().ctxGetId(context, &id)))
    return nullptr;
  thread_local struct {
    unsigned long long id = 0;
    Device *device = nullptr;
  } last;
  if (last.device && last.id == id)
    return last.device;
  Known &known = Known::instance();
  const MutexLock lock(known.mutex);
  last = {id, &known.of(id, context)};
  return last.device;
}

bool Device::isAlive() const noexcept {
  unsigned long long id = 0;
  const driver::Context living = context();
  return living && ok(cu().ctxGetId(living, &id)) && id == contextId_;
}

bool Device::loadStamps() {
  const MutexLock lock(mutex_);
  if (stampsTried_)
    return controls_ != 0;
  const driver::RelaxedCapture relaxed;
  if (!relaxed)
    return false;
  stampsTried_ = true;
  // A device reset may have unloaded the first one.
  if (takeStamps(stampLibrary(false)))
    return true;
  if (!takeStamps(stampLibrary(true)))
    return false;
  forgetControls(controls_);
  return true;
}

namespace {

// Of a thread. What the driver does not tell is taken for more than any kernel has.
int registersOf(driver::Kernel kernel) {
  constexpr int most = 255;
  driver::Function function = nullptr;
  int registers = 0;
  return ok(cu().kernelGetFunction(&function, kernel)) &&
                 ok(cu().functionGetAttribute(&registers, driver::FunctionAttribute::Registers,
                                              function))
             ? registers
             : most;
}

} // namespace

bool Device::takeStamps(driver::Library library) {
  std::size_t bytes = 0;
  driver::DevicePointer controls = 0;
  if (!library || !ok(cu().libraryGetKernel(&root_, library, "graphprof_root")) ||
      !ok(cu().libraryGetKernel(&open_, library, "graphprof_open")) ||
      !ok(cu().libraryGetKernel(&first_, library, "graphprof_first")) ||
      !ok(cu().libraryGetKernel(&stamp_, library, "graphprof_stamp")) ||
      !ok(cu().libraryGetKernel(&final_, library, "graphprof_final")) ||
      !ok(cu().libraryGetKernel(&last_, library, "graphprof_last")) ||
      !ok(cu().libraryGetKernel(&count_, library, "graphprof_count")) ||
      !ok(cu().libraryGetKernel(&align_, library, "graphprof_align")) ||
      !ok(cu().libraryGetKernel(&span_, library, "graphprof_span")) ||
      !ok(cu().libraryGetKernel(&publishWarps_, library, "graphprof_publish_warps")) ||
      !ok(cu().kernelGetFunction(&rootFunction_, root_)) ||
      !ok(cu().kernelGetFunction(&stampFunction_, stamp_)) ||
      !ok(cu().libraryGetGlobal(&controls, &bytes, library, "graphprof_controls")) ||
      bytes < sizeof(StampControl) * stampControls)
    return false;
  controls_ = controls;
  // Only the code for devices with programmatic launches contains these.
  constexpr int firstMajor = 9;
  if (properties_.computeMajor < firstMajor ||
      !ok(cu().libraryGetKernel(&waitingStamp_, library, "graphprof_stamp_waiting")) ||
      !ok(cu().libraryGetKernel(&triggeringStamp_, library, "graphprof_stamp_triggering")) ||
      !ok(cu().libraryGetKernel(&around_, library, "graphprof_around")))
    waitingStamp_ = triggeringStamp_ = around_ = nullptr;
  for (const driver::Kernel kernel : {root_, open_, stamp_, triggeringStamp_})
    if (kernel)
      stampRegisters_ = std::max(stampRegisters_, registersOf(kernel));
  return true;
}

Device::Control Device::takeControl() {
  const MutexLock lock(mutex_);
  if (!freeControls_.empty()) {
    const Control control = freeControls_.back();
    freeControls_.pop_back();
    return control;
  }
  makeRoom(freeControls_, nextControl_ + 1);
  const auto index = newControl(controls_);
  if (!index)
    return {noControl, 0};
  ++nextControl_; // how many are its own
  return {*index, 0};
}

void Device::returnControl(Control control) noexcept {
  const MutexLock lock(mutex_);
  freeControls_.push_back(control);
}

std::uint32_t Device::takeBodyControl() {
  const MutexLock lock(mutex_);
  if (!freeBodyControls_.empty()) {
    const std::uint32_t index = freeBodyControls_.back();
    freeBodyControls_.pop_back();
    return index;
  }
  makeRoom(freeBodyControls_, nextControl_ + 1);
  const auto index = newControl(controls_);
  if (!index)
    return noControl;
  ++nextControl_;
  return *index;
}

void Device::returnBodyControl(std::uint32_t index) noexcept {
  const MutexLock lock(mutex_);
  freeBodyControls_.push_back(index);
}

Pinned Device::takePinned(std::size_t words) {
  const std::size_t rounded = std::bit_ceil(std::max(words, smallestPinnedWords));
  {
    const MutexLock lock(mutex_);
    if (const auto found = freePinned_.find(rounded); found != freePinned_.end()) {
      const Pinned memory = found->second;
      freePinned_.erase(found);
      return memory;
    }
  }
  return pinned(rounded);
}

void Device::returnPinned(Pinned memory) noexcept {
  const MutexLock lock(mutex_);
  memory.zeroed = false;
  try {
    freePinned_.emplace(memory.words, memory);
  } catch (...) { // no memory to note it: it is never used again
    return;
  }
}

DeviceMemory Device::takeMemory(std::size_t words) {
  const std::size_t rounded = std::bit_ceil(std::max(words, smallestPinnedWords));
  {
    const MutexLock lock(mutex_);
    if (const auto found = freeMemory_.find(rounded); found != freeMemory_.end()) {
      const DeviceMemory memory = found->second;
      freeMemory_.erase(found);
      return memory;
    }
  }
  const driver::RelaxedCapture relaxed; // otherwise the call invalidates a global-mode capture
  DeviceMemory memory{0, rounded};
  if (!relaxed || !ok(cu().memAlloc(&memory.address, rounded * sizeof(std::uint64_t))))
    return {};
  return memory;
}

void Device::returnMemory(DeviceMemory memory) noexcept {
  const MutexLock lock(mutex_);
  try {
    freeMemory_.emplace(memory.words, memory);
  } catch (...) { // no memory to note it: it is never used again
    return;
  }
}

driver::Event Device::placeholder() {
  {
    const MutexLock lock(mutex_);
    if (placeholder_)
      return placeholder_;
  }
  const driver::Event event = takeEvent();
  const MutexLock lock(mutex_);
  if (placeholder_) { // another thread made one meanwhile
    if (event)
      freeEvents_.push_back(event); // its capacity suffices
  } else {
    placeholder_ = event;
  }
  return placeholder_;
}

driver::Event Device::takeEvent() noexcept {
  driver::Event event = nullptr;
  takeEvents({&event, 1});
  return event;
}

std::size_t Device::takeEvents(std::span<driver::Event> into) noexcept {
  {
    const MutexLock lock(mutex_);
    if (!freeEvents_.empty()) {
      const std::size_t count = std::min(into.size(), freeEvents_.size());
      const auto first = freeEvents_.end() - static_cast<std::ptrdiff_t>(count);
      std::copy(first, freeEvents_.end(), into.begin());
      freeEvents_.erase(first, freeEvents_.end());
      return count;
    }
    try {
      makeRoom(freeEvents_, madeEvents_ + 1);
    } catch (...) {
      return 0;
    }
    ++madeEvents_;
  }
  // A thread that has only launched so far has no context.
  const driver::CurrentContext current(context());
  return current.valid() && ok(cu().eventCreate(into.data(), driver::eventDefault)) ? 1 : 0;
}

void Device::returnEvents(std::span<const driver::Event> events) noexcept {
  const MutexLock lock(mutex_);
  freeEvents_.insert(freeEvents_.end(), events.begin(), events.end());
}

void Device::align() {
  driver::Kernel timer = nullptr;
  {
    const MutexLock lock(mutex_);
    timer = controls_ ? align_ : nullptr;
  }
  alignment_.align(timer);
}

} // namespace graphprof
