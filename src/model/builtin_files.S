/* SPDX-License-Identifier: MIT
 * The models of builtins.def, inside the program: they work from any folder. */
#define PATH(file) #file
#define FILE(symbol, path)                                                    \
    .global symbol;                                                           \
    .global symbol##_end;                                                     \
    .hidden symbol;                                                           \
    .hidden symbol##_end;                                                     \
    .balign 64;                                                               \
    symbol: .incbin path;                                                     \
    symbol##_end: .byte 0
#define BUILTIN(name, folder)                                                 \
    FILE(builtin_##name##_config, PATH(folder/config.json));                  \
    FILE(builtin_##name##_tokenizer, PATH(folder/tokenizer.json));            \
    FILE(builtin_##name##_weights, PATH(folder/model.safetensors));           \
    FILE(builtin_##name##_types, PATH(folder/types.json));

    .section .rodata
#include "model/builtins.def"

    .section .note.GNU-stack, "", %progbits
