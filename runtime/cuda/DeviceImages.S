// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Embeds the images of our own device code; the build gives their paths. The zero byte behind each
// ends the text where it is PTX.

#define EMBED(symbol, path)                                                                        \
        .balign 16;                                                                                \
        .globl symbol;                                                                             \
        .hidden symbol;                                                                            \
        .type symbol, @object;                                                                     \
symbol:                                                                                            \
        .incbin path;                                                                              \
        .byte 0;                                                                                   \
        .size symbol, . - symbol

        .section .rodata
EMBED(graphprofStampImage, GRAPHPROF_STAMP_IMAGE)
EMBED(graphprofBenchImage, GRAPHPROF_BENCH_IMAGE)
        .section .note.GNU-stack, "", @progbits
