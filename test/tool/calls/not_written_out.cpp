// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: not %instrument annotated.cpp -o out.cpp -- %cxx 2>&1 | FileCheck annotated.cpp
// RUN: not %instrument ours.cpp -o out.cpp -- %cxx -I%S/../../../include 2>&1 | FileCheck ours.cpp
// RUN: not %instrument pasted.cpp -o out.cpp -- %cxx 2>&1 | FileCheck pasted.cpp
//
// The use of a macro is not written out where that would lose something: an annotation, a macro of graphprof's own, or a call
// whose name is pasted together.

//--- annotated.cpp
#include <cuda_runtime_api.h>
#define CHECK(call) do { if ((call) != cudaSuccess) throw #call; } while (0)
#define TIMED(call) [[graphprof::time("call")]] CHECK(call)
void launch(cudaGraph_t g, cudaStream_t s, bool twice) {
  // CHECK: annotated.cpp:[[#@LINE+1]]:{{.*}}error: 'cudaGraphDestroy' is not redirected: a macro also turns its name into text or pastes it
  TIMED((twice ? cudaGraphDestroy(g) : cudaSuccess));
}
//--- ours.cpp
#include <cuda_runtime_api.h>
#include <graphprof/scope.h>
#define CHECK(call) do { if ((call) != cudaSuccess) throw #call; } while (0)
#define ALL(...) __VA_ARGS__
void launch(cudaGraph_t g, cudaStream_t s) {
  // CHECK: ours.cpp:[[#@LINE+1]]:{{.*}}error: 'cudaGraphDestroy' is not redirected: a macro also turns its name into text or pastes it
  ALL({ GRAPHPROF_SCOPE(1, "ours", graphprof::on_capture()); CHECK((cudaGraphDestroy)(g)); })
}
//--- pasted.cpp
#include <cuda_runtime_api.h>
#define CHECK(call) do { if ((call) != cudaSuccess) throw #call; } while (0)
#define ALL(...) __VA_ARGS__
#define GRAPH(f) cudaGraph##f
void launch(cudaGraph_t g, cudaStream_t s) {
  // CHECK-DAG: pasted.cpp:[[#@LINE+2]]:{{.*}}error: 'cudaGraphDestroy' is not redirected: a macro also turns its name into text or pastes it
  // CHECK-DAG: pasted.cpp:[[#@LINE+1]]:{{.*}}error: 'cudaGraphDestroy' is not redirected: a macro pastes its name together
  ALL({ CHECK((cudaGraphDestroy)(g)); GRAPH(Destroy)(g); })
}
