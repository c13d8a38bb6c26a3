// A header of the program's own, with things that the tool does not rewrite yet.
#pragma once
inline void launchInHeader(cudaGraphExec_t e, cudaStream_t s) {
  [[graphprof::time]] cudaGraphLaunch(e, s);
  cudaGraphUpload(e, s);
}
#define LAUNCH_IN_HEADER(e, s) cudaGraphLaunch(e, s)
