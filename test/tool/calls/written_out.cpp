// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %instrument main.cpp -o out.cpp -- %cxx -isystem other 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck main.cpp < out.cpp
// RUN: clang++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -isystem other -I%S/../../../include -isystem %S/../../cudasim/include out.cpp
// RUN: g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -isystem other -I%S/../../../include -isystem %S/../../cudasim/include out.cpp
//
// The use of a macro of another project, as of a library for tests, is written out with the pragmas in it, and with the
// names of files as the compiler has them. A macro for clang may have pragmas for clang; GCC gets the same ones.
//
// SAID-NOT: warning
// SAID: 2 redirected calls
// SAID-NOT: warning

//--- main.cpp
#include <cuda_runtime_api.h>
#include <checks.h>

void test(cudaGraph_t g) {
  REQUIRE(cudaGraphDestroy(g) == cudaSuccess);
  // CHECK: do { _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpragmas\"") _Pragma("GCC diagnostic ignored \"-Wunused-lambda-capture\"") _Pragma("GCC diagnostic ignored \"-Wparentheses\"") check ( __FILE__ , 5 , "cudaGraphDestroy(g) == cudaSuccess" , 1 == ::graphprof::cuda::cudaGraphDestroy ( g ) == cudaSuccess ) ; _Pragma("GCC diagnostic pop") } while ( 0 );
  COUNTED(cudaFree(nullptr));
  // CHECK: COUNTED(cudaFree(nullptr));
  REQUIRE(cudaFree(nullptr) == 0);
  // CHECK: ::graphprof::cuda::cudaFree ( nullptr ) == 0
}
//--- other/checks.h
#pragma once
void check(const char *, int, const char *, bool);
#ifdef __clang__
#define QUIETLY(code) _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunused-lambda-capture\"")        \
  _Pragma("GCC diagnostic ignored \"-Wparentheses\"") code _Pragma("clang diagnostic pop")
#else
#define QUIETLY(code) code
#endif
#define REQUIRE(...) do { QUIETLY(check(__FILE__, __LINE__, #__VA_ARGS__, 1 == __VA_ARGS__);) } while (0)
#define COUNTED(call) check(__FILE__, __COUNTER__, #call, call == 0)
