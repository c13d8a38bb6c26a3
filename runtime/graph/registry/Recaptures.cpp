// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/Recaptures.h"

#include "cuda/Driver.h"
#include "services/Config.h"

namespace graphprof {

bool Recaptures::arePossible(const Config &config, CaptureBegin begun) {
  return driver::cu().streamBeginRecaptureToGraph && !config.inPlace &&
         (begun == CaptureBegin::NotSeen || areExpected.load(std::memory_order_relaxed));
}

} // namespace graphprof
