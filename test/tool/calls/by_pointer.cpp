// RUN: %instrument %s -o %t.cpp -- %cxx 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// RUN: not %instrument %s -o %t.both.cpp -- %cxx -DBOTH 2>&1 | FileCheck %s --check-prefix=BOTH --implicit-check-not=error:
// RUN: %instrument --allow-unredirected %s -o %t.both.cpp -- %cxx -DBOTH 2>&1 | FileCheck %s --check-prefix=ALLOWED --implicit-check-not=error:
// RUN: %instrument %s -o %t.cpp -- %cxx -DINDIRECT 2>&1 | FileCheck %s --check-prefix=INDIRECT
//
// Calls through a table of the driver's functions, or a variable that holds one: said once a function, with a place. A change
// of a graph is an error only in a unit that also has calls which are redirected: else graphprof knows none of its graphs.

#include <cuda.h>

struct Symbols {
  CUresult (*cuGraphLaunch)(CUgraphExec, CUstream);
  CUresult (*cuGraphExecDestroy)(CUgraphExec);
  CUresult (*cuStreamSynchronize)(CUstream);
  CUresult cuGraphUpload(CUgraphExec, CUstream); // a method is instrumented where it is defined
};
typedef CUresult (*PFN_cuGraphLaunch_v10000_ptsz)(CUgraphExec, CUstream);
#define CHECKED(symbols, call) ((symbols)->call)

CUresult launch(Symbols *symbols, Symbols &table, CUgraphExec e, CUstream s, PFN_cuGraphLaunch_v10000_ptsz run) {
  // CHECK-DAG: by_pointer.cpp:[[#@LINE+2]]:12: warning: 'cuGraphLaunch' is called through a pointer; this call and 3 more of it in this file are not redirected, so graphprof does not see it
  // BOTH-DAG: by_pointer.cpp:[[#@LINE+1]]:12: warning: 'cuGraphLaunch' is called through a pointer; this call and 3 more
  symbols->cuGraphLaunch(e, s);
  (*table.cuGraphLaunch)(e, s);
  CHECKED(symbols, cuGraphLaunch(e, s));
  run(e, s);
  symbols->cuStreamSynchronize(s);
  symbols->cuGraphUpload(e, s);
  // CHECK-DAG: by_pointer.cpp:[[#@LINE+3]]:19: warning: 'cuGraphExecDestroy' is called through a pointer; this call is not redirected, so graphprof does not see the change
  // BOTH-DAG: by_pointer.cpp:[[#@LINE+2]]:19: error: 'cuGraphExecDestroy' is called through a pointer; {{.*}} results may change. Fix this call, or accept the risk with --allow-unredirected
  // ALLOWED-DAG: by_pointer.cpp:[[#@LINE+1]]:19: warning: 'cuGraphExecDestroy' is called through a pointer
  return symbols->cuGraphExecDestroy(e);
}
// CHECK-DAG: 0 regions, 0 redirected calls, 2 warnings

#ifdef BOTH
CUresult both(CUgraphExec e, CUstream s) { return cuGraphLaunch(e, s); }
#endif

#ifdef INDIRECT
void *symbol(const char *);
CUresult local(CUgraphExec e, CUstream s) {
  const auto cuGraphLaunch = reinterpret_cast<CUresult (*)(CUgraphExec, CUstream)>(symbol("cuGraphLaunch"));
  // INDIRECT: warning: 'cuGraphLaunch' is called through a pointer; this call and 4 more
  return cuGraphLaunch(e, s);
}
#endif
