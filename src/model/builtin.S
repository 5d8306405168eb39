/* SPDX-License-Identifier: MIT
 * The default model, inside the program: it works from any folder. */
#define FILE(symbol, path)                                                    \
    .global symbol;                                                           \
    .global symbol##_end;                                                     \
    .hidden symbol;                                                           \
    .hidden symbol##_end;                                                     \
    .balign 64;                                                               \
    symbol: .incbin path;                                                     \
    symbol##_end: .byte 0

    .section .rodata
    FILE(builtin_config, "assets/default/config.json")
    FILE(builtin_tokenizer, "assets/default/tokenizer.json")
    FILE(builtin_weights, "assets/default/model.safetensors")

    .section .note.GNU-stack, "", %progbits
