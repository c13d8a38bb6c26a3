// RUN: %instrument %s -o %t.cpp -- %cxx
// RUN: FileCheck %s --match-full-lines < %t.cpp
//
// A project may have macros with the names of CUDA's functions, from a header that its commands force in: graphprof's headers,
// which come behind it, mean the functions.
//
// RUN: echo '#include <cuda_runtime_api.h>' > %t.h
// RUN: echo '#include <cuda.h>' >> %t.h
// RUN: echo '#define cudaGraphAddDependencies(g, a, b, n) cudaGraphAddDependencies(g, a, b, nullptr, n)' >> %t.h
// RUN: echo '#define cudaMalloc(p, n) countedMalloc(p, n)' >> %t.h
// RUN: echo '#define cudaMallocHost(p) none' >> %t.h
// RUN: echo '#define cudaHostAlloc(p) none' >> %t.h
// RUN: echo '#define cudaMemcpyToSymbol(p) none' >> %t.h
// RUN: echo '#define cudaMemcpyAsync(p) none' >> %t.h
// RUN: echo '#define cudaGraphInstantiate(p) none' >> %t.h
// RUN: echo '#define cudaGraphExecUpdate(p) none' >> %t.h
// RUN: echo '#define cudaGetLastError() none' >> %t.h
// RUN: echo '#define cuGraphLaunch(p) none' >> %t.h
// RUN: clang++ -std=c++17 -Wall -Wextra -pedantic -Werror -fsyntax-only -I%S/../../../include -isystem %S/../../cudasim/include -include %t.h %t.cpp
// RUN: g++ -std=c++17 -Wall -Wextra -pedantic -Werror -fsyntax-only -I%S/../../../include -isystem %S/../../cudasim/include -include %t.h %t.cpp

#include <cuda_runtime_api.h>

cudaError_t run(cudaGraphExec_t e, cudaStream_t s) { return cudaGraphLaunch(e, s); }
// CHECK: cudaError_t run(cudaGraphExec_t e, cudaStream_t s) { return ::graphprof::cuda::cudaGraphLaunch(e, s); }
