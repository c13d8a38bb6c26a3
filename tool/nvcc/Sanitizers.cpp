// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// In programs that GRAPHPROF_SANITIZE_TOOL builds: what the address sanitizer is told.

extern "C" const char *__asan_default_options();

// LLVM's allocators poison what they have not given out yet, in our code but not in the library's.
// Of freed memory 32 MB are kept from use, not 256: to make so many new pages is a quarter of the
// time of a parse.
const char *__asan_default_options() { return "allow_user_poisoning=0:quarantine_size_mb=32"; }
