// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Embeds the stamp kernels' image; GRAPHPROF_STAMP_IMAGE is its path, given by the build. The zero byte
// behind it ends the text where the image is PTX.

        .section .rodata
        .balign 16
        .globl graphprofStampImage
        .hidden graphprofStampImage
        .type graphprofStampImage, @object
graphprofStampImage:
        .incbin GRAPHPROF_STAMP_IMAGE
        .byte 0
        .size graphprofStampImage, . - graphprofStampImage
        .section .note.GNU-stack, "", @progbits
