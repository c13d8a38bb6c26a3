// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// In place of the header that redirects the host's calls of CUDA: these tests make none.

#pragma once
