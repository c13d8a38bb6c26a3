// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Linked with the driver: a program, or a library that has it as `run`.

#include "Driver.h"

#ifdef LIBRARY
extern "C" int run() {
#else
int main() {
#endif
#define MEMBER(name, version, symbol) &::symbol,
  return replay({FUNCTIONS(MEMBER)});
}
