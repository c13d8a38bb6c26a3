// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Allocations that fail on order: operator new anywhere in the process, and malloc in what is
// linked into the program. What the simulated device allocates is left alone, and what the program
// says is its own. So what fails is graphprof's.

#ifndef GRAPHPROF_TEST_FAULTS_ALLOCATIONS_H
#define GRAPHPROF_TEST_FAULTS_ALLOCATIONS_H

namespace graphprof::test {

/// On whose thread: on the one that runs main(), or on another one.
enum class Where { Program, Threads };

/// From now on those from number `first` to number `last` fail, counted from 1.
void failAllocations(Where where, unsigned long first, unsigned long last);
/// None does.
void allocationsWork();
/// How many were made since, and how many of them failed.
unsigned long allocations(Where where);
unsigned long failedAllocations();

/// While it lives, what this thread allocates is the program's own.
class Own {
public:
  Own();
  ~Own();
  Own(const Own &) = delete;
  Own &operator=(const Own &) = delete;
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_FAULTS_ALLOCATIONS_H
