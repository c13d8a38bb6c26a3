// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Series.h"

#include <algorithm>

#include "output/statistics/Sums.h"

namespace graphprof {

void Series::add(std::uint64_t number, std::int64_t atNs, std::int64_t ns) {
  if (bins_.empty() || bins_.back().count + bins_.back().notMeasured == perBin_) {
    if (bins_.size() == most_)
      halve();
    if (bins_.empty() || bins_.back().count + bins_.back().notMeasured == perBin_) {
      bins_.emplace_back().number = number;
      bins_.back().atNs = atNs;
    }
  }
  Bin &bin = bins_.back();
  if (ns < 0) {
    ++bin.notMeasured;
    return;
  }
  bin.minNs = bin.count == 0 ? ns : std::min(bin.minNs, ns);
  bin.maxNs = std::max(bin.maxNs, ns);
  addTo(bin.sumNs, ns);
  ++bin.count;
}

void Series::halve() {
  for (std::size_t i = 0; i < bins_.size(); i += 2) {
    Bin joined = bins_[i];
    if (i + 1 < bins_.size()) {
      const Bin &next = bins_[i + 1];
      if (next.count > 0) {
        joined.minNs = joined.count == 0 ? next.minNs : std::min(joined.minNs, next.minNs);
        joined.maxNs = std::max(joined.maxNs, next.maxNs);
        addTo(joined.sumNs, next.sumNs);
      }
      joined.count += next.count;
      joined.notMeasured += next.notMeasured;
    }
    bins_[i / 2] = joined;
  }
  bins_.resize((bins_.size() + 1) / 2);
  perBin_ *= 2;
}

} // namespace graphprof
