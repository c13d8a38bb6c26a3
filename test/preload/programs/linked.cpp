// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program that is linked with the driver, or a library with the same code as `run`.

#include "Driver.h"

#ifdef LIBRARY
extern "C" int run() {
#else
int main() {
#endif
#define MEMBER(name, version, symbol) &::symbol,
  return replay({FUNCTIONS(MEMBER)});
}
