/* SPDX-License-Identifier: MIT
 * The files of page/, one after the other, inside the program: it works from any folder. */
#define BEGIN(symbol)                                                         \
    .global symbol;                                                           \
    .hidden symbol;                                                           \
    symbol:
#define LEFT_OUT(name)
#define TAKEN(name) .incbin name

    .section .rodata
#define STYLE LEFT_OUT
#define LIVE_STYLE LEFT_OUT
#define WORKER LEFT_OUT
#define SCRIPT TAKEN
#define LIVE_SCRIPT LEFT_OUT
    BEGIN(page_script)
#include "report/page/files.def"
    BEGIN(page_script_end)
    .byte 0
#undef LIVE_SCRIPT
#define LIVE_SCRIPT TAKEN
    BEGIN(live_script)
#include "report/page/files.def"
    BEGIN(live_script_end)
    .byte 0
#undef SCRIPT
#undef LIVE_SCRIPT
#undef STYLE
#define SCRIPT LEFT_OUT
#define LIVE_SCRIPT LEFT_OUT
#define STYLE TAKEN
    BEGIN(page_style)
#include "report/page/files.def"
    BEGIN(page_style_end)
    .byte 0
#undef LIVE_STYLE
#define LIVE_STYLE TAKEN
    BEGIN(live_style)
#include "report/page/files.def"
    BEGIN(live_style_end)
    .byte 0
#undef STYLE
#undef LIVE_STYLE
#undef WORKER
#define STYLE LEFT_OUT
#define LIVE_STYLE LEFT_OUT
#define WORKER TAKEN
    BEGIN(live_worker)
#include "report/page/files.def"
    BEGIN(live_worker_end)
    .byte 0
    BEGIN(page_module_begin)
#ifdef PAGE_MODULE
    .incbin PAGE_MODULE
#endif
    BEGIN(page_module_end)
    .byte 0

    .section .note.GNU-stack, "", %progbits
