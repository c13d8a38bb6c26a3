// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Contexts: the primary one, green ones, and those that a program creates; here all share memory
// and functions. Streams, events, execs and nodes of graphs have one. What runs takes no notice of
// it.

#ifndef CUDASIM_SRC_CONTEXT_H
#define CUDASIM_SRC_CONTEXT_H

struct CUctx_st {
  unsigned long long id = 0; // the primary one's is Device::contextId()
  bool isGreen = false;
};

struct CUgreenCtx_st {
  CUctx_st context; // what cuCtxFromGreenCtx() returns
};

namespace cudasim {

struct Device;

CUctx_st *primaryContext();
// Null for any other context.
inline CUgreenCtx_st *greenOf(CUctx_st *context) {
  return context && context->isGreen ? reinterpret_cast<CUgreenCtx_st *>(context) : nullptr;
}
// The calling thread's. Null if it has none.
CUctx_st *currentContext(Device &device);

} // namespace cudasim

#endif // CUDASIM_SRC_CONTEXT_H
