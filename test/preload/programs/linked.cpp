// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Linked with the driver.

#include "Driver.h"

int main() {
#define MEMBER(name, version, symbol) &::symbol,
  return replay({FUNCTIONS(MEMBER)});
}
