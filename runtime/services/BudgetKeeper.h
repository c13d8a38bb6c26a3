// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the control socket knows of a budget: the price that recording may have, who keeps it, and
// what it costs at the moment. Whoever keeps one says so in Services::budget.

#ifndef GRAPHPROF_SERVICES_BUDGETKEEPER_H
#define GRAPHPROF_SERVICES_BUDGETKEEPER_H

#include <cstdint>
#include <string>

namespace graphprof {

/// Fractions of a replay's time: 0.01 is one per cent.
struct BudgetState {
  double price = -1;             ///< that was asked for; negative: none, everything is recorded
  double spent = -1;             ///< that recording costs, as measured; negative: not known yet
  std::uint64_t parts = 1;       ///< in how many parts a graph is recorded, at most
  std::uint64_t oneLaunchIn = 1; ///< of how many launches one is recorded, at most
};

class BudgetKeeper {
public:
  /// Keeps `price` from the next launch on; negative: records everything. Returns an empty text,
  /// or why not, as a sentence without a full stop. On the control socket's thread.
  [[nodiscard]] virtual std::string setPrice(double price) = 0;
  [[nodiscard]] virtual BudgetState state() const = 0;

protected:
  ~BudgetKeeper() = default; // lives as long as the process
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_BUDGETKEEPER_H
