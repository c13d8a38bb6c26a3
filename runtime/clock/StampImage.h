// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The stamp kernels as the library carries them: machine code for the common architectures and PTX,
// or PTX alone where the build had no nvcc.

#ifndef GRAPHPROF_CLOCK_STAMPIMAGE_H
#define GRAPHPROF_CLOCK_STAMPIMAGE_H

extern "C" const char graphprofStampImage[]; // StampImage.S

namespace graphprof {

/// What cuLibraryLoadData takes.
inline const void *stampImage() { return graphprofStampImage; }

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_STAMPIMAGE_H
