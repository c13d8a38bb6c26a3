// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/StampKernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "clock/StampLayout.h"
#include "cuda/DeviceImages.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Of a thread. What the driver does not tell is taken for more than any kernel has.
int registersOf(driver::Function function) {
  constexpr int most = 255;
  int registers = 0;
  return ok(cu().functionGetAttribute(&registers, driver::FunctionAttribute::Registers, function))
             ? registers
             : most;
}

// Loads its code. By default, CUDA does that at the kernel's first use, which waits for what runs
// on the device.
driver::Function loaded(driver::Kernel kernel) {
  driver::Function function = nullptr;
  if (!ok(cu().kernelGetFunction(&function, kernel)) ||
      (cu().functionLoad && !ok(cu().functionLoad(function))))
    return nullptr;
  return function;
}

} // namespace

bool StampKernels::load(driver::Library library, const driver::DeviceProperties &device) {
  std::size_t bytes = 0;
  driver::DevicePointer address = 0;
  controls = 0;
  const auto take = [library](driver::Kernel &kernel, const char *name) {
    return ok(cu().libraryGetKernel(&kernel, library, name));
  };
  if (!library || !take(root, "graphprof_root") || !take(open, "graphprof_open") ||
      !take(first, "graphprof_first") || !take(stamp, "graphprof_stamp") ||
      !take(final, "graphprof_final") || !take(last, "graphprof_last") ||
      !take(count, "graphprof_count") || !take(align, "graphprof_align") ||
      !take(span, "graphprof_span") || !take(publishWarps, "graphprof_publish_warps") ||
      !ok(cu().libraryGetGlobal(&address, &bytes, library, "graphprof_controls")) ||
      bytes < sizeof(StampControl) * stampControls)
    return false;
  if (!ok(cu().libraryGetGlobal(&entries, &bytes, library, "graphprof_entries")) ||
      bytes < sizeof(std::uint64_t) * entriesWords)
    return false;
  // Only the code for devices with programmatic launches contains these.
  constexpr int firstMajor = 9;
  if (device.computeMajor < firstMajor || !take(waiting, "graphprof_stamp_waiting") ||
      !take(triggering, "graphprof_stamp_triggering") || !take(around, "graphprof_around"))
    waiting = triggering = around = nullptr;
  for (const driver::Kernel kernel : {root, open, first, stamp, final, last, count, align, span,
                                      publishWarps, waiting, triggering, around}) {
    if (!kernel)
      continue;
    const driver::Function function = loaded(kernel);
    if (!function)
      return false;
    if (kernel == root)
      rootFunction = function;
    if (kernel == stamp)
      stampFunction = function;
    if (kernel == root || kernel == open || kernel == stamp || kernel == triggering ||
        kernel == around)
      registers = std::max(registers, registersOf(function));
  }
  controls = address; // all of it is loaded
  return true;
}

driver::Kernel StampKernels::at(StampEdge edge) const {
  switch (edge) {
  case StampEdge::Programmatic:
    return waiting;
  case StampEdge::BeforeSuccessor:
    return triggering;
  default:
    return stamp;
  }
}

driver::Library StampLibrary::load(bool anew) {
  const MutexLock lock(mutex_);
  if (anew || !library_) {
    library_ = nullptr;
    cu().libraryLoadData(&library_, stampImage(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  }
  return library_;
}

} // namespace graphprof
