// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Embeds the images of graphprof's device code. The build passes their paths. PTX text needs the
// zero byte behind each image.

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
