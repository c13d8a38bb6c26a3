// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "plan/Needs.h"

namespace graphprof::instrument {

void Needs::add(const Plan &Made) {
  const Counts &Did = Made.Did;
  Runtime |=
      Did.Regions + Did.Steps + Did.Graphs + Did.Calls + Did.Launches + Did.Functions + Did.Twins >
      0;
  Driver |= Made.CallsDriver;
  Twins |= Did.Twins > 0;
}

std::vector<RuntimeHeader> Needs::headers(bool InC, bool Named) const {
  std::vector<RuntimeHeader> All;
  if (Runtime)
    All.push_back(InC ? RuntimeHeader::C : RuntimeHeader::Cuda);
  if (Driver && !InC)
    All.push_back(RuntimeHeader::CudaDriver);
  if (Twins)
    All.push_back(RuntimeHeader::Twin);
  if (Named)
    All.push_back(RuntimeHeader::Named);
  return All;
}

} // namespace graphprof::instrument
