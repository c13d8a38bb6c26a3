// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/step.h and graphprof/copies.h for C: where a step begins, and which of its copies are
// timed. C11. Needs no CUDA; graphprof/c.h includes it.
//
//     for (int i = 0; i < batches; ++i) {
//       graphprof_step();
//       cudaMemcpyAsync(device, graphprof_wrap_h2d(batch[i]), bytes, cudaMemcpyDefault, stream);
//       train(device, stream);
//     }

#ifndef GRAPHPROF_C_STEPS_H
#define GRAPHPROF_C_STEPS_H

#include "graphprof/detail/seam.h"

/// Ends the current step and begins the next, as graphprof::step().
static inline void graphprof_step(void) { graphprof_seam_step(); }

enum graphprof_copy_mode {
  graphprof_copies_auto,      ///< every copy that the tool redirects
  graphprof_copies_selective, ///< copies between graphprof_patch_h2d_begin() and _end(), and copies
                              ///< from graphprof_wrap_h2d()
  graphprof_copies_manual     ///< only copies from graphprof_wrap_h2d()
};

/// As graphprof::CopyOptions. For all threads.
struct graphprof_copy_options {
  enum graphprof_copy_mode mode;
  int d2h; ///< from the device to the host too
  int d2d; ///< within devices too
};
static inline void graphprof_set_copies(struct graphprof_copy_options options) {
  graphprof_seam_setCopies((int)options.mode, options.d2h, options.d2d);
}

/// Returns `source`. In a step, the copy that gets it is timed, in every mode. Another copy from
/// `source` is not, unless you wrap it again.
static inline const void *graphprof_wrap_h2d(const void *source) {
  graphprof_seam_wrapCopy(source);
  return source;
}

/// Between these two, this thread's copies are timed in graphprof_copies_selective. They nest. An
/// end without a begin does nothing.
static inline void graphprof_patch_h2d_begin(void) { graphprof_seam_patchCopies(1); }
static inline void graphprof_patch_h2d_end(void) { graphprof_seam_patchCopies(0); }

#endif // GRAPHPROF_C_STEPS_H
