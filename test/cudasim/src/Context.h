// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Contexts: the primary one, and green ones, which share its memory and its functions. Streams and
// nodes of graphs have one. What runs takes no notice of it.

#ifndef CUDASIM_SRC_CONTEXT_H
#define CUDASIM_SRC_CONTEXT_H

struct CUctx_st {
  unsigned long long id = 0; // of a green context; the primary one's is Device::contextId()
};

struct CUgreenCtx_st {
  CUctx_st context; // what cuCtxFromGreenCtx() returns
};

namespace cudasim {

struct Device;

CUctx_st *primaryContext();
// Null for the primary context.
inline CUgreenCtx_st *greenOf(CUctx_st *context) {
  return context && context != primaryContext() ? reinterpret_cast<CUgreenCtx_st *>(context)
                                                : nullptr;
}
// The calling thread's. Null if it has none.
CUctx_st *currentContext(Device &device);

} // namespace cudasim

#endif // CUDASIM_SRC_CONTEXT_H
