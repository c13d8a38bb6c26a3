// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes graphprof's allocations fail: operator new anywhere in the process, and malloc in what is
// linked into the program. Allocations of the simulated device and of the program's own code (Own)
// do not fail.

#ifndef GRAPHPROF_TEST_FAULTS_ALLOCATIONS_H
#define GRAPHPROF_TEST_FAULTS_ALLOCATIONS_H

namespace graphprof::test {

/// The threads whose allocations fail: the one that runs main(), or all others.
enum class Where { Program, Threads };

/// From now on, allocations number `first` to `last` fail, counted from 1.
void failAllocations(Where where, unsigned long first, unsigned long last);
/// No allocations fail any more.
void allocationsWork();
/// The number of allocations since failAllocations, and how many of them failed.
unsigned long allocations(Where where);
unsigned long failedAllocations();

/// While an object of this class lives, this thread's allocations count as the program's own.
class Own {
public:
  Own();
  ~Own();
  Own(const Own &) = delete;
  Own &operator=(const Own &) = delete;
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_FAULTS_ALLOCATIONS_H
