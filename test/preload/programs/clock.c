// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Stands in front of the C library's clocks, as libfaketime does: they stand still, or go back with
// each reading (FAKE_CLOCK=back).

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
  static atomic_long readings;
  (void)clock;
  const char *const way = getenv("FAKE_CLOCK");
  now->tv_sec = way && strcmp(way, "back") == 0 ? 1000000 - readings++ : 1000000;
  now->tv_nsec = 0;
  return 0;
}
