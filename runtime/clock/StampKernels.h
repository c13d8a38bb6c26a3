// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The stamp kernels, as one context has them, and where their control blocks are.

#ifndef GRAPHPROF_CLOCK_STAMPKERNELS_H
#define GRAPHPROF_CLOCK_STAMPKERNELS_H

#include "Mutex.h"
#include "clock/Clock.h"
#include "cuda/DeviceProperties.h"
#include "cuda/DriverApi.h"

namespace graphprof {

struct StampKernels {
  driver::Kernel root = nullptr, open = nullptr, first = nullptr, stamp = nullptr, final = nullptr,
                 last = nullptr, count = nullptr, align = nullptr, span = nullptr,
                 publishWarps = nullptr;
  /// The stamp that waits for the end of the work before it; null if this device cannot run it.
  driver::Kernel waiting = nullptr;
  /// The stamp that lets the kernel behind it begin at once; null likewise.
  driver::Kernel triggering = nullptr;
  /// The stamp of a kernel's begin and end; null likewise.
  driver::Kernel around = nullptr;
  /// The same kernels as functions of the context, for launches.
  driver::Function rootFunction = nullptr, stampFunction = nullptr;
  /// The most registers that a thread takes of those kernels for which nodes of the program may
  /// wait: the root, and the stamps at launch completion, at completion, in the chain and around a
  /// kernel.
  int registers = 0;
  driver::DevicePointer controls = 0; ///< stampControls of them; 0: the kernels are not loaded
  driver::DevicePointer entries = 0;  ///< entriesWords for what stamps write in long graphs

  /// Takes them from `library`, for the current context on such a device, and loads their code.
  /// Returns false if they cannot run. Waits for what runs on the device.
  bool load(driver::Library library, const driver::DeviceProperties &device);
  [[nodiscard]] driver::Kernel at(StampEdge edge) const;
};

/// The code of these kernels. One library for the process, because libraries do not belong to a
/// context.
class StampLibrary {
public:
  /// Null if CUDA refuses. `anew`: the present one does not work.
  driver::Library load(bool anew) EXCLUDES(mutex_);

private:
  Mutex mutex_;
  driver::Library library_ GUARDED_BY(mutex_) = nullptr;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_STAMPKERNELS_H
