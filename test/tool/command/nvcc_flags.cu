// RUN: %instrument %s -o - -- %cuda -arch=sm_90 | FileCheck %s
// RUN: %instrument %s -o - -- %cuda -arch sm_90 -gencode arch=compute_90,code=sm_90 --generate-code=arch=compute_90,code=[sm_90,compute_90] | FileCheck %s
// RUN: %instrument %s -o - -- %cuda -Xcompiler -fPIC,-Wall,-fno-gcse,-mavx2 -Xcompiler=-O2,-Wl,-z,now,-pthread -Xptxas -v -Xlinker -rpath,/x -ccbin g++ | FileCheck %s
// RUN: %instrument %s -o - -- %cuda -rdc=true -dc -c -o x.o -O3 -O 2 -g -G -lineinfo --use_fast_math --maxrregcount=32 | FileCheck %s
// RUN: %instrument %s -o - -- %cuda --expt-relaxed-constexpr --expt-extended-lambda -extended-lambda | FileCheck %s
// RUN: %instrument %s -o - -- %cuda -t 2 -t2 --threads 0 --threads=4 -diag-suppress 177,550 --diag-suppress=20012 -Werror all-warnings -Wall -Wno-x | FileCheck %s
// RUN: %instrument %s -o - -- %cuda -MD -MT x.o -MF x.d -lcudart -L/usr/lib -L /usr/lib -l cublas --cudart shared -x cu --keep --keep-dir d | FileCheck %s
// RUN: %instrument %s -o - -- nvcc %cuda -allow-unsupported-compiler -forward-unknown-to-host-compiler other.cu libx.a | FileCheck %s
//
// What the parser must see of nvcc's flags arrives, however it is spelled:
// RUN: %instrument --no-headers %s -o - -- %cuda -DNEEDED=1 -isystem=%inputs/system -I=%inputs/project | FileCheck %s --check-prefix=SEEN
// RUN: %instrument --no-headers %s -o - -- %cuda -D NEEDED=1 -isystem %inputs/system --include-path %inputs/project | FileCheck %s --check-prefix=SEEN
// RUN: %instrument --no-headers %s -o - -- %cuda --define-macro NEEDED=1 --system-include=%inputs/system -I %inputs/project | FileCheck %s --check-prefix=SEEN
// RUN: %instrument --no-headers %s -o - -- %cuda -Xcompiler "-DNEEDED=1 -I%inputs/project" -Xcompiler=-isystem,%inputs/system | FileCheck %s --check-prefix=SEEN
// RUN: echo "-DNEEDED=1 -isystem %inputs/system -I %inputs/project" > %t.options
// RUN: %instrument --no-headers %s -o - -- %cuda --options-file %t.options | FileCheck %s --check-prefix=SEEN
// RUN: %instrument --no-headers %s -o - -- %cuda @%t.options | FileCheck %s --check-prefix=SEEN

#include <cuda_runtime.h>

void f(cudaStream_t);
// CHECK: void g(cudaStream_t s) { GRAPHPROF_SCOPE(1, "g", ::graphprof::on_stream(s)); f(s); }
[[graphprof::time]] void g(cudaStream_t s) { f(s); }

#if NEEDED
#include "header.h"
#include <system.h>
// SEEN: void seen(cudaStream_t s) { GRAPHPROF_SCOPE(2, "seen", ::graphprof::on_stream(s)); f(s); }
[[graphprof::time]] void seen(cudaStream_t s) { f(s); }
#endif
