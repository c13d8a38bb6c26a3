// What these tests say holds on every machine, also where graphprof is installed in /usr or /usr/local: their flags lead to the
// system's headers, but not to the folders in which an installed graphprof has its own.
//
// RUN: clang++ %cxx -x c++ -E -v /dev/null -o /dev/null 2>&1 | FileCheck %s
// RUN: clang %c11 -x c -E -v /dev/null -o /dev/null 2>&1 | FileCheck %s
// RUN: clang++ -x cuda --cuda-host-only %cuda -E -v %s -o /dev/null 2>&1 | FileCheck %s
// RUN: clang++ %cxx -fsyntax-only %s
//
// CHECK:     search starts here
// CHECK-NOT: {{^ */usr(/local)?/include$}}
// CHECK:     {{/system/usr/include$}}
// CHECK-NOT: {{^ */usr(/local)?/include$}}
// CHECK:     End of search list

#include <cstdio>

#if __has_include(<graphprof/graphprof.h>)
#error "an installed graphprof is seen"
#endif

int main() { return std::puts("the system's headers are seen"); }
