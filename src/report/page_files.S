/* SPDX-License-Identifier: MIT
 * The files of page/, one after the other, inside the program: it works from any folder. */
#define BEGIN(symbol)                                                         \
    .global symbol;                                                           \
    .hidden symbol;                                                           \
    symbol:

    .section .rodata
    BEGIN(page_script)
#define SCRIPT(name) .incbin name
#define STYLE(name)
#include "report/page/files.def"
#undef SCRIPT
#undef STYLE
    BEGIN(page_script_end)
    .byte 0
    BEGIN(page_style)
#define SCRIPT(name)
#define STYLE(name) .incbin name
#include "report/page/files.def"
    BEGIN(page_style_end)
    .byte 0

    .section .note.GNU-stack, "", %progbits
