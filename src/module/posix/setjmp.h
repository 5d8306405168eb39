/* SPDX-License-Identifier: MIT
 * setjmp.h for the module, without jumps: if memory runs out, the page restarts the module. */
#ifndef POSIX_SETJMP_H
#define POSIX_SETJMP_H

typedef int jmp_buf[1];
#define setjmp(border) ((void)(border), 0)
#define longjmp(border, value) ((void)(border), __builtin_trap())

#endif
