// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_CHECK: says which memory that a graph uses was freed before a launch of it. Knows what
// the program allocated and freed by calls that graphprof sees, and what nodes show: the ends of
// copies, the targets of memsets, and those parameters of kernels that are one pointer each.
//
// Threads: any may call any function. A lock guards the tables; the driver is never called while it
// is held.

#ifndef GRAPHPROF_CALLS_GRAPHCHECK_H
#define GRAPHPROF_CALLS_GRAPHCHECK_H

#include <cstddef>
#include <cstdint>

#include "cuda/DriverApi.h"

namespace graphprof::internal {

/// The program has allocated or mapped memory, or is about to free or unmap what begins at
/// `address`. `inPool`: in a stream's order. Where a free fails, the memory is allocated again.
void checkAllocated(std::uintptr_t address, std::size_t bytes, bool inPool) noexcept;
void checkFreeing(std::uintptr_t address) noexcept;

/// `exec` was made or updated from `graph`.
void checkInstantiated(driver::Exec exec, driver::Graph graph) noexcept;
/// A node of `exec` changes, or it goes: what it uses is not known any more.
void checkChanged(driver::Exec exec) noexcept;
/// `exec` is about to be launched.
void checkLaunch(driver::Exec exec) noexcept;

} // namespace graphprof::internal

#endif // GRAPHPROF_CALLS_GRAPHCHECK_H
